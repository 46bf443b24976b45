"""Editing: operations on pictures, by command and by words; never destructive, always replayable."""
