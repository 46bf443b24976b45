"""Run every check of the installation, in the order in which it would fail."""

from __future__ import annotations

import platform
import time
from importlib import import_module, metadata
from pathlib import Path

from visavis.doctor.machine import check_home, check_memory, core_count, free_disk, memory_bytes
from visavis.doctor.packages import check_packages, lacking_for_extras, package_versions
from visavis.doctor.report import DoctorReport, Finding, Severity
from visavis.home import home_folder
from visavis.version import __version__

_ENCODERS = "visavis.encoders.registry"
#: Pillow's name of a decoder, what it is for, and whether it is required.
_CODECS = (
    ("jpg", "JPEG pictures", False),
    ("zlib", "PNG pictures", False),
    ("webp", "WebP pictures and thumbnails", False),
    ("avif", "AVIF pictures", True),
    ("libtiff", "compressed TIFF pictures", True),
    ("littlecms2", "colour profiles", True),
)


def examine(home: Path | str | None = None) -> DoctorReport:
    """Check this installation and this machine; problems become findings, never exceptions."""
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
        findings = [Finding("visavis", Severity.BROKEN, "running without being installed", remedy)]
    findings = [*findings, *_check_codecs(), _check_encoder(), check_memory(), *check_home(place)]
    system = (platform.python_version(), platform.platform(), str(place))
    return DoctorReport(__version__, *system, packages, extras, facts, findings)


def _check_codecs() -> list[Finding]:
    """Check that Pillow was built with the decoders we need."""
    try:
        from PIL import features
    except ImportError:
        return []  # reported with the packages
    missing = [(words, optional) for name, words, optional in _CODECS if not features.check(name)]
    if not missing:
        return [Finding("pictures", Severity.FINE, "every decoder is there")]
    remedy = "Install a complete Pillow with: pip install --force-reinstall pillow"
    return [
        Finding("pictures", Severity.WARNING if optional else Severity.BROKEN, f"no decoder for {words}", remedy)
        for words, optional in missing
    ]


def _check_encoder() -> Finding:
    """Check that the built-in encoder loads and gives unit vectors."""
    start = time.perf_counter()
    try:
        encoder = import_module(_ENCODERS).load_encoder("builtin")
        vectors = encoder.encode_texts(["a red dress"])
        ready = time.perf_counter() - start
        damaged = encoder.damage()
    except ModuleNotFoundError as error:
        if error.name == _ENCODERS:
            remedy = "Install visavis anew with: pip install --force-reinstall visavis"
            return Finding("encoder", Severity.WARNING, "this installation has none", remedy)
        return _broken_encoder(error)
    except Exception as error:  # a damaged model or runtime may raise anything
        return _broken_encoder(error)
    if vectors.shape != (1, encoder.dimension) or abs(float((vectors**2).sum()) - 1) > 0.01:
        return _broken_encoder(ValueError("its vectors are wrong"))
    if damaged:
        return _broken_encoder(ValueError(f"not what was shipped: {', '.join(damaged)}"))
    detail = f"{encoder.name}, {encoder.dimension} dimensions, ready in {ready:.2f} s"
    return Finding("encoder", Severity.FINE, detail)


def _broken_encoder(error: Exception) -> Finding:
    remedy = "Install visavis anew with: pip install --force-reinstall visavis"
    return Finding("encoder", Severity.BROKEN, f"it does not work ({error})", remedy)
