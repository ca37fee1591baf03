"""The atlas as a static site, and the entries of its data from the results of runs."""
