"""Pictures over HTTP: small, large, edited for a look, sent in, searched inside."""

from __future__ import annotations

import base64
import io
import struct
import zipfile
import zlib

import pytest
from PIL import Image
from PIL.ExifTags import IFD, Base
from serving import eventually, ids, png, say, start_talk

from visavis.api import open_collection
from visavis.editing.pipeline import EditRun, read_commands
from visavis.pictures.picture import Details
from visavis.server.services.edits import operations
from visavis.server.services.wall import cards


@pytest.fixture
def wall(client):
    return client.get("/collections/colours/wall", params={"limit": 500}).json()


@pytest.fixture
def red(wall):
    return next(one["id"] for one in wall["pictures"] if one["caption"] == "all red")


def image(answer):
    assert answer.status_code == 200, answer.text
    return Image.open(io.BytesIO(answer.content))


def test_the_wall_shows_all_in_an_order_that_stays(client, wall):
    assert wall["total"] == len(wall["pictures"]) == 24
    pages = [client.get("/collections/colours/wall", params={"offset": at, "limit": 10}).json() for at in (0, 10, 20)]
    assert [one for page in pages for one in page["pictures"]] == wall["pictures"]
    assert client.get("/collections/colours/wall", params={"offset": 500}).json()["pictures"] == []
    assert client.get("/collections/colours/wall", params={"limit": 501}).status_code == 422


def test_what_is_known_of_a_picture(client, red):
    told = client.get(f"/collections/colours/pictures/{red}").json()
    assert (told["caption"], told["width"], told["height"], told["format"]) == ("all red", 40, 30, "PNG")
    assert told["attributes"] == {"kind": "plain", "price": 40}
    assert told["path_name"] == "red.png"
    assert "/" not in str({**told, "added_at": ""})


def test_thumbnails_are_asked_for_once(client, red):
    path = f"/collections/colours/pictures/{red}/thumbnail"
    answer = client.get(path)
    assert image(answer).format == "WEBP"
    assert "immutable" in answer.headers["cache-control"]
    again = client.get(path, headers={"If-None-Match": answer.headers["etag"]})
    assert (again.status_code, again.content) == (304, b"")
    assert image(client.get(path, params={"size": 640})).size == (40, 30)  # nothing is enlarged
    assert client.get(path, params={"size": 100_000}).status_code == 422


def test_thumbnails_of_many_in_one_answer(client, wall):
    ids = [one["id"] for one in wall["pictures"]]
    answer = client.get("/collections/colours/thumbnails", params={"id": [*ids, ids[0]]})
    assert set(answer.json()) == set(ids)
    assert "immutable" in answer.headers["cache-control"]
    alone = client.get(f"/collections/colours/pictures/{ids[3]}/thumbnail").content
    assert base64.b64decode(answer.json()[ids[3]]) == alone


def test_a_thumbnail_that_is_not_there_is_left_out_of_many(client, red):
    answer = client.get("/collections/colours/thumbnails", params={"id": [red, "0" * 32]})
    assert list(answer.json()) == [red]
    assert answer.headers["cache-control"] == "no-store"  # it may be there later


@pytest.mark.parametrize("ids", [[], ["../../x"], ["0" * 32] * 65])
def test_thumbnails_are_asked_for_by_a_few_ids(client, ids):
    assert client.get("/collections/colours/thumbnails", params={"id": ids}).status_code == 422


def test_a_lost_thumbnail_is_made_again(start):
    with start() as running, running.client() as client:
        id = client.get("/collections/colours/wall").json()["pictures"][0]["id"]
        for file in (running.settings.home / "collections/colours/thumbnails").rglob("*.webp"):
            file.unlink()
        assert image(client.get(f"/collections/colours/pictures/{id}/thumbnail")).format == "WEBP"


def test_full_size_is_the_file_itself(client, red):
    answer = client.get(f"/collections/colours/pictures/{red}/full")
    assert answer.headers["content-type"] == "image/png"
    assert image(answer).getpixel((0, 0)) == (220, 20, 20)


