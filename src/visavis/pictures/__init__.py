"""Pictures from files: opening them safely, knowing them by their content, finding them in folders."""

from visavis.pictures.decoding import DEFAULT_LIMITS, Limits, OpenedPicture
from visavis.pictures.errors import PictureError, Reason
from visavis.pictures.formats import PICTURE_SUFFIXES
from visavis.pictures.metadata import FolderMetadata
from visavis.pictures.opening import open_picture, open_scaled
from visavis.pictures.picture import Attributes, AttributeValue, Details, Origin, Picture, content_id
from visavis.pictures.records import MetadataWarning
from visavis.pictures.thumbnails import make_thumbnail, save_thumbnail, thumbnail_path
from visavis.pictures.walking import walk

__all__ = [
    "DEFAULT_LIMITS",
    "PICTURE_SUFFIXES",
    "AttributeValue",
    "Attributes",
    "Details",
    "FolderMetadata",
    "Limits",
    "MetadataWarning",
    "OpenedPicture",
    "Origin",
    "Picture",
    "PictureError",
    "Reason",
    "content_id",
    "make_thumbnail",
    "open_picture",
    "open_scaled",
    "save_thumbnail",
    "thumbnail_path",
    "walk",
]
