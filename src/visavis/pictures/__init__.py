"""Read pictures: safe decoding, ids by content, metadata, and folder scans."""

from visavis.pictures.decoder import DEFAULT_LIMITS, DecodeLimits, OpenedPicture
from visavis.pictures.folders import walk
from visavis.pictures.formats import PICTURE_SUFFIXES
from visavis.pictures.metadata import FolderMetadata
from visavis.pictures.picture import (
    Attributes,
    AttributeValue,
    Details,
    FailureReason,
    Origin,
    Picture,
    PictureError,
    content_id,
)
from visavis.pictures.reader import open_picture, open_scaled
from visavis.pictures.records import MetadataWarning
from visavis.pictures.thumbnails import make_thumbnail, save_thumbnail, thumbnail_path

__all__ = [
    "DEFAULT_LIMITS",
    "PICTURE_SUFFIXES",
    "AttributeValue",
    "Attributes",
    "DecodeLimits",
    "Details",
    "FailureReason",
    "FolderMetadata",
    "MetadataWarning",
    "OpenedPicture",
    "Origin",
    "Picture",
    "PictureError",
    "content_id",
    "make_thumbnail",
    "open_picture",
    "open_scaled",
    "save_thumbnail",
    "thumbnail_path",
    "walk",
]
