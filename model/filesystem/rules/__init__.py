"""What single options of a contract change in all operations, a module for each."""
