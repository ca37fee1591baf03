"""The formal side as commands: checking the modules, comparing them with the model, and taking traces from them."""
