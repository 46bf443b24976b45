"""visavis: find a picture by talking about it, then talk it into shape."""

from visavis.version import __version__

__all__ = ["__version__"]
