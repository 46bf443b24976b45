"""The commands that start the server, as processes of their own."""

from __future__ import annotations

import json
import signal
import socket
from dataclasses import replace

import httpx
import pytest
import typer
from drawing import draw
from processes import start, visavis
from serving import PATIENCE_SECONDS, read_events
from typer.testing import CliRunner

from visavis.cli import serve as serve_command
from visavis.cli import user as user_command
from visavis.errors import BadInputError, BusyError
from visavis.server.database import ServerDatabase
from visavis.server.runner import check, free_address
from visavis.server.services.accounts import Users
from visavis.server.settings import ServerSettings


def first_line(process):
    line = process.stdout.readline().strip()
    assert line.startswith("http://127.0.0.1:"), (line, process.stderr.read())
    return line.rstrip("/")


def stop(process, number=signal.SIGTERM):
    process.send_signal(number)
    _, err = process.communicate(timeout=PATIENCE_SECONDS)
    assert "Traceback" not in err, err
    return err


def test_a_folder_is_served_and_shown_while_it_is_indexed(tmp_path):
    for name in ("red", "green", "blue"):
        draw(tmp_path / "My Pictures" / f"{name}.png", name)
    process = start(tmp_path / "home", "serve", tmp_path / "My Pictures", "--port", 0, "--no-open")
    try:
        url = first_line(process)
        with httpx.Client(base_url=f"{url}/api/v1", timeout=PATIENCE_SECONDS) as client:
            job = client.get("/jobs").json()["jobs"][0]["id"]
            with client.stream("GET", f"/jobs/{job}/events") as answer:
                last = list(read_events(answer.iter_lines()))[-1]
            assert last[0] == "done"
            assert client.get("/collections").json()["collections"][0]["name"] == "My-Pictures"
            talk = client.post("/conversations", json={"collection": "My-Pictures"}).json()["id"]
            turn = client.post(f"/conversations/{talk}/messages", json={"text": "red"}).json()
            assert len(turn["results"]) == 3
    finally:
        log = stop(process)
    assert any(json.loads(line).get("route") for line in log.splitlines() if line.startswith("{"))


def test_a_turn_in_flight_is_finished_when_the_server_is_told_to_stop(own_home):
    process = start(own_home, "serve", "--port", 0, "--no-open")
    url = first_line(process)
    host, port = url.removeprefix("http://").split(":")
    with httpx.Client(base_url=f"{url}/api/v1", timeout=PATIENCE_SECONDS) as client:
        talk = client.post("/conversations", json={"collection": "colours"}).json()["id"]
    body = json.dumps({"text": "red"})
    line = socket.create_connection((host, int(port)))
    line.sendall(
        f"POST /api/v1/conversations/{talk}/messages HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n"
        f"Accept: text/event-stream\r\nContent-Type: application/json\r\n"
        f"Content-Length: {len(body)}\r\n\r\n{body}".encode()
    )
    answer = line.recv(65536)  # it has come in, and the encoder is just being loaded
    process.send_signal(signal.SIGTERM)
    while more := line.recv(65536):
        answer += more
    stop(process)
    assert b" 200 " in answer.split(b"\r\n")[0]
    assert b"event: done" in answer


def test_an_endless_stream_does_not_hold_the_server(own_home, tmp_path):
    for number in range(200):
        draw(tmp_path / "many" / f"{number:03}.png", (number, 255 - number, number))
    process = start(own_home, "serve", tmp_path / "many", "--port", 0, "--no-open", TINY_DELAY="1")
    url = first_line(process)
    with httpx.Client(base_url=f"{url}/api/v1", timeout=PATIENCE_SECONDS) as client:
        job = client.get("/jobs").json()["jobs"][0]["id"]
        with client.stream("GET", f"/jobs/{job}/events") as answer:
            lines = answer.iter_lines()
            next(lines)
            process.send_signal(signal.SIGINT)
            list(lines)  # comes to an end
    _, err = process.communicate(timeout=PATIENCE_SECONDS)
    assert "graceful shutdown exceeded" not in err  # what uvicorn says when it had to cut a stream off


