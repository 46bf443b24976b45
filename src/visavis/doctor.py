"""Every check of the installation and the machine, in the order in which it would fail."""

from __future__ import annotations

import math
import os
import platform
import shutil
import tempfile
import time
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from enum import StrEnum
from importlib import import_module, metadata
from pathlib import Path
from typing import Any

from packaging.requirements import Requirement

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


class Severity(StrEnum):
    """How bad a finding is: with a broken one, visavis does not work."""

    FINE = "fine"
    WARNING = "warning"
    BROKEN = "broken"


@dataclass(frozen=True)
class Finding:
    """The result of one check: its subject, its state, and what to do where it is not fine."""

    topic: str
    health: Severity
    detail: str
    remedy: str = ""


@dataclass(frozen=True)
class DoctorReport:
    """The facts and findings of an examination.

    Attributes:
        version: The version of visavis.
        python: The interpreter's version.
        platform: The system.
        home: The home folder.
        packages: The required packages and their installed versions (None: not installed).
        extras: The extras, and the missing packages of each.
        machine: Cores, and bytes of memory and of free disk at home, as far as the system reports them.
        findings: In the order of the checks.
    """

    version: str
    python: str
    platform: str
    home: str
    packages: Mapping[str, str | None]
    extras: Mapping[str, list[str]]
    machine: Mapping[str, int | None]
    findings: list[Finding] = field(default_factory=list)

    @property
    def healthy(self) -> bool:
        """Whether visavis works here."""
        return all(finding.health is not Severity.BROKEN for finding in self.findings)

    def as_json(self) -> dict[str, Any]:
        """Return the report as plain values."""
        extras = {name: {"available": not missing, "missing": missing} for name, missing in self.extras.items()}
        return {"healthy": self.healthy, **asdict(self), "extras": extras}


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


_MEMORY_FILE = Path("/proc/meminfo")
_CONTAINER = Path("/sys/fs/cgroup")
#: Free space below which indexing fails, and below which it may soon.
_NO_SPACE = 100 * 10**6
_LITTLE_SPACE = 2 * 10**9
_LITTLE_MEMORY = 10**9


