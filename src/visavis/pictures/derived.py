"""Attributes that follow from others: the day from a file's name, names of places from coordinates."""

from __future__ import annotations

import re
from collections.abc import Iterable
from datetime import UTC, date, datetime
from pathlib import PurePath
from typing import Any

from visavis.pictures.gazetteer import gazetteer, is_available
from visavis.pictures.picture import AttributeValue, Details

#: A date with separators, or eight digits in a row; then maybe a time.
_DATE = re.compile(
    r"(?<!\d)(?P<year>19[89]\d|20\d\d)(?P<gap>[-_.]?)(?P<month>0[1-9]|1[0-2])(?P=gap)(?P<day>0[1-9]|[12]\d|3[01])"
    r"(?:[ _T-]{0,3}(?:at )?(?P<hour>[01]\d|2[0-3])(?P<mark>[-_.:h]?)(?P<minute>[0-5]\d)(?P=mark)(?P<second>[0-5]\d)"
    r"(?:\d{3})?)?(?!\d)"
)
#: Milliseconds since 1970, as messengers name what they download: FB_IMG_1562254212345.
_MILLISECONDS = re.compile(r"(?<!\d)(1[0-9]{12})(?!\d)")
#: Letters before eight digits that name a picture by its day, not by an article's number.
_CAMERA = re.compile(r"^(?:img|vid|pxl|mvimg|dsc|pano|burst|screenshot|photo|signal|wp|cimg|p)[-_ ]?$", re.IGNORECASE)
#: What WhatsApp writes behind the day: its number among the day's pictures.
_WHATSAPP = re.compile(r"^-WA\d+")
#: Raised when more, or other, attributes are derived.
_VERSION = 1


def date_in_name(path: str) -> str | None:
    """The day, or the day and the time, in a file's name, as ISO 8601; None where there is none.

    Eight digits alone may be an article number, so that they need a camera's letters before them, a time behind them,
    or separators.

    >>> date_in_name("IMG_20190704_153012.jpg"), date_in_name("IMG-20190704-WA0003.jpg")
    ('2019-07-04T15:30:12', '2019-07-04')
    >>> date_in_name("2019-07-04 15.30.12.png"), date_in_name("20190704.jpg")
    ('2019-07-04T15:30:12', None)
    """
    stem = PurePath(path.replace("\\", "/")).stem
    for found in _DATE.finditer(stem):
        named = _CAMERA.match(stem[: found.start()]) or _WHATSAPP.match(stem[found.end() :])
        told = found["gap"] or found["hour"] or named
        if told and (taken := _iso(found)) is not None:
            return taken
    if (stamp := _MILLISECONDS.search(stem)) is not None:
        return datetime.fromtimestamp(int(stamp[1]) / 1000, UTC).date().isoformat()
    return None


def _iso(found: re.Match[str]) -> str | None:
    try:
        day = date(int(found["year"]), int(found["month"]), int(found["day"]))
    except ValueError:
        return None
    if day.year > datetime.now(UTC).year + 1:
        return None
    if found["hour"] is None:
        return day.isoformat()
    return f"{day.isoformat()}T{found['hour']}:{found['minute']}:{found['second']}"


def with_derived(details: Details, names: Iterable[str]) -> Details:
    """Details with the attributes that follow from them; what is known already is never replaced.

    Args:
        details: What the file, its metadata and the files beside it tell.
        names: The paths or names of its files; the first that tells a day counts.
    """
    found: dict[str, AttributeValue] = {}
    known = details.attributes
    if "taken" not in known and (taken := next(filter(None, map(date_in_name, names)), None)):
        found["taken"] = taken
        if "year" not in known:
            found["year"] = int(taken[:4])
    latitude, longitude = known.get("latitude"), known.get("longitude")
    if isinstance(latitude, int | float) and isinstance(longitude, int | float) and "country" not in known:
        towns = gazetteer() if abs(latitude) <= 90 and abs(longitude) <= 180 else None
        place = towns.place(latitude, longitude) if towns is not None else None
        if place is not None:
            found["country"] = place.country
            if place.names and "place" not in known:
                found["place"] = list(place.names)
    return Details(details.captions, {**known, **found}) if found else details


def derivation() -> dict[str, Any]:
    """What is derived in this installation, to be compared with what a collection was made with."""
    return {"version": _VERSION, "places": is_available()}
