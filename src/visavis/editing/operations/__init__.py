"""The operations: pure functions from a picture (RGB or RGBA) and numbers to a new picture."""
