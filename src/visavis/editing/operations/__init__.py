"""The operations themselves: pure functions from a picture (RGB or RGBA) and plain numbers to a new picture."""
