"""Services bring up real stores on this machine, as processes of their own, and remove them without a trace."""
