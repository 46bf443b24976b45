"""Indexing: incremental and restartable, in stages."""
