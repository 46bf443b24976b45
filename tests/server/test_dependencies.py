"""Every route with every role: who may do what. A route that is not in the table fails."""

from __future__ import annotations

import pytest
from serving import start_talk

#: Route -> the least role that may use it; None for everybody, logged in or not.
TABLE = {
    "GET /me": "read",
    "POST /session": None,
    "DELETE /session": None,
    "GET /health": None,
    "GET /metrics": "admin",
    "GET /collections": "read",
    "POST /collections": "admin",
    "GET /collections/{collection}": "read",
    "DELETE /collections/{collection}": "admin",
    "GET /collections/{collection}/wall": "read",
    "POST /collections/{collection}/search": "read",
    "GET /collections/{collection}/suggestions": "read",
    "GET /collections/{collection}/retrievers": "read",
    "POST /collections/{collection}/upload": "write",
    "POST /collections/{collection}/wall": "read",
    "GET /collections/{collection}/albums": "read",
    "POST /collections/{collection}/albums": "read",
    "GET /albums/{album}": "read",
    "PATCH /albums/{album}": "read",
    "DELETE /albums/{album}": "read",
    "POST /collections/{collection}/favourites": "read",
    "GET /collections/{collection}/places": "read",
    "POST /collections/{collection}/export": "read",
    "GET /collections/{collection}/facets": "read",
    "POST /collections/{collection}/index": "admin",
    "GET /jobs": "read",
    "GET /jobs/{job}": "read",
    "DELETE /jobs/{job}": "admin",
    "GET /jobs/{job}/events": "read",
    "POST /demo": "admin",
    "GET /folders": "admin",
    "GET /folders/suggested": "admin",
    "GET /conversations": "read",
    "POST /conversations": "read",
    "GET /conversations/{id}": "read",
    "PATCH /conversations/{id}": "read",
    "DELETE /conversations/{id}": "read",
    "POST /conversations/{id}/branch": "read",
    "POST /conversations/{id}/messages": "read",
    "POST /collections/{collection}/messages": "read",
    "POST /conversations/{id}/commands": "read",
    "POST /conversations/{id}/brief": "read",
    "POST /conversations/{id}/brief/preview": "read",
    "POST /conversations/{id}/rollback": "read",
    "POST /conversations/{id}/undo": "read",
    "POST /conversations/{id}/redo": "read",
    "POST /conversations/{id}/edit": "write",
    "POST /conversations/{id}/more": "read",
    "GET /conversations/{id}/turns/{turn}/marked": "read",
    "GET /collections/{collection}/pictures/{id}": "read",
    "GET /collections/{collection}/pictures/{id}/thumbnail": "read",
    "GET /collections/{collection}/thumbnails": "read",
    "GET /collections/{collection}/pictures/{id}/full": "read",
    "GET /collections/{collection}/pictures/{id}/download": "read",
    "GET /editing/operations": "read",
    "POST /collections/{collection}/pictures/{id}/preview": "read",
    "POST /collections/{collection}/pictures/{id}/mask": "read",
    "POST /collections/{collection}/pictures/{id}/region": "read",
    "POST /conversations/{id}/picture": "write",
    "GET /conversations/{id}/export": "read",
    "POST /conversations/{id}/share": "write",
    "DELETE /conversations/{id}/share": "write",
    "GET /shared/{token}": None,
    "GET /shared/{token}/thumbnail/{picture}": None,
    "POST /studies": "read",
    "GET /studies/export": "admin",
    "GET /studies/{id}": "read",
    "POST /studies/{id}/messages": "read",
    "POST /studies/{id}/finish": "read",
    "DELETE /studies/{id}": "read",
    "GET /{path:path}": None,
    "GET /openapi.json": None,
}
RANK = (None, "read", "write", "admin")
#: Bodies that would be understood, so that it is the role that is refused and not the body.
BODIES = {
    "/session": {"key": "wrong"},
    "/collections": {"name": "another"},
    "/collections/{collection}/search": {"text": "red"},
    "/collections/{collection}/index": {"folder": "/nowhere/at/all"},
    "/collections/{collection}/wall": {"pictures": ["0" * 32]},
    "/collections/{collection}/albums": {"name": "an album"},
    "/albums/{album}": {"name": "a name"},
    "/collections/{collection}/favourites": {"add": ["0" * 32]},
    "/collections/{collection}/export": {"pictures": ["0" * 32]},
    "/conversations": {"collection": "colours"},
    "/conversations/{id}": {"name": "a name"},
    "/conversations/{id}/branch": {"turn": 1},
    "/conversations/{id}/messages": {"text": "red"},
    "/collections/{collection}/messages": {"text": "red"},
    "/conversations/{id}/commands": {"commands": ["search red"]},
    "/conversations/{id}/brief": {"changes": ["off 1.1"]},
    "/conversations/{id}/brief/preview": {"changes": ["off 1.1"]},
    "/conversations/{id}/rollback": {"turn": 1},
    "/conversations/{id}/edit": {"picture": "0" * 32, "commands": ["grayscale"]},
    "/collections/{collection}/pictures/{id}/preview": {"commands": ["grayscale"]},
    "/collections/{collection}/pictures/{id}/mask": {"commands": ["image_cutout"]},
    "/collections/{collection}/pictures/{id}/region": {"box": [0, 0, 1, 1]},
}


