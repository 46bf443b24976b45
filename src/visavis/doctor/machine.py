"""What the machine has: cores, memory, and a home that can be written."""

from __future__ import annotations

import math
import os
import shutil
import tempfile
from pathlib import Path

from visavis.doctor.report import Finding, Health

_MEMORY_FILE = Path("/proc/meminfo")
_CONTAINER = Path("/sys/fs/cgroup")
#: Free space below which indexing is sure to fail, and below which it may soon.
_NO_SPACE = 100 * 10**6
_LITTLE_SPACE = 2 * 10**9
_LITTLE_MEMORY = 10**9


def core_count() -> int:
    """The cores this process may use: not all of the machine's, in a container."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    quota, _, period = _container_value("cpu.max").partition(" ")
    return min(cores, max(1, math.ceil(int(quota) / int(period)))) if quota.isdigit() and period.isdigit() else cores


def memory_bytes() -> tuple[int | None, int | None]:
    """The memory there is and the memory that is free for us, as far as the system tells."""
    total, free = _linux_memory() or _posix_memory() or (None, None)
    limit = _container_value("memory.max")
    if limit.isdigit() and (total is None or int(limit) < total):
        used = _container_value("memory.current")
        return int(limit), max(0, int(limit) - int(used)) if used.isdigit() else None
    return total, free


def check_memory() -> Finding:
    """Whether there is room for an encoder and a collection."""
    _, free = memory_bytes()
    if free is None or free >= _LITTLE_MEMORY:
        return Finding("memory", Health.FINE, "not told by the system" if free is None else f"{free / 1e9:.1f} GB free")
    detail = f"only {free / 1e6:.0f} MB free"
    return Finding("memory", Health.WARNING, detail, "Close other programs before indexing many pictures.")


def free_disk(home: Path) -> int | None:
    """The bytes that are free where the home lies or would lie."""
    try:
        return shutil.disk_usage(_nearest(home)).free
    except OSError:
        return None


def check_home(home: Path) -> list[Finding]:
    """Whether the home can be written, and how much space is left there."""
    place = _nearest(home)
    choose = "Choose another with --home or VISAVIS_HOME."
    try:
        with tempfile.TemporaryFile(dir=place):
            pass
    except OSError as error:
        detail = f"{home} cannot be written ({(error.strerror or str(error)).lower()})"
        return [Finding("home", Health.BROKEN, detail, choose)]
    state = "writable" if place == home else "writable, not made yet"
    return [Finding("home", Health.FINE, f"{home} ({state})"), _check_space(free_disk(home), choose)]


def _nearest(home: Path) -> Path:
    """The home, or the folder in which it would be made."""
    return next((folder for folder in (home, *home.parents) if folder.exists()), home)


def _check_space(free: int | None, choose: str) -> Finding:
    if free is None:
        return Finding("disk", Health.FINE, "not told by the system")
    detail = f"{free / 1e9:.1f} GB free"
    if free >= _LITTLE_SPACE:
        return Finding("disk", Health.FINE, detail)
    health = Health.BROKEN if free < _NO_SPACE else Health.WARNING
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