def test_what_would_not_be_safe_is_refused(own_home):
    refused = visavis(own_home, "serve", "--host", "0.0.0.0", "--no-open", ok=False)
    assert refused.returncode == 2
    assert "visavis user add" in refused.stderr
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        busy = visavis(own_home, "serve", "--port", taken.getsockname()[1], "--no-open", ok=False)
    assert busy.returncode == 5
    assert "--port 0" in busy.stderr


def test_wrong_orders_are_refused_before_anything_starts(own_home):
    def serve(*args):
        return run(serve_command, "--no-open", "--home", own_home, *args).exception

    assert "one worker" in str(serve("--workers", 3))
    assert "no folder" in str(serve("/no/such/folder"))


def run(module, *args):
    app = typer.Typer()
    module.register(app)
    return CliRunner().invoke(app, list(map(str, args)))


def test_users_are_added_listed_and_revoked(tmp_path):
    def user(*args):
        app = typer.Typer()
        user_command.register(app)
        return CliRunner().invoke(app, ["user", *args, "--home", str(tmp_path)])

    key = user("add", "anna", "--role", "write").stdout.splitlines()[0]
    assert key.startswith("vv_")
    assert json.loads(user("add", "bert", "--json").stdout)["role"] == "read"
    listed = user("list", "--json").stdout
    assert [(one["name"], one["role"]) for one in json.loads(listed)["users"]] == [("anna", "write"), ("bert", "read")]
    assert key not in listed
    assert "already" in str(user("add", "anna").exception)
    assert "no role" in str(user("add", "cleo", "--role", "king").exception)
    assert "cannot name" in str(user("add", "../x").exception)
    user("revoke", "anna")
    assert "no user" in str(user("revoke", "anna").exception)
    users = json.loads(user("list", "--json").stdout)["users"]
    assert [bool(one["revoked_at"]) for one in users] == [True, False]
    assert "anna" in user("list").stdout


def test_beyond_this_machine_somebody_must_have_a_key(tmp_path):
    settings = ServerSettings.of(tmp_path)
    check(settings, "127.0.0.1")
    check(settings, "::1")
    with pytest.raises(BadInputError, match=r"127\.0\.0\.1 only"):
        check(settings, "0.0.0.0")
    keyed = replace(settings, mode="keys")
    with pytest.raises(BadInputError, match="Nobody could log in"):
        check(keyed, "0.0.0.0")
    records = ServerDatabase(tmp_path)
    Users(records).add("anna", "read")
    check(keyed, "0.0.0.0")
    Users(records).revoke("anna")
    records.close()
    with pytest.raises(BadInputError, match="Nobody could log in"):
        check(keyed, "0.0.0.0")


def test_several_workers_need_servers_below(own_home):
    with pytest.raises(BadInputError, match="Qdrant"):
        check(replace(ServerSettings.of(own_home), workers=2), "127.0.0.1")
    spread = {"database": "postgresql://x/y", "store": "qdrant://x:1", "catalogue": "postgresql://x/y"}
    with pytest.raises(BadInputError, match="'colours'"):
        check(replace(ServerSettings.of(own_home, **spread), workers=2), "127.0.0.1")


def test_a_port_that_is_taken_is_named_or_passed_over():
    address, bound = free_address("127.0.0.1", 0)
    with bound:
        with pytest.raises(BusyError, match=str(address.port)):
            free_address("127.0.0.1", address.port)
        other, second = free_address("127.0.0.1", None)
        second.close()
        assert other.port != address.port
    with pytest.raises(BadInputError, match=r"192\.0\.2\.1"):
        free_address("192.0.2.1", 0)


def test_a_proxy_needs_an_address_and_a_login(tmp_path):
    settings = ServerSettings.of(tmp_path, proxies=("127.0.0.1",))
    with pytest.raises(BadInputError, match="without a login"):
        check(settings, "127.0.0.1")
    for wrong in ("*", "proxy.example", ""):
        with pytest.raises(BadInputError, match="no address of a proxy"):
            check(replace(settings, mode="keys", proxies=(wrong,)), "127.0.0.1")
