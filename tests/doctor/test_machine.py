"""Cores, memory and disk, of a machine or a container."""

from __future__ import annotations

import shutil
from pathlib import Path
from types import SimpleNamespace

import pytest

from visavis.doctor import Severity, examination


@pytest.fixture
def container(tmp_path: Path, monkeypatch) -> Path:
    monkeypatch.setattr(examination, "_CONTAINER", tmp_path)
    return tmp_path


def test_a_container_limits_the_cores(container: Path, monkeypatch) -> None:
    monkeypatch.setattr("os.sched_getaffinity", lambda process: set(range(8)), raising=False)
    assert examination.core_count() == 8
    for text, cores in {"150000 100000": 2, "max 100000": 8, "10000 100000": 1, "9900000 100000": 8, "odd": 8}.items():
        (container / "cpu.max").write_text(text + "\n")
        assert examination.core_count() == cores


def test_a_container_limits_the_memory(container: Path, monkeypatch) -> None:
    file = container / "meminfo"
    file.write_text("MemTotal:       1000000 kB\nMemFree: 1 kB\nMemAvailable:    600000 kB\n")
    monkeypatch.setattr(examination, "_MEMORY_FILE", file)
    assert examination.memory_bytes() == (1_024_000_000, 614_400_000)
    (container / "memory.max").write_text("500000000\n")
    assert examination.memory_bytes() == (500_000_000, None)
    (container / "memory.current").write_text("100000000\n")
    assert examination.memory_bytes() == (500_000_000, 400_000_000)
    assert examination.check_memory().health is Severity.WARNING
    (container / "memory.max").write_text("max\n")
    assert examination.memory_bytes()[0] == 1_024_000_000


def test_a_system_that_tells_nothing(container: Path, monkeypatch) -> None:
    monkeypatch.setattr(examination, "_MEMORY_FILE", container / "nowhere")
    monkeypatch.setattr(examination, "_posix_memory", lambda: None)
    assert examination.memory_bytes() == (None, None)
    assert examination.check_memory().health is Severity.FINE


@pytest.mark.parametrize(
    ("free", "health"), [(50 * 10**6, Severity.BROKEN), (10**9, Severity.WARNING), (10**10, Severity.FINE)]
)
def test_a_full_disk(free: int, health: Severity, tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setattr(shutil, "disk_usage", lambda place: SimpleNamespace(free=free))
    found = examination.check_home(tmp_path / "home")[1]
    assert (found.topic, found.health) == ("disk", health)
