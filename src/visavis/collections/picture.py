"""A picture as its collection knows it: the same words as in `visavis.pictures`."""

from __future__ import annotations

from visavis.pictures.picture import Attributes, AttributeValue, Details, Origin, Picture

__all__ = ["AttributeValue", "Attributes", "Details", "Origin", "Picture"]
