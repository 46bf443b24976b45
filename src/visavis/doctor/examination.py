"""Look at everything visavis needs, in the order in which it would fail."""

from __future__ import annotations

import platform
import time
from importlib import import_module, metadata
from pathlib import Path

from visavis.doctor.machine import check_home, check_memory, core_count, free_disk, memory_bytes
from visavis.doctor.packages import check_packages, lacking_for_extras, package_versions
from visavis.doctor.report import Finding, Health, Report
from visavis.home import home_folder
from visavis.version import __version__

_ENCODERS = "visavis.encoders.registry"
#: Pillow's name of a decoder, what it is for, and whether visavis works without it.
_CODECS = (
    ("jpg", "JPEG pictures", False),
    ("zlib", "PNG pictures", False),
    ("webp", "WebP pictures and thumbnails", False),
    ("avif", "AVIF pictures", True),
    ("libtiff", "compressed TIFF pictures", True),
    ("littlecms2", "colour profiles", True),
)


def examine(home: Path | str | None = None) -> Report:
    """Examine this installation and this machine; finds what is wrong, and never fails itself."""
    memory, free = memory_bytes()
    place = home_folder(home)
    facts = {
        "cores": core_count(),
        "memory_bytes": memory,
        "memory_free_bytes": free,
        "disk_free_bytes": free_disk(place),
    }
    try:
        packages, extras = package_versions(), lacking_for_extras()
        findings = check_packages()
    except metadata.PackageNotFoundError:
        packages, extras = {}, {}
        remedy = "Install it with: pip install visavis"
        findings = [Finding("visavis", Health.BROKEN, "running without being installed", remedy)]
    findings = [*findings, *_check_codecs(), _check_encoder(), check_memory(), *check_home(place)]
    system = (platform.python_version(), platform.platform(), str(place))
    return Report(__version__, *system, packages, extras, facts, findings)


def _check_codecs() -> list[Finding]:
    """Whether Pillow was built with the decoders we count on."""
    try:
        from PIL import features
    except ImportError:
        return []  # told with the packages
    missing = [(words, optional) for name, words, optional in _CODECS if not features.check(name)]
    if not missing:
        return [Finding("pictures", Health.FINE, "every decoder is there")]
    remedy = "Install a complete Pillow with: pip install --force-reinstall pillow"
    return [
        Finding("pictures", Health.WARNING if optional else Health.BROKEN, f"no decoder for {words}", remedy)
        for words, optional in missing
    ]


def _check_encoder() -> Finding:
    """Whether the built-in encoder loads and turns words into vectors of length one."""
    start = time.perf_counter()
    try:
        encoder = import_module(_ENCODERS).load_encoder("builtin")
        vectors = encoder.encode_texts(["a red dress"])
        ready = time.perf_counter() - start
        damaged = encoder.damage()
    except ModuleNotFoundError as error:
        if error.name == _ENCODERS:
            remedy = "Install visavis anew with: pip install --force-reinstall visavis"
            return Finding("encoder", Health.WARNING, "this installation has none", remedy)
        return _broken_encoder(error)
    except Exception as error:  # whatever a damaged model or runtime raises
        return _broken_encoder(error)
    if vectors.shape != (1, encoder.dimension) or abs(float((vectors**2).sum()) - 1) > 0.01:
        return _broken_encoder(ValueError("its vectors are wrong"))
    if damaged:
        return _broken_encoder(ValueError(f"not what was shipped: {', '.join(damaged)}"))
    detail = f"{encoder.name}, {encoder.dimension} dimensions, ready in {ready:.2f} s"
    return Finding("encoder", Health.FINE, detail)


def _broken_encoder(error: Exception) -> Finding:
    remedy = "Install visavis anew with: pip install --force-reinstall visavis"
    return Finding("encoder", Health.BROKEN, f"it does not work ({error})", remedy)
