"""Opening the vectors of a collection, wherever they live."""

from __future__ import annotations
