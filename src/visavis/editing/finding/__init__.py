"""Finding a named thing in a picture: words and places in, a mask and how sure it is out."""
