"""Files are written whole or not at all."""

from __future__ import annotations

import base64
import hashlib
import os
import stat
from collections.abc import Callable
from importlib.metadata import PathDistribution
from pathlib import Path

import pytest

from visavis import files
from visavis.encoders.builtin import open_model
from visavis.encoders.inputs import read_word_table
from visavis.errors import StorageError
from visavis.files import check_installed, replace_bytes, replacing
from visavis.language.network import Network
from visavis.search.learned.base import read_weights_file

Install = Callable[[str, bytes], Path]


@pytest.mark.parametrize("durable", [False, True])
def test_a_file_is_replaced_and_nothing_else_stays(tmp_path: Path, durable: bool):
    path = tmp_path / "settings.json"
    replace_bytes(path, b"first", durable=durable)
    replace_bytes(path, b"second", durable=durable)
    assert path.read_bytes() == b"second"
    assert [file.name for file in tmp_path.iterdir()] == [path.name]


def test_the_old_file_stays_while_the_new_one_is_written_and_when_that_fails(tmp_path: Path):
    path = tmp_path / "settings.json"
    path.write_bytes(b"old")

    def write_half() -> None:
        with replacing(path) as file:
            file.write(b"half")
            file.flush()
            assert path.read_bytes() == b"old"
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        write_half()
    assert path.read_bytes() == b"old"
    assert [file.name for file in tmp_path.iterdir()] == [path.name]


def test_an_error_of_the_disk_names_the_file(tmp_path: Path):
    with pytest.raises(StorageError, match="cannot be written") as caught:
        replace_bytes(tmp_path / "missing" / "a.bin", b"")
    assert "a.bin" in caught.value.message
    replace_bytes(tmp_path / "missing" / "a.bin", b"x", parents=True)
    assert (tmp_path / "missing" / "a.bin").read_bytes() == b"x"


@pytest.mark.skipif(os.name == "nt", reason="permissions of POSIX")
def test_permissions_follow_the_umask_unless_they_are_private(tmp_path: Path):
    before = os.umask(0o022)
    try:
        replace_bytes(tmp_path / "public", b"")
        with replacing(tmp_path / "private", mode=0o600) as file:
            file.write(b"key")
    finally:
        os.umask(before)
    modes = [stat.S_IMODE((tmp_path / name).stat().st_mode) for name in ("public", "private")]
    assert modes == [0o644, 0o600]


def test_a_durable_file_is_flushed_before_it_gets_its_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    calls: list[str] = []
    sync, rename = os.fsync, Path.replace
    monkeypatch.setattr(os, "fsync", lambda handle: calls.append("fsync") or sync(handle))
    monkeypatch.setattr(Path, "replace", lambda self, target: calls.append("replace") or rename(self, target))
    replace_bytes(tmp_path / "a", b"x", durable=True)
    assert calls == ["fsync", "replace", "fsync"]


@pytest.fixture
def install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Install:
    """Write a file as an installer does: with its checksum in RECORD."""
    noted = tmp_path / "visavis-1.0.dist-info"
    noted.mkdir()
    (noted / "METADATA").write_text("Metadata-Version: 2.1\nName: visavis\nVersion: 1.0\n")
    monkeypatch.setattr(files, "distribution", lambda _: PathDistribution(noted))

    def install(name: str, content: bytes) -> Path:
        files._installed.cache_clear()
        path = tmp_path / "visavis" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
        digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
        with (noted / "RECORD").open("a") as record:
            record.write(f"visavis/{name},sha256={digest},{len(content)}\n")
        return path

    yield install
    files._installed.cache_clear()


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
    installed = install("weights/encoder.onnx", bytes(1000))
    trained = tmp_path / "encoder.onnx"
    trained.write_bytes(damaged(installed).read_bytes())
    check_installed(trained)
    with pytest.raises(StorageError):
        check_installed(installed)


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
