"""The image, the compose file and the workflow fit the package: no container engine runs where the tests do."""

from __future__ import annotations

import json
import re
import tomllib
from pathlib import Path

import pytest
import typer.main
from lock_files import pinned
from packaging.requirements import Requirement

from visavis.cli.main import _register_all, app
from visavis.settings import Environment

yaml = pytest.importorskip("yaml")
ROOT = Path(__file__).resolve().parents[1]
DOCKERFILE = (ROOT / "Dockerfile").read_text()
COMPOSE = yaml.safe_load((ROOT / "compose.yaml").read_text())
WORKFLOW = yaml.safe_load((ROOT / ".github/workflows/ci.yml").read_text())
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]


def serve():
    _register_all()
    return typer.main.get_command(app).commands["serve"]


def test_what_the_image_copies_is_there():
    lines = [line.split() for line in DOCKERFILE.splitlines() if line.startswith("COPY")]
    named = [name for line in lines if "--from" not in line[1] for name in line[1:-1]]
    assert "src" in named
    assert [name for name in named if not (ROOT / name).exists()] == []


def test_the_image_starts_a_server_with_options_that_exist():
    (command,) = re.findall(r"^CMD (\[.*\])$", DOCKERFILE, re.MULTILINE)
    program, name, *options = json.loads(command)
    known = {option for parameter in serve().params for option in (*parameter.opts, *parameter.secondary_opts)}
    assert (program, name) == ("visavis", "serve")
    assert {option for option in options if option.startswith("--")} <= known
    assert "/api/v1/health" in DOCKERFILE


def test_the_image_has_what_its_store_and_its_catalogue_need():
    locked = pinned(ROOT / "requirements/image.lock")
    extras = PROJECT["optional-dependencies"]
    for line in (*PROJECT["dependencies"], *extras["postgres"], *extras["qdrant"]):
        asked = Requirement(line)
        entry = locked.get(asked.name.lower().replace("_", "-"))
        assert entry is not None, f"{asked.name} is not locked (make lock)"
        assert asked.specifier.contains(entry.split("==")[1].split()[0])


def test_the_image_runs_a_python_that_the_package_is_for():
    (version,) = set(re.findall(r"^FROM python:([\d.]+)-slim", DOCKERFILE, re.MULTILINE))
    assert f"Programming Language :: Python :: {version}" in PROJECT["classifiers"]


def test_the_compose_file_names_only_what_it_has():
    services, volumes = COMPOSE["services"], COMPOSE["volumes"]
    for service in services.values():
        assert set(service.get("depends_on", ())) <= set(services)
        named = [volume.partition(":")[0] for volume in service.get("volumes", ())]
        assert {name for name in named if re.fullmatch(r"\w+", name)} <= set(volumes)
    assert {name for name, service in services.items() if "cluster" in service.get("profiles", ())} == {
        "qdrant2",
        "qdrant3",
    }


def test_temporary_files_in_memory_have_a_limit():
    """Uploads are stored there, half a gigabyte each."""
    (folder,) = COMPOSE["services"]["visavis"]["tmpfs"]
    assert re.fullmatch(r"/tmp:size=\dg", folder)


def test_the_variables_of_the_compose_file_are_read():
    known = {str(parameter.envvar) for parameter in serve().params if parameter.envvar}
    known |= {f"VISAVIS_{name.upper()}" for name in Environment.model_fields}
    named = set(COMPOSE["services"]["visavis"]["environment"])
    assert named <= known, "nothing reads these"
    asked = set(re.findall(r"\$\{(\w+)", (ROOT / "compose.yaml").read_text()))
    offered = set(re.findall(r"^(\w+)=", (ROOT / "compose.env.example").read_text(), re.MULTILINE))
    assert asked == offered


def test_the_workflow_makes_targets_that_exist():
    targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))
    runs = [step["run"] for job in WORKFLOW["jobs"].values() for step in job["steps"] if "run" in step]
    made = {word for run in runs for word in re.findall(r"make ([a-z-]+)", run)}
    assert {"test", "wheel", "install"} <= made <= targets
    for folder in re.findall(r"(tests/\w+)", " ".join(runs)):
        assert (ROOT / folder).exists(), folder


def test_the_wheel_is_tried_with_every_python_that_it_is_for():
    tried = WORKFLOW["jobs"]["wheel"]["strategy"]["matrix"]["python"]
    assert [f"Programming Language :: Python :: {version}" for version in tried] == [
        line for line in PROJECT["classifiers"] if re.search(r"3\.\d+", line)
    ]


def test_the_workflow_tries_the_servers_that_are_deployed():
    deployed = {COMPOSE["services"][name]["image"] for name in ("qdrant", "qdrant2", "qdrant3", "postgres")}
    assert {service["image"] for service in WORKFLOW["jobs"]["servers"]["services"].values()} == deployed


def test_the_server_is_of_the_version_of_its_client():
    """Qdrant promises that a client works with servers that are one minor version apart, and no further."""
    client = pinned(ROOT / "requirements/image.lock")["qdrant-client"].split("==")[1].split(".")[:2]
    server = COMPOSE["services"]["qdrant"]["image"].partition(":v")[2].split(".")[:2]
    assert server[0] == client[0]
    assert abs(int(server[1]) - int(client[1])) <= 1
