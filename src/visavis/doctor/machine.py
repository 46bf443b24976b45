"""Check the machine: cores, memory, and a writable home."""

from __future__ import annotations

import math
import os
import shutil
import tempfile
from pathlib import Path

from visavis.doctor.report import Finding, Severity

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