@pytest.mark.parametrize(("suffix", "media"), [("png", "image/png"), ("jpeg", "image/jpeg"), ("webp", "image/webp")])
def test_downloads(client, red, suffix, media):
    answer = client.get(f"/collections/colours/pictures/{red}/download", params={"format": suffix})
    assert answer.headers["content-type"] == media
    assert answer.headers["content-disposition"].startswith("attachment; filename=")
    assert image(answer).size == (40, 30)


def test_a_download_has_the_format_of_the_picture_unless_another_is_wanted(start):
    file = io.BytesIO()
    Image.new("RGB", (40, 30), "red").save(file, "JPEG")
    with start() as running, running.client() as client:
        sent = client.post("/collections/colours/upload", files=[("files", ("own.jpg", file.getvalue()))])
        own = sent.json()["added"][0]["id"]
        talk = client.post("/conversations", json={"collection": "colours"}).json()["id"]
        edits = {"picture": own, "commands": ["grayscale"]}
        edited = client.post(f"/conversations/{talk}/edit", json=edits).json()["hand"]["picture"]
        for id in (own, edited):
            answer = client.get(f"/collections/colours/pictures/{id}/download")
            assert answer.headers["content-type"] == "image/jpeg"


def taken_with_a_phone() -> bytes:
    """A photo that lies on its side and tells where and when it was taken."""
    tags = Image.Exif()
    tags[Base.Orientation] = 6
    tags[Base.Model] = "Phone 9"
    tags.get_ifd(IFD.Exif).update({Base.DateTimeOriginal: "2025:12:15 09:00:00", Base.FNumber: 2.8})
    tags.get_ifd(IFD.GPSInfo).update({1: "N", 2: (48.0, 8.25, 0.0), 3: "E", 4: (11.0, 34.5, 0.0)})
    file = io.BytesIO()
    Image.new("RGB", (40, 30), "teal").save(file, "JPEG", exif=tags.tobytes(), quality=60)
    return file.getvalue()


def test_a_download_is_the_file_itself_and_an_edited_one_keeps_its_tags(start):
    photo = taken_with_a_phone()
    with start() as running, running.client() as client:
        sent = client.post("/collections/colours/upload", files=[("files", ("Beach.jpg", photo))])
        own = sent.json()["added"][0]["id"]
        talk = client.post("/conversations", json={"collection": "colours"}).json()["id"]
        turn = client.post(f"/conversations/{talk}/edit", json={"picture": own, "commands": ["grayscale"]}).json()
        edited = turn["hand"]["picture"]
        answer = client.get(f"/collections/colours/pictures/{own}/download")
        assert answer.content == photo
        assert 'filename="Beach.jpg"' in answer.headers["content-disposition"]
        for query in ("", "?format=webp"):
            made = image(client.get(f"/collections/colours/pictures/{edited}/download{query}"))
            tags = made.getexif()
            assert made.size == (30, 40), "upright"
            assert Base.Orientation not in tags
            assert tags[Base.Model] == "Phone 9"
            assert tags.get_ifd(IFD.Exif)[Base.DateTimeOriginal] == "2025:12:15 09:00:00"
            assert tags.get_ifd(IFD.GPSInfo)[2] == (48.0, 8.25, 0.0)
        told = client.get(f"/collections/colours/pictures/{edited}").json()["shot"]
        assert told == client.get(f"/collections/colours/pictures/{own}").json()["shot"] != {}
        packed = client.post("/collections/colours/export", json={"pictures": [own]})
        with zipfile.ZipFile(io.BytesIO(packed.content)) as archive:
            assert archive.read("Beach.jpg") == photo


