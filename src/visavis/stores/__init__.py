"""Vectors in, neighbours out: the embedded engine, a server or cluster, and what they share."""
