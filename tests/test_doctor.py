"""The doctor finds what is broken, gives the remedy, and never fails itself."""

from __future__ import annotations

import shutil
import sys
from importlib import metadata
from pathlib import Path
from types import ModuleType, SimpleNamespace

import numpy as np
import pytest

from visavis import doctor
from visavis.doctor import DoctorReport, Severity, examine


def finding(report: DoctorReport, topic: str):
    return next(one for one in report.findings if one.topic == topic)


@pytest.fixture
def encoder(monkeypatch) -> SimpleNamespace:
    """A registry whose built-in encoder is this one."""
    one = np.eye(4, dtype=np.float32)[:1]
    made = SimpleNamespace(name="test", dimension=4, encode_texts=lambda texts: one, damage=list)
    registry = ModuleType("visavis.encoders.registry")
    registry.load_encoder = lambda name: made
    monkeypatch.setitem(sys.modules, "visavis.encoders.registry", registry)
    return made


def test_a_whole_installation_is_healthy(encoder, tmp_path: Path) -> None:
    report = examine(tmp_path)
    assert report.healthy
    assert report.packages["pillow"] == metadata.version("pillow")
    assert report.extras["dev"] == []
    assert report.machine["cores"] >= 1
    assert report.home == str(tmp_path)
    assert "test, 4 dimensions" in finding(report, "encoder").detail
    assert all(one.remedy for one in report.findings if one.health is not Severity.FINE)


def test_a_home_that_is_not_made_yet_stays_unmade(encoder, tmp_path: Path) -> None:
    report = examine(tmp_path / "not" / "yet")
    assert "not made yet" in finding(report, "home").detail
    assert list(tmp_path.iterdir()) == []


def test_a_home_that_cannot_be_written_is_broken(encoder, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    report = examine(tmp_path / "file" / "home")
    assert not report.healthy
    assert "VISAVIS_HOME" in finding(report, "home").remedy


def test_missing_and_outdated_packages_are_broken(encoder, tmp_path: Path, monkeypatch) -> None:
    true_version = metadata.version
    odd = {"rich": "1.0"}

    def version(name: str) -> str:
        if name == "typer":
            raise metadata.PackageNotFoundError(name)
        return odd.get(name) or true_version(name)

    monkeypatch.setattr(metadata, "version", version)
    report = examine(tmp_path)
    assert not report.healthy
    assert report.packages["typer"] is None
    assert finding(report, "typer").detail == "not installed"
    assert "pip install 'typer" in finding(report, "typer").remedy
    assert "1.0" in finding(report, "rich").detail


def test_a_package_that_does_not_start_is_broken(encoder, tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setitem(sys.modules, "tokenizers", None)
    report = examine(tmp_path)
    assert not report.healthy
    assert "does not start" in finding(report, "tokenizers").detail


def test_running_without_being_installed(encoder, tmp_path: Path, monkeypatch) -> None:
    def missing(name: str) -> list[str]:
        raise metadata.PackageNotFoundError(name)

    monkeypatch.setattr(metadata, "requires", missing)
    assert finding(examine(tmp_path), "visavis").health is Severity.BROKEN


def test_extras_that_lack_something_are_no_illness(encoder, tmp_path: Path, monkeypatch) -> None:
    true_version = metadata.version

    def version(name: str) -> str:
        if name == "pillow-heif":
            raise metadata.PackageNotFoundError(name)
        return true_version(name)

    monkeypatch.setattr(metadata, "version", version)
    report = examine(tmp_path)
    assert report.healthy
    assert report.extras["heic"] == ["pillow-heif>=1.0"]
    assert report.as_json()["extras"]["heic"] == {"available": False, "missing": ["pillow-heif>=1.0"]}


@pytest.mark.parametrize(("codec", "health"), [("webp", Severity.BROKEN), ("avif", Severity.WARNING)])
def test_a_pillow_without_a_decoder(codec: str, health: Severity, encoder, tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setattr("PIL.features.check", lambda name: name != codec)
    assert finding(examine(tmp_path), "pictures").health is health


def test_an_encoder_that_is_absent_damaged_or_wrong(encoder, tmp_path: Path, monkeypatch) -> None:
    encoder.encode_texts = lambda texts: np.ones((1, 4), np.float32)
    assert finding(examine(tmp_path), "encoder").health is Severity.BROKEN

    def damaged(texts: list[str]) -> None:
        raise RuntimeError("the model file is damaged")

    encoder.encode_texts = damaged
    assert "damaged" in finding(examine(tmp_path), "encoder").detail
    monkeypatch.setattr(doctor, "_ENCODERS", "visavis.no_such_module")
    assert finding(examine(tmp_path), "encoder").health is Severity.WARNING


def test_own_requirements_are_read_from_the_installation() -> None:
    names = {one.name for one in doctor.requirements()}
    assert {"numpy", "pillow", "typer"} <= names
    assert "torch" not in names
    assert [one.name for one in doctor.requirements("heic")] == ["pillow-heif"]


def test_altered_weights_are_broken(encoder, tmp_path: Path) -> None:
    encoder.damage = lambda: ["image.onnx"]
    report = examine(tmp_path)
    assert not report.healthy
    assert "not what was shipped: image.onnx" in finding(report, "encoder").detail


@pytest.fixture
def container(tmp_path: Path, monkeypatch) -> Path:
    monkeypatch.setattr(doctor, "_CONTAINER", tmp_path)
    return tmp_path


def test_a_container_limits_the_cores(container: Path, monkeypatch) -> None:
    monkeypatch.setattr("os.sched_getaffinity", lambda process: set(range(8)), raising=False)
    assert doctor.core_count() == 8
    for text, cores in {"150000 100000": 2, "max 100000": 8, "10000 100000": 1, "9900000 100000": 8, "odd": 8}.items():
        (container / "cpu.max").write_text(text + "\n")
        assert doctor.core_count() == cores


def test_a_container_limits_the_memory(container: Path, monkeypatch) -> None:
    file = container / "meminfo"
    file.write_text("MemTotal:       1000000 kB\nMemFree: 1 kB\nMemAvailable:    600000 kB\n")
    monkeypatch.setattr(doctor, "_MEMORY_FILE", file)
    assert doctor.memory_bytes() == (1_024_000_000, 614_400_000)
    (container / "memory.max").write_text("500000000\n")
    assert doctor.memory_bytes() == (500_000_000, None)
    (container / "memory.current").write_text("100000000\n")
    assert doctor.memory_bytes() == (500_000_000, 400_000_000)
    assert doctor.check_memory().health is Severity.WARNING
    (container / "memory.max").write_text("max\n")
    assert doctor.memory_bytes()[0] == 1_024_000_000


def test_a_system_that_tells_nothing(container: Path, monkeypatch) -> None:
    monkeypatch.setattr(doctor, "_MEMORY_FILE", container / "nowhere")
    monkeypatch.setattr(doctor, "_posix_memory", lambda: None)
    assert doctor.memory_bytes() == (None, None)
    assert doctor.check_memory().health is Severity.FINE


@pytest.mark.parametrize(
    ("free", "health"), [(50 * 10**6, Severity.BROKEN), (10**9, Severity.WARNING), (10**10, Severity.FINE)]
)
def test_a_full_disk(free: int, health: Severity, tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setattr(shutil, "disk_usage", lambda place: SimpleNamespace(free=free))
    found = doctor.check_home(tmp_path / "home")[1]
    assert (found.topic, found.health) == ("disk", health)