def test_a_link_does_not_tell_where_a_picture_was_taken(own_home, start):
    with open_collection("colours", own_home) as collection:
        own = collection.add(taken_with_a_phone())
        assert "latitude" in own.attributes
        plain = collection.add(png((1, 2, 3))).id
    with start(home=own_home) as running, running.client() as client:
        talk = start_talk(client)
        for line in (f"select id:{own.id}", f"compare id:{own.id} id:{plain}", "describe this"):
            assert client.post(f"/conversations/{talk}/commands", json={"commands": [line]}).status_code == 200
        assert "48.137" in client.get(f"/conversations/{talk}").text
        token = client.post(f"/conversations/{talk}/share").json()["token"]
        shared = client.get(f"/shared/{token}")
        assert shared.json()["turns"][1]["comparison"]["rows"]
        assert "48.137" not in shared.text
        for size in (320, 1280):
            seen = image(client.get(f"/shared/{token}/thumbnail/{own.id}?size={size}"))
            assert not seen.getexif()


def test_a_novel_for_a_caption_is_told_once(own_home):
    with open_collection("colours", own_home) as collection:
        details = Details(("long " * 50_000,), {})
        made = collection.add(png((1, 2, 3)), details=details)
        assert len(cards(collection.catalogue, [made.id])[made.id].caption) < 600
        assert collection.picture(made.id).captions == details.captions


def test_a_panorama_beyond_what_formats_can_count(start, tmp_path):
    file = io.BytesIO()
    Image.new("RGB", (70_000, 2), "red").save(file, "TIFF")
    with start() as running, running.client() as client:
        sent = client.post("/collections/colours/upload", files=[("files", ("wide.tif", file.getvalue()))])
        path = f"/collections/colours/pictures/{sent.json()['added'][0]['id']}"
        assert client.get(f"{path}/full").headers["content-type"] == "image/png"
        for suffix, status in (("png", 200), ("jpeg", 422), ("webp", 422)):
            assert client.get(f"{path}/download", params={"format": suffix}).status_code == status, suffix


def test_a_file_that_was_replaced_is_not_given_away(start, tmp_path):
    """Only what was indexed is shown, whatever lies at its path now."""
    from drawing import draw

    draw(tmp_path / "pictures" / "one.png", "red")
    with start() as running, running.client() as client:
        made = client.post("/collections", json={"name": "few", "folder": str(tmp_path / "pictures")}).json()
        wait_for(client, made["job"])
        id = client.get("/collections/few/wall").json()["pictures"][0]["id"]
        (tmp_path / "pictures" / "one.png").unlink()
        (tmp_path / "secret.png").write_bytes(png((1, 2, 3)))
        (tmp_path / "pictures" / "one.png").symlink_to(tmp_path / "secret.png")
        assert client.get(f"/collections/few/pictures/{id}/full").status_code == 404


def wait_for(client, job):
    eventually(lambda: client.get(f"/jobs/{job}").json()["state"] != "running")


@pytest.mark.parametrize(
    "path",
    [
        "/collections/..%2F..%2Fetc/pictures/x/full",
        "/collections/colours/pictures/..%2F..%2F..%2Fetc%2Fpasswd/full",
        "/collections/colours/pictures/%00/full",
        "/collections/.hidden/wall",
        "/collections/a%2Fb/wall",
    ],
)
def test_paths_lead_nowhere_else(client, path):
    assert client.get(path).status_code in (404, 422)


@pytest.mark.parametrize(
    "path", ["/../settings.py", "/..%2fsettings.py", "/assets/../../app.py", "/%2e%2e/app.py", "//etc/passwd", "/\x00"]
)
def test_the_page_gives_only_its_own_files(local, path):
    import socket

    host, port = local.url.removeprefix("http://").split(":")
    with socket.create_connection((host, int(port))) as line:  # as it is written: no client tidies it up
        target = path.replace("\x00", "%00")
        line.sendall(f"GET {target} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n".encode())
        answer = b""
        while more := line.recv(65536):
            answer += more
    assert b" 404 " in answer.split(b"\r\n")[0]
    assert b"import" not in answer


