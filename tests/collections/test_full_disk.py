"""A full disk, a home that is not writable: a clear error, and no stored data is lost."""

from __future__ import annotations

import ctypes
import os
import resource
import subprocess
import sys
from pathlib import Path

import pytest
import tiny_visavis
from drawing import draw
from processes import environment, visavis, visavis_json
from tiny_encoder import COLOURS

DRIVER = Path(tiny_visavis.__file__)


def test_a_limit_on_the_size_of_files_is_told_and_loses_nothing(home: Path, pictures: Path, tmp_path: Path):
    visavis_json(home, "index", pictures, "-c", "photos")
    for number in range(300):
        draw(tmp_path / "more" / f"{number}.png", ((number * 37) % 256, number % 256, 7))

    def limit() -> None:  # what a full disk looks like to whoever writes
        resource.setrlimit(resource.RLIMIT_FSIZE, (150_000, resource.RLIM_INFINITY))

    command = [sys.executable, str(DRIVER), "index", str(tmp_path / "more"), "-c", "photos"]
    ended = subprocess.run(
        command, env=environment(home), capture_output=True, text=True, preexec_fn=limit, timeout=180, check=False
    )
    assert ended.returncode == 6, ended.stderr
    assert "Traceback" not in ended.stderr
    assert "error:" in ended.stderr
    found = visavis_json(home, "search", "red", "-c", "photos", "-k", 1)["results"]
    assert Path(found[0]["path"]).name == "red.png"
    report = visavis_json(home, "index", tmp_path / "more", "-c", "photos")
    assert report["pictures"] == len(COLOURS) + len({path.read_bytes() for path in (tmp_path / "more").iterdir()})
    assert visavis_json(home, "collection", "verify", "photos", "--repair")["sound"]


def bound_by_rights() -> None:
    """Root may write anything; without these two capabilities it may write what it has the right to."""
    if os.geteuid() == 0:
        drop, override, read_search = 24, 1, 2
        for capability in (override, read_search):
            if ctypes.CDLL(None).prctl(drop, capability, 0, 0, 0):
                raise OSError("the rights of root cannot be given up")


def run_bound(home: Path, *args: object) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, str(DRIVER), *map(str, args)]
    try:
        ended = subprocess.run(
            command,
            env=environment(home),
            capture_output=True,
            text=True,
            preexec_fn=bound_by_rights,
            timeout=180,
            check=False,
        )
    except (OSError, subprocess.SubprocessError) as error:
        pytest.skip(f"cannot give up the rights of root here: {error}")
    assert "Traceback" not in ended.stderr, ended.stderr
    return ended


@pytest.fixture
def read_only(home: Path, pictures: Path):
    visavis_json(home, "index", pictures, "-c", "photos")
    for path in (home, *home.rglob("*")):
        path.chmod(0o555 if path.is_dir() else 0o444)
    yield home
    for path in (home, *home.rglob("*")):
        path.chmod(0o755 if path.is_dir() else 0o644)


def test_a_read_only_home_is_told_when_indexing(read_only: Path, pictures: Path):
    ended = run_bound(read_only, "index", pictures, "-c", "photos")
    assert ended.returncode == 6, ended.stderr
    assert "cannot be written" in " ".join(ended.stderr.split())
    ended = run_bound(read_only, "index", pictures, "-c", "new")
    assert ended.returncode == 6, ended.stderr


def test_what_can_be_read_in_a_read_only_home_is_read(read_only: Path):
    ended = run_bound(read_only, "collections", "--json")
    assert '"pictures": 12' in ended.stdout, ended.stderr
    ended = run_bound(read_only, "search", "red", "-c", "photos", "--json")
    assert ended.returncode in (0, 6), ended.stderr


def test_a_home_that_is_a_file_is_told(tmp_path: Path, pictures: Path):
    (tmp_path / "file").write_text("")
    ended = visavis(tmp_path / "file", "index", pictures, "-c", "photos", ok=False)
    assert ended.returncode == 6
