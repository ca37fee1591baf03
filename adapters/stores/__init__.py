"""The shipped stores: a folder each, with its quirks; and what several of them share."""