def test_pages_of_the_app_are_one_file_or_a_plain_word(local, start, tmp_path):
    from dataclasses import replace

    import httpx

    from visavis.server.runner import serving

    (tmp_path / "static" / "assets").mkdir(parents=True)
    (tmp_path / "static" / "index.html").write_text("<html lang=en><head></head><body>the app</body></html>")
    (tmp_path / "static" / "assets" / "app-1.js").write_text("1")
    (tmp_path / "home").mkdir()
    for static, word in ((tmp_path / "static", "the app"), (tmp_path / "none", "was not built")):
        settings = replace(local.settings, home=tmp_path / "home", static=static)
        with serving(settings) as url:
            for path in ("/", "/c/anything/at/all", "/s/token"):
                answer = httpx.get(url + path)
                assert answer.status_code == 200
                assert word in answer.text
            assert httpx.get(f"{url}/api/v1/nothing").status_code == 404
            assert httpx.get(f"{url}/favicon.ico").status_code == 404
            script = httpx.get(f"{url}/assets/app-1.js")
            assert script.status_code == (200 if word == "the app" else 404)
            if script.status_code == 200:
                assert "javascript" in script.headers["content-type"]
                assert "immutable" in script.headers["cache-control"]


# -- edits to look at ----------------------------------------------------------------------------------


def test_a_preview_shows_edits_and_stores_nothing(client, red, wall):
    path = f"/collections/colours/pictures/{red}/preview"
    answer = client.post(path, json={"commands": ["rotate 90", "grayscale"], "size": 64})
    assert answer.headers["x-visavis-commands"] == "rotate 90; grayscale"
    made = image(answer)
    assert made.size == (30, 40)
    assert max(map(abs, (a - b for a, b in zip(*[iter(made.convert("RGB").getpixel((5, 5)))] * 2, strict=False)))) < 8
    assert client.get("/collections/colours/wall", params={"limit": 500}).json()["total"] == wall["total"]
    assert client.post(path, json={"commands": ["search red"]}).status_code == 422
    assert image(client.post(path, json={"commands": []})).size == (40, 30)  # all of its steps taken out
    unknown = client.post(f"/collections/colours/pictures/{'0' * 32}/preview", json={"commands": ["grayscale"]})
    assert unknown.status_code == 404


@pytest.mark.parametrize(
    "commands",
    [["rotate 45"] * 20, ["resize 1000%"] * 5, ["resize 30000x10000", "rotate 45"], ["border 1000 white"] * 9],
)
def test_a_preview_is_never_made_larger_than_it_is_asked_for(client, red, monkeypatch, commands):
    canvases = []
    step = EditRun.step

    def watched(run, command, *, confirmed):
        step(run, command, confirmed=confirmed)
        canvases.append(max(run.image.size))

    monkeypatch.setattr(EditRun, "step", watched)
    path = f"/collections/colours/pictures/{red}/preview"
    answer = client.post(path, json={"commands": commands, "size": 64})
    assert answer.status_code == 200, answer.text
    assert max(image(answer).size) <= 64
    assert len(canvases) == len(commands)
    assert max(canvases) <= 64 + 2 * 1000 if "border" in commands[0] else max(canvases) <= 64 * 2


def test_what_follows_in_a_preview_is_scaled_along(client, red):
    path = f"/collections/colours/pictures/{red}/preview"
    made = client.post(path, json={"commands": ["resize 4000x3000", "crop 0 0 2000 3000"], "size": 100})
    assert image(made).size == (50, 75)


def test_a_preview_has_so_many_steps_and_no_more(client, red):
    path = f"/collections/colours/pictures/{red}/preview"
    assert client.post(path, json={"commands": ["grayscale"] * 31}).status_code == 422


