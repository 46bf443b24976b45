"""Several processes against one Qdrant and one PostgreSQL: any of them can go on with any conversation."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading

import httpx
import pytest
from drawing import draw
from processes import environment
from qdrant_stub import StubServer
from serving import PATIENCE_SECONDS, read_events, say, start_talk

_PROGRAM = """
import sys
sys.path.insert(0, {support!r})
from tiny_encoder import TinyEncoder
from visavis.collections import collection
collection._load_encoder = lambda _: TinyEncoder()
"""


@pytest.fixture
def site(tmp_path):
    """A folder on the path whose `sitecustomize` gives every process, workers too, the tiny encoder."""
    support = environment(tmp_path)["PYTHONPATH"]
    (tmp_path / "site").mkdir()
    (tmp_path / "site" / "sitecustomize.py").write_text(_PROGRAM.format(support=support))
    return tmp_path / "site"


def test_two_workers_share_everything(tmp_path, site, postgres):
    for name in ("red", "green", "blue", "yellow"):
        draw(tmp_path / "pictures" / f"{name}.png", name)
    qdrant = StubServer()
    home = tmp_path / "home"
    more = {
        "VISAVIS_HOME": str(home),
        "VISAVIS_STORE": f"qdrant://127.0.0.1:{qdrant.port}",
        "VISAVIS_CATALOGUE": postgres,
        "VISAVIS_SERVER_DATABASE": postgres,
        "PYTHONPATH": str(site),
    }
    command = [sys.executable, "-c", "from visavis.cli import main; main()", "serve", "--workers", "2"]
    process = subprocess.Popen(
        [*command, "--port", "0", "--no-open"],
        env={**os.environ, **more},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    log: list[str] = []
    threading.Thread(target=lambda: log.extend(process.stderr), daemon=True).start()
    try:
        url = process.stdout.readline().strip().rstrip("/")
        assert url.startswith("http://127.0.0.1:"), log
        transport = httpx.HTTPTransport(retries=20)  # until the workers are there

        def client():
            return httpx.Client(base_url=f"{url}/api/v1", timeout=PATIENCE_SECONDS, transport=transport)

        asked = client()
        job = asked.post("/collections", json={"name": "shared", "folder": str(tmp_path / "pictures")}).json()["job"]
        with asked.stream("GET", f"/jobs/{job}/events") as answer:
            assert list(read_events(answer.iter_lines()))[-1][0] == "done"
        talk = start_talk(asked, "shared")
        numbers = []
        for word in ("red", "green", "blue", "yellow", "red", "blue", "green", "red"):
            with httpx.Client(
                base_url=f"{url}/api/v1", timeout=PATIENCE_SECONDS
            ) as fresh:  # each on a connection of its own
                numbers.append(say(fresh, talk, word)["number"])
        assert numbers == [1, 2, 3, 4, 5, 6, 7, 8]
        assert len(asked.get(f"/conversations/{talk}").json()["turns"]) == 8
    finally:
        process.send_signal(signal.SIGTERM)
        process.wait(timeout=PATIENCE_SECONDS)
        qdrant.close()
    assert not any("Traceback" in line for line in log), log
