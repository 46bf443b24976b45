"""Vector stores: the embedded engine, a server or cluster, and their shared code."""