def test_a_preview_that_is_not_sure_asks(client, red):
    path = f"/collections/colours/pictures/{red}/preview"
    body = {"commands": ["grayscale on zebra"], "confirmed": False}
    answer = client.post(path, json=body)
    assert answer.status_code == 422
    assert answer.json()["error"]["code"] == "unsure"
    assert "zebra" in answer.json()["question"]
    assert client.post(path, json={**body, "confirmed": True}).status_code == 200


def test_a_mask_shows_what_an_edit_would_touch_and_can_be_corrected(client, talk, red):
    path = f"/collections/colours/pictures/{red}"
    found = client.post(f"{path}/mask", json={"commands": ["rotate 90", "remove zebra"], "size": 64}).json()
    assert (found["thing"], found["width"], found["height"], found["sure"]) == ("zebra", 30, 40, False)
    assert 0 <= found["confidence"] < 0.8
    line = "recolor blue on selection marked +100:500,500"
    body = client.post(f"{path}/mask", json={"commands": [line]}).json()
    assert body["sure"]
    mask = Image.open(io.BytesIO(base64.b64decode(body["mask"]))).getchannel("A")
    assert mask.getpixel((mask.width // 2, mask.height // 2)) == 255
    assert mask.getpixel((0, 0)) == 0
    made = client.post(f"/conversations/{talk}/edit", json={"picture": red, "commands": [line]}).json()
    assert made["hand"]["edits"] == [line]
    edited = image(client.get(f"/collections/colours/pictures/{made['hand']['picture']}/full")).convert("RGB")
    assert edited.getpixel((edited.width // 2, edited.height // 2))[2] > edited.getpixel((0, 0))[2] + 80
    assert client.post(f"{path}/mask", json={"commands": ["grayscale"]}).status_code == 422
    assert client.post(f"{path}/mask", json={"commands": ["remove dog marked +5000,1"]}).status_code == 422


def test_a_mask_is_never_made_larger_than_it_is_asked_for(client, red):
    commands = [*["resize 1000%"] * 5, "image_cutout"]
    answer = client.post(f"/collections/colours/pictures/{red}/mask", json={"commands": commands, "size": 64}).json()
    assert max(answer["width"], answer["height"]) <= 64


def test_a_picture_that_is_shown_can_be_the_background(client, talk, red):
    say(client, talk, "blue")
    path = f"/collections/colours/pictures/{red}/preview"
    body = {"commands": ["replace_background #1"], "conversation": talk}
    assert client.post(path, json=body).status_code == 200
    assert client.post(path, json={"commands": ["replace_background #1"]}).status_code == 422


def test_every_operation_that_is_offered_is_a_command():
    values = {"left": 1, "top": 1, "right": 9, "bottom": 9}
    for one in operations():
        filled = {param.name: values.get(param.name, param.default) for param in one.params}
        line = one.template.format(**filled)
        assert len(read_commands([line])) == 1, line
        for param in one.params:
            if param.kind == "number" and param.max is not None:
                for end in (param.min, param.max):
                    read_commands([one.template.format(**{**filled, param.name: end})])


# -- sending pictures in -------------------------------------------------------------------------------


def bomb(side=60_000):
    """A few hundred bytes that want to be billions of pixels."""
    head = struct.pack(">IIBBBBB", side, side, 8, 2, 0, 0, 0)

    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    return (
        b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", zlib.compress(b"\0" * 1000)) + chunk(b"IEND", b"")
    )


def test_uploads_are_checked_one_by_one(start):
    with start(file_bytes=100_000) as running, running.client() as client:
        files = [
            ("files", ("../../etc/cron.d/evil.png", png((250, 250, 30)))),
            ("files", ("bomb.png", bomb())),
            ("files", ("page.png", b"<html><script>alert(1)</script>")),
            ("files", ("drawing.svg", b"<svg onload='alert(1)'></svg>")),
            ("files", ("large.png", b"\x89PNG\r\n\x1a\n" + b"x" * 100_000)),
            ("files", ("empty.png", b"")),
        ]
        answer = client.post("/collections/colours/upload", files=files)
        assert answer.status_code == 200
        told = answer.json()
        assert [one["name"] for one in told["added"]] == ["evil.png"]
        assert [one["name"] for one in told["refused"]] == [
            "bomb.png",
            "page.png",
            "drawing.svg",
            "large.png",
            "empty.png",
        ]
        reasons = {one["name"]: one["reason"] for one in told["refused"]}
        assert "too large" in reasons["bomb.png"]
        assert "larger than" in reasons["large.png"]
        assert "SVG" in reasons["drawing.svg"]
        added = told["added"][0]["id"]
        assert client.get(f"/collections/colours/pictures/{added}").json()["caption"] == "evil"
        found = client.post("/collections/colours/search", json={"text": "yellow", "k": 5}).json()["results"]
        assert added in [one["id"] for one in found]
        assert not list(running.settings.home.rglob("evil*"))


def test_a_whole_upload_is_bounded(start):
    with start(upload_bytes=10_000) as running, running.client() as client:
        files = [("files", (f"{n}.png", png(side=64, noise=True))) for n in range(4)]
        assert client.post("/collections/colours/upload", files=files).status_code == 413
        assert client.get("/collections/colours/wall").json()["total"] == 24


def test_searching_with_a_picture_of_ones_own(client, talk, wall):
    data = png((30, 60, 220), side=32)
    turn = client.post(f"/conversations/{talk}/picture", files={"file": ("mine.png", data)}).json()
    assert turn["results"][0]["caption"].startswith("all blue")
    mine = turn["brief"]["wishes"][0]["picture"]
    assert mine not in ids(turn)
    after = client.get("/collections/colours/wall", params={"limit": 500}).json()
    assert after["total"] == wall["total"]
    assert client.get(f"/collections/colours/pictures/{mine}/thumbnail").status_code == 200
    wrong = client.post(f"/conversations/{talk}/picture", files={"file": ("x.png", b"no picture")})
    assert wrong.status_code == 422
    client.delete(f"/conversations/{talk}", params={"edits": "remove"})


def test_searching_inside_a_box(client, talk, wall):
    mixed = next(one["id"] for one in wall["pictures"] if one["caption"] == "red and purple")
    path = f"/collections/colours/pictures/{mixed}/region"
    found = client.post(path, json={"box": [0.75, 0, 1, 1]}).json()
    assert found["turn"] is None
    assert found["results"][0]["caption"].startswith("all purple")
    say(client, talk, "something")
    turn = client.post(path, json={"box": [0.75, 0, 1, 1], "conversation": talk}).json()["turn"]
    assert turn["brief"]["wishes"][-1]["kind"] == "like"
    assert client.post(path, json={"box": [0.5, 0.5, 0.5, 0.9]}).status_code == 422
    assert client.post(path, json={"box": [0, 0, 2, 1]}).status_code == 422
    client.delete(f"/conversations/{talk}", params={"edits": "remove"})


# -- finding -------------------------------------------------------------------------------------------


def test_searching_once(client, red):
    found = client.post("/collections/colours/search", json={"text": "red", "k": 3}).json()
    assert found["results"][0]["id"] == red
    deeper = client.post("/collections/colours/search", json={"text": "red", "k": 2, "offset": 1}).json()
    assert [one["id"] for one in deeper["results"]] == [one["id"] for one in found["results"]][1:]
    cheap = client.post("/collections/colours/search", json={"text": "red", "filter": "price < 30"}).json()
    assert red not in [one["id"] for one in cheap["results"]]
    like = client.post("/collections/colours/search", json={"like": red, "k": 1}).json()
    assert like["results"][0]["id"] != red
    assert client.post("/collections/colours/search", json={}).status_code == 422
    assert client.post("/collections/colours/search", json={"text": "red", "filter": "price <"}).status_code == 422
    assert client.post("/collections/none/search", json={"text": "red"}).status_code == 404


def test_suggestions_have_results(client):
    messages = client.get("/collections/colours/suggestions").json()["messages"]
    assert len(messages) >= 3
    for message in messages:
        assert client.post("/collections/colours/search", json={"text": message, "k": 1}).json()["results"], message


def test_facets_count_under_the_filters_of_a_conversation(client, talk):
    facets = {one["field"]: one for one in client.get("/collections/colours/facets").json()["facets"]}
    assert facets["kind"]["values"] == [{"value": "mixed", "count": 12}, {"value": "plain", "count": 12}]
    assert (facets["price"]["kind"], facets["price"]["min"], facets["price"]["max"]) == ("number", 10, 125)
    client.post(f"/conversations/{talk}/commands", json={"commands": ["search red", "filter price < 30"]})
    under = client.get("/collections/colours/facets", params={"conversation": talk, "fields": "kind"}).json()["facets"]
    assert [one["field"] for one in under] == ["kind"]
    assert sum(value["count"] for value in under[0]["values"]) == 4


def test_facets_count_what_is_like_a_picture_and_tell_the_span_of_its_numbers(client, talk, red):
    turn = client.post(f"/conversations/{talk}/commands", json={"point": {"start_from": red}}).json()
    facets = client.get("/collections/colours/facets", params={"conversation": talk}).json()["facets"]
    kinds, price = (next(one for one in facets if one["field"] == name) for name in ("kind", "price"))
    assert sum(value["count"] for value in kinds["values"]) == turn["matches"] < 24
    alike = [red, *(one["id"] for one in turn["results"] if one["match"])]
    prices = [client.get(f"/collections/colours/pictures/{id}").json()["attributes"]["price"] for id in alike]
    assert (price["min"], price["max"]) == (min(prices), max(prices))


def test_what_a_waiting_edit_would_touch_is_shown_marked(client, talk, red):
    client.post(f"/conversations/{talk}/commands", json={"point": {"hold": red}})
    turn = client.post(f"/conversations/{talk}/commands", json={"commands": ["grayscale on zebra"]}).json()
    assert turn["pending"] == ["grayscale on zebra"]
    assert turn["question"]["kind"] == "clarify"
    marked = client.get(f"/conversations/{talk}/turns/{turn['number']}/marked")
    assert marked.headers["content-type"] == "image/webp"
    plain = image(client.get(f"/collections/colours/pictures/{red}/full")).convert("RGB")
    assert image(marked).convert("RGB").resize(plain.size).tobytes() != plain.tobytes()
    assert client.get(f"/conversations/{talk}/turns/{turn['number'] - 1}/marked").status_code == 404


def used_bytes(running, user: str) -> int:
    return running.app.state.services.quotas.used(user, "upload_bytes")


def test_parts_of_pictures_and_edited_ones_count_in_the_quota_of_bytes(start):
    with start("keys", upload_bytes_a_day=10_000_000) as running, running.client("write") as client:
        talk, before = start_talk(client), 0
        picture = ids(say(client, talk, "red"))[0]
        box = {"box": [0, 0, 0.5, 0.5], "conversation": talk}
        edit = {"picture": picture, "commands": ["resize 300%"]}
        for path, body in (
            (f"/collections/colours/pictures/{picture}/region", box),
            (f"/conversations/{talk}/edit", edit),
        ):
            answer = client.post(path, json=body)
            assert answer.status_code == 200, answer.text
            assert used_bytes(running, "write") > before
            before = used_bytes(running, "write")
        running.app.state.services.quotas.count("write", "upload_bytes", 10_000_000)
        assert client.post(f"/conversations/{talk}/edit", json=edit).status_code == 429
        box["box"] = [0, 0, 0.4, 0.4]
        assert client.post(f"/collections/colours/pictures/{picture}/region", json=box).status_code == 429
        edited = client.post(f"/conversations/{talk}/commands", json={"commands": ["resize 200%"]}).json()
        assert (edited.get("hand") or {}).get("edits", []) in ([], ["resize 300%"])
