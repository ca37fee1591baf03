"""The formal side: how the TLA+ modules and the Python model correspond, and what that proves of them."""
