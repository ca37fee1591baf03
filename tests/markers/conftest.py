"""What the tests of directory markers share."""
