"""Locate named objects in a picture: from a phrase to a mask and its confidence."""
