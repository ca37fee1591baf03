"""What is tried: grammars as plain modules."""
