"""Where the rooms are put together: the ``fsconform`` command, one module a command."""
