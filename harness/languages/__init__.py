"""Programs that show a divergence, in the languages of those who mend it: Java with JUnit 5, Hadoop's shell, boto3."""
