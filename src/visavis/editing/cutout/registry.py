"""The available cutters, and the default."""

from __future__ import annotations

from visavis.editing.cutout.base import Cutter
from visavis.editing.cutout.colour import ColourCutter
from visavis.editing.cutout.network import DEFAULT_MODEL, PREFIX, ModNetCutter, NetworkCutter, RembgCutter, U2NetpCutter
from visavis.errors import NotFoundError

#: Every cutter by name, except rembg's models; the first that works is the default.
CUTTERS: dict[str, type[Cutter]] = {
    cutter.name: cutter for cutter in (NetworkCutter, ColourCutter, U2NetpCutter, ModNetCutter)
}


def cutter(name: str | None = None) -> Cutter:
    """Return a cutter by name, or the default one.

    Raises:
        NotFoundError: There is no such cutter, or something has to be installed first.
        MissingExtraError: It is one of rembg's models, and rembg is not installed.
    """
    if name is None:
        return next(kind for kind in CUTTERS.values() if kind.missing() is None)()
    package, _, model = name.partition(":")
    if package == PREFIX:
        return RembgCutter(model or DEFAULT_MODEL)
    kind = CUTTERS.get(name)
    if kind is None:
        raise NotFoundError(f"There is no cutter '{name}'.", f"Use one of {', '.join(CUTTERS)}, or {PREFIX}:MODEL.")
    if (remedy := kind.missing()) is not None:
        raise NotFoundError(f"The cutter '{name}' cannot be used here.", remedy)
    return kind()
