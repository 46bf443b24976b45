"""What is installed is locked by hash, and what ships needs no torch."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest
from lock_files import pinned
from packaging.requirements import Requirement

from visavis.stores.registry import POSTGRES_SCHEMES, QDRANT_SCHEMES, has_scheme

ROOT = Path(__file__).resolve().parents[1]
LOCKS = sorted((ROOT / "requirements").glob("*.lock"))


@pytest.mark.parametrize("lock", LOCKS, ids=lambda lock: lock.name)
def test_every_package_is_locked_by_version_and_hash(lock: Path):
    for name, entry in pinned(lock).items():
        assert re.match(r"[\w.-]+==[\w.]+", entry), f"{lock.name}: {name} has no exact version"
        assert re.search(r"--hash=sha256:[0-9a-f]{64}", entry), f"{lock.name}: {name} has no hash (make lock)"


@pytest.mark.parametrize("lock", LOCKS, ids=lambda lock: lock.name)
def test_torch_is_installed_apart(lock: Path):
    assert "torch" not in pinned(lock)


def test_the_locks_have_what_the_package_asks_for():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    locked = pinned(ROOT / "requirements" / "dev.lock")
    for line in [*project["dependencies"], *project["optional-dependencies"]["dev"]]:
        asked = Requirement(line)
        if asked.name == "visavis":
            continue
        entry = locked.get(asked.name.lower().replace("_", "-"))
        assert entry is not None, f"{asked.name} is not locked (make lock)"
        version = entry.split("==")[1].split()[0]
        assert asked.specifier.contains(version), f"{asked} is locked at {version} (make lock)"


def test_the_core_does_not_ask_for_torch():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    assert not [line for line in project["dependencies"] if Requirement(line).name.startswith("torch")]


@pytest.mark.parametrize("file", [".github/workflows/ci.yml", "compose.yaml"])
def test_the_addresses_of_servers_can_be_opened(file: str):
    """The workflow named Qdrant by http://, which no store takes: its congruence tests would all have failed."""
    text = (ROOT / file).read_text().replace("${POSTGRES_PASSWORD}", "secret")
    named = dict(
        re.findall(r"(VISAVIS_(?:TEST_QDRANT_URL|TEST_POSTGRES_URL|STORE|CATALOGUE|SERVER_DATABASE)): (\S+)", text)
    )
    assert len(named) >= 2
    for variable, address in named.items():
        kind = QDRANT_SCHEMES if variable in {"VISAVIS_TEST_QDRANT_URL", "VISAVIS_STORE"} else POSTGRES_SCHEMES
        assert has_scheme(address, kind), f"{file}: {variable} is {address}"