def core_count() -> int:
    """Return the number of cores this process may use (fewer than the machine's in a container)."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    quota, _, period = _container_value("cpu.max").partition(" ")
    return min(cores, max(1, math.ceil(int(quota) / int(period)))) if quota.isdigit() and period.isdigit() else cores


def memory_bytes() -> tuple[int | None, int | None]:
    """Return the total and the available memory, None where the system does not report it."""
    total, free = _linux_memory() or _posix_memory() or (None, None)
    limit = _container_value("memory.max")
    if limit.isdigit() and (total is None or int(limit) < total):
        used = _container_value("memory.current")
        return int(limit), max(0, int(limit) - int(used)) if used.isdigit() else None
    return total, free


def check_memory() -> Finding:
    """Check that there is enough memory for an encoder and a collection."""
    _, free = memory_bytes()
    if free is None or free >= _LITTLE_MEMORY:
        return Finding(
            "memory", Severity.FINE, "not told by the system" if free is None else f"{free / 1e9:.1f} GB free"
        )
    detail = f"only {free / 1e6:.0f} MB free"
    return Finding("memory", Severity.WARNING, detail, "Close other programs before indexing many pictures.")


def free_disk(home: Path) -> int | None:
    """Return the free bytes on the disk of the home."""
    try:
        return shutil.disk_usage(_nearest(home)).free
    except OSError:
        return None


def check_home(home: Path) -> list[Finding]:
    """Check that the home is writable, and how much space is left."""
    place = _nearest(home)
    choose = "Choose another with --home or VISAVIS_HOME."
    try:
        with tempfile.TemporaryFile(dir=place):
            pass
    except OSError as error:
        detail = f"{home} cannot be written ({(error.strerror or str(error)).lower()})"
        return [Finding("home", Severity.BROKEN, detail, choose)]
    state = "writable" if place == home else "writable, not made yet"
    return [Finding("home", Severity.FINE, f"{home} ({state})"), _check_space(free_disk(home), choose)]


def _nearest(home: Path) -> Path:
    """Return the home, or its nearest existing parent."""
    return next((folder for folder in (home, *home.parents) if folder.exists()), home)


def _check_space(free: int | None, choose: str) -> Finding:
    if free is None:
        return Finding("disk", Severity.FINE, "not told by the system")
    detail = f"{free / 1e9:.1f} GB free"
    if free >= _LITTLE_SPACE:
        return Finding("disk", Severity.FINE, detail)
    health = Severity.BROKEN if free < _NO_SPACE else Severity.WARNING
    return Finding("disk", health, f"only {detail}", f"Make room: a thousand pictures take about 40 MB. {choose}")


def _container_value(name: str) -> str:
    try:
        return (_CONTAINER / name).read_text().strip()
    except OSError:
        return ""


def _linux_memory() -> tuple[int, int] | None:
    try:
        lines = dict(line.split(":", 1) for line in _MEMORY_FILE.read_text().splitlines() if ":" in line)
        total, free = (int(lines[name].split()[0]) * 1024 for name in ("MemTotal", "MemAvailable"))
    except (OSError, KeyError, ValueError, IndexError):
        return None
    return total, free


def _posix_memory() -> tuple[int, None] | None:
    try:
        return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE"), None
    except (AttributeError, ValueError, OSError):
        return None


#: The required packages, by their import name.
ESSENTIAL = {
    "numpy": "numpy",
    "pillow": "PIL",
    "onnxruntime": "onnxruntime",
    "tokenizers": "tokenizers",
    "qdrant-edge-py": "qdrant_edge",
    "sqlalchemy": "sqlalchemy",
}


def requirements(extra: str = "") -> list[Requirement]:
    """Return the requirements on this system: the base ones, or those of an extra."""
    asked = [Requirement(text) for text in metadata.requires("visavis") or []]
    always = [one for one in asked if one.marker is None or one.marker.evaluate({"extra": ""})]
    if not extra:
        return always
    return [one for one in asked if one not in always and one.marker and one.marker.evaluate({"extra": extra})]


def installed_version(name: str) -> str | None:
    """Return the version of a package that is installed, or None."""
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return None


def package_versions() -> dict[str, str | None]:
    """Return the installed version of every required package."""
    return {one.name: installed_version(one.name) for one in requirements()}


def lacking_for_extras() -> dict[str, list[str]]:
    """Return the missing packages of every extra; those of a nested extra are listed there only."""
    extras = metadata.metadata("visavis").get_all("Provides-Extra") or []
    return {
        extra: [str(one).split(";")[0].strip() for one in requirements(extra) if one.name != "visavis" and _lacks(one)]
        for extra in sorted(extras)
    }


def check_packages() -> list[Finding]:
    """Check that the required packages are installed, recent enough, and importable."""
    findings = []
    for one in requirements():
        version = installed_version(one.name)
        remedy = f"Install it with: pip install '{one.name}{one.specifier}'"
        if version is None:
            findings.append(Finding(one.name, Severity.BROKEN, "not installed", remedy))
        elif not one.specifier.contains(version, prereleases=True):
            detail = f"version {version}, but {one.specifier} is needed"
            findings.append(Finding(one.name, Severity.BROKEN, detail, remedy))
    return findings + [finding for name, module in ESSENTIAL.items() if (finding := _check_start(name, module))]


def _lacks(requirement: Requirement) -> bool:
    version = installed_version(requirement.name)
    return version is None or not requirement.specifier.contains(version, prereleases=True)


def _check_start(name: str, module: str) -> Finding | None:
    """Import a package: it can be installed and still fail to load, because a system library is missing."""
    try:
        import_module(module)
    except Exception as error:  # a broken package may raise anything
        remedy = f"Install it anew with: pip install --force-reinstall {name}"
        return Finding(name, Severity.BROKEN, f"it does not start ({error})", remedy)
    return None
