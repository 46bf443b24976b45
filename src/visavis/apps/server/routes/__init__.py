"""One module a part of the interface."""
