"""Retrievers that learned to read a dialogue: what they share, what there is, and the networks' runtimes."""
