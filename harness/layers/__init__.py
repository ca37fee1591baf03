"""Object stores and Spark's writers: their plans, their stores, their runs and their replay files."""
