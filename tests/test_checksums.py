"""Damaged weights of an installed package are told when they are loaded, whatever loads them."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Callable
from importlib.metadata import PathDistribution
from pathlib import Path

import pytest

from visavis import checksums
from visavis.checksums import check_installed
from visavis.encoders.tokens import read_word_table
from visavis.encoders.tower import open_model
from visavis.errors import StorageError
from visavis.language.network import Network
from visavis.search.learned.weights_file import read_weights_file

Install = Callable[[str, bytes], Path]


@pytest.fixture
def install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Install:
    """Write a file as an installer does: with its checksum in RECORD."""
    noted = tmp_path / "visavis-1.0.dist-info"
    noted.mkdir()
    (noted / "METADATA").write_text("Metadata-Version: 2.1\nName: visavis\nVersion: 1.0\n")
    monkeypatch.setattr(checksums, "distribution", lambda _: PathDistribution(noted))

    def install(name: str, content: bytes) -> Path:
        checksums._installed.cache_clear()
        path = tmp_path / "visavis" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
        digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
        with (noted / "RECORD").open("a") as record:
            record.write(f"visavis/{name},sha256={digest},{len(content)}\n")
        return path

    yield install
    checksums._installed.cache_clear()


def damaged(path: Path) -> Path:
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    path.unlink()
    path.write_bytes(content)
    return path


def test_a_flipped_bit_is_told_with_the_way_to_repair(install: Install):
    path = install("weights/encoder.onnx", bytes(1000))
    check_installed(path)
    with pytest.raises(StorageError, match=r"encoder\.onnx is damaged") as caught:
        check_installed(damaged(path))
    assert "--force-reinstall" in caught.value.remedy


def test_files_that_nobody_installed_are_not_checked(install: Install, tmp_path: Path):
    install("weights/encoder.onnx", bytes(1000))
    trained = tmp_path / "trained.onnx"
    trained.write_bytes(bytes(10))
    check_installed(trained)


@pytest.mark.parametrize(
    ("name", "load"),
    [
        ("model.onnx", open_model),
        ("words.npy", read_word_table),
        ("network.json", lambda path: Network(path.parent)),
        ("arrays.npz", lambda path: Network(path.parent)),
        ("chatir.json", read_weights_file),
    ],
)
def test_all_that_loads_weights_checks_them(install: Install, name: str, load: Callable[[Path], object]):
    path = damaged(install(name, bytes(1000)))
    with pytest.raises(StorageError, match="is damaged: it is not what was installed"):
        load(path)
