"""The Hadoop filesystem as a model: its state, its operations by family, and the oracle over them."""
