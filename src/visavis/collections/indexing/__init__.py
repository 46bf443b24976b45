"""Bringing pictures into a collection: incremental, restartable, in stages."""
