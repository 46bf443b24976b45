"""Attributes that follow from others: the day from a file's name, names of places from coordinates."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from visavis.pictures.file_dates import date_in_name
from visavis.pictures.gazetteer import gazetteer, is_available
from visavis.pictures.picture import AttributeValue, Details

#: Raised when more, or other, attributes are derived.
_VERSION = 1


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