def routes_of(app):
    """Every route of the app, also those inside included routers."""
    for route in app.routes:
        inner = getattr(route, "original_router", None)
        if inner is not None:
            yield from routes_of(inner)
            continue
        for method in route.methods - {"HEAD"}:
            yield f"{method} {route.path.removeprefix('/api/v1')}"


def test_the_table_names_every_route(keyed):
    assert set(routes_of(keyed.app)) == set(TABLE)


@pytest.mark.parametrize("role", [None, "read", "write", "admin"])
def test_every_route_lets_in_whom_it_should(keyed, role):
    with keyed.client(role) as client:
        for line, least in TABLE.items():
            method, path = line.split(" ", 1)
            if line == "DELETE /collections/{collection}" and role == "admin":
                continue  # the others still need it
            status = ask(client, method, path).status_code
            if RANK.index(role) >= RANK.index(least):
                assert status not in (401, 403) or path == "/session", (line, role, status)
            else:
                assert status == (401 if role is None else 403), (line, role, status)


def ask(client, method, path, id="0" * 32):
    url = path.replace("{collection}", "colours").replace("{id}", id).replace("{job}", "0" * 32).replace("{album}", id)
    url = (
        url.replace("{turn}", "1")
        .replace("{token}", "t" * 32)
        .replace("{picture}", "0" * 32)
        .replace("{path:path}", "../../../")
    )
    if path == "/conversations/{id}/more":
        url += "?turn=1"
    if path.endswith(("/upload", "/picture")):
        field = "files" if path.endswith("/upload") else "file"
        return client.request(method, url, files={field: ("a.png", b"no picture")})
    body = BODIES.get(path)
    return (
        client.request(method, url, json=body) if body and method in ("POST", "PATCH") else client.request(method, url)
    )


def test_nobody_finds_the_conversations_of_somebody_else(keyed):
    with keyed.client("write") as mine, keyed.client("other") as theirs, keyed.client("admin") as admin:
        talk = start_talk(mine)
        turn = mine.post(f"/conversations/{talk}/messages", json={"text": "red"}).json()
        picture = turn["results"][0]["id"]
        for client in (theirs, admin):
            assert all(one["id"] != talk for one in client.get("/conversations").json()["conversations"])
            for line in TABLE:
                method, path = line.split(" ", 1)
                if not path.startswith("/conversations/{id}"):
                    continue
                answer = ask(client, method, path, talk)
                assert answer.status_code == 404, (line, answer.text)
                assert answer.json()["error"]["message"] == f"There is no conversation '{talk}'."
            body = {"commands": ["grayscale"], "conversation": talk}
            assert client.post(f"/collections/colours/pictures/{picture}/preview", json=body).status_code == 404
            body = {"box": [0, 0, 1, 1], "conversation": talk}
            assert client.post(f"/collections/colours/pictures/{picture}/region", json=body).status_code == 404
            assert client.get("/collections/colours/facets", params={"conversation": talk}).status_code == 404
        assert len(mine.get(f"/conversations/{talk}").json()["turns"]) == 1


def test_who_may_only_look_edits_nothing(keyed):
    with keyed.client("read") as client, keyed.client("write") as writer:
        talk = start_talk(client)
        client.post(f"/conversations/{talk}/messages", json={"text": "red"})
        turn = client.post(
            f"/conversations/{talk}/messages", json={"text": "increase the brightness by 40 percent"}
        ).json()
        assert turn["commands"] == ["adjust_attr brightness 40"]
        assert turn["hand"] is None
        assert "not edit" in turn["reply"]
        turn = client.post(f"/conversations/{talk}/commands", json={"commands": ["grayscale"]}).json()
        assert turn["hand"] is None
        picture = turn["results"][0]["id"]
        body = {"box": [0, 0, 0.5, 0.5], "conversation": talk}
        assert client.post(f"/collections/colours/pictures/{picture}/region", json=body).status_code == 403
        talk = start_talk(writer)
        writer.post(f"/conversations/{talk}/messages", json={"text": "red"})
        turn = writer.post(
            f"/conversations/{talk}/messages", json={"text": "increase the brightness by 40 percent"}
        ).json()
        assert turn["hand"]["edits"] == ["adjust_attr brightness 40"]
