"""A run in the formats that build servers read: SARIF, GitHub's commands, GitLab's code quality, Markdown, a badge."""
