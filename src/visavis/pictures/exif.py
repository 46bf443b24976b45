"""Read EXIF tags: orientation, time, place, camera and how it was set."""

from __future__ import annotations

import math
from collections.abc import Mapping
from contextlib import suppress
from datetime import datetime
from typing import Any

from PIL import Image
from PIL.ExifTags import GPS, IFD, Base

from visavis.pictures.picture import AttributeValue

_TURNS = {
    2: Image.Transpose.FLIP_LEFT_RIGHT,
    3: Image.Transpose.ROTATE_180,
    4: Image.Transpose.FLIP_TOP_BOTTOM,
    5: Image.Transpose.TRANSPOSE,
    6: Image.Transpose.ROTATE_270,
    7: Image.Transpose.TRANSVERSE,
    8: Image.Transpose.ROTATE_90,
}
#: Tags by preference: exposure, digitisation, file change; each with its time zone.
_MOMENTS = (
    (Base.DateTimeOriginal, Base.OffsetTimeOriginal),
    (Base.DateTimeDigitized, Base.OffsetTimeDigitized),
    (Base.DateTime, Base.OffsetTime),
)


#: Letters of a detail; a damaged tag may hold thousands.
_LONGEST_DETAIL = 120


def read_exif(image: Image.Image) -> Image.Exif:
    """Return the tags of a decoded picture; damaged tags read as none, since the pixels may be fine."""
    try:
        return image.getexif()
    except Exception:  # a parser may raise anything on damaged bytes
        return Image.Exif()


def transposition_of(exif: Image.Exif) -> Image.Transpose | None:
    """Return the transposition that makes the stored pixels upright, or None where they are."""
    orientation = exif.get(Base.Orientation, 1)
    return _TURNS.get(orientation) if isinstance(orientation, int) else None


def swaps_sides(transposition: Image.Transpose | None) -> bool:
    """Return whether a transposition swaps width and height."""
    return transposition in {
        Image.Transpose.TRANSPOSE,
        Image.Transpose.TRANSVERSE,
        Image.Transpose.ROTATE_90,
        Image.Transpose.ROTATE_270,
    }


def exif_attributes(exif: Image.Exif) -> dict[str, AttributeValue]:
    """Return ``taken`` (ISO 8601), ``year``, ``latitude``, ``longitude`` and ``camera``, where tagged."""
    attributes: dict[str, AttributeValue] = {}
    tags = {**dict(exif), **_directory(exif, IFD.Exif)}
    if taken := _taken(tags):
        attributes["taken"] = taken.isoformat()
        attributes["year"] = taken.year
    if place := _place(_directory(exif, IFD.GPSInfo)):
        attributes["latitude"], attributes["longitude"] = place
    if camera := _camera(tags):
        attributes["camera"] = camera
    return attributes


def shot_details(exif: Image.Exif) -> dict[str, str]:
    """Return how a picture was taken, in words: lens, focal length, aperture, exposure, sensitivity, flash."""
    tags = {**dict(exif), **_directory(exif, IFD.Exif)}
    exposure, aperture = _number(tags.get(Base.ExposureTime)), _number(tags.get(Base.FNumber))
    focal, sensitivity = _number(tags.get(Base.FocalLength)), _number(tags.get(Base.ISOSpeedRatings))
    flash = tags.get(Base.Flash)
    told = {
        "lens": _text(tags.get(Base.LensModel)),
        "focal length": f"{focal:g} mm" if focal else "",
        "aperture": f"f/{aperture:g}" if aperture else "",
        "exposure": _exposure(exposure) if exposure else "",
        "sensitivity": f"ISO {sensitivity:g}" if sensitivity else "",
        "flash": ("fired" if flash & 1 else "") if isinstance(flash, int) else "",
        "software": _text(tags.get(Base.Software)),
    }
    return {name: value[:_LONGEST_DETAIL] for name, value in told.items() if value}


def _exposure(seconds: float) -> str:
    return f"{seconds:g} s" if seconds >= 0.5 else f"1/{round(1 / seconds)} s"


def _number(value: Any) -> float | None:
    """A tag's number where it is a sensible one; lists tell their first."""
    try:
        number = float(value[0] if isinstance(value, tuple) else value)
    except (TypeError, ValueError, ZeroDivisionError, IndexError):
        return None
    return round(number, 6) if math.isfinite(number) and 1e-6 < number < 1e7 else None


def _directory(exif: Image.Exif, which: IFD) -> dict[int, Any]:
    try:
        return dict(exif.get_ifd(which))
    except Exception:  # as above
        return {}


def _taken(tags: Mapping[int, Any]) -> datetime | None:
    for moment, offset in _MOMENTS:
        text = _text(tags.get(moment))[:19].replace("-", ":").replace("T", " ")
        with suppress(ValueError):
            taken = datetime.strptime(text, "%Y:%m:%d %H:%M:%S")
            return _in_zone(taken, _text(tags.get(offset)))
    return None


def _in_zone(moment: datetime, offset: str) -> datetime:
    with suppress(ValueError):
        return moment.replace(tzinfo=datetime.strptime(offset, "%z").tzinfo)
    return moment


def _place(tags: Mapping[int, Any]) -> tuple[float, float] | None:
    latitude = _degrees(tags.get(GPS.GPSLatitude), _text(tags.get(GPS.GPSLatitudeRef)), "S", 90)
    longitude = _degrees(tags.get(GPS.GPSLongitude), _text(tags.get(GPS.GPSLongitudeRef)), "W", 180)
    # Phones without a GPS fix write zeros; a real picture at 0 N 0 E, in the sea, is far less likely.
    if latitude is None or longitude is None or (latitude == 0 and longitude == 0):
        return None
    return latitude, longitude


def _degrees(parts: Any, reference: str, negative: str, bound: float) -> float | None:
    if not isinstance(parts, tuple) or not parts:
        return None
    try:
        degrees, minutes, seconds = (float(part) for part in (*parts, 0, 0)[:3])
    except (TypeError, ValueError, ZeroDivisionError):
        return None
    value = degrees + minutes / 60 + seconds / 3600
    if not (math.isfinite(value) and abs(value) <= bound):
        return None
    return round(-value if reference.upper().startswith(negative) else value, 6)


def _camera(tags: Mapping[int, Any]) -> str:
    make, model = _text(tags.get(Base.Make)), _text(tags.get(Base.Model))
    return model if model.lower().startswith(make.lower()) else f"{make} {model}".strip()


def _text(value: Any) -> str:
    if isinstance(value, bytes):
        value = value.decode("utf-8", "replace")
    return value.replace("\0", "").strip() if isinstance(value, str) else ""
