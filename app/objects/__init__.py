"""Object stores judged as such: their plan, their stores, their run and their replay files."""
