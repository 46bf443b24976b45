"""Pictures from files: opening them safely, knowing them by their content, finding them in folders."""

from visavis.pictures.picture import Attributes, AttributeValue, Details, Origin, Picture, content_id

__all__ = ["AttributeValue", "Attributes", "Details", "Origin", "Picture", "content_id"]
