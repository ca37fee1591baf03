"""Model checkers: TLC out of its wheel, Apalache where it is installed. Each runs as a process of its own."""
