"""Albums, favourites, selections in one file, orders of the wall, and places."""

from __future__ import annotations

import io
import zipfile

import pytest
from PIL import Image


@pytest.fixture
def all_ids(client) -> list[str]:
    return [one["id"] for one in client.get("/collections/colours/wall").json()["pictures"]]


def test_favourites_are_kept_for_each_user(keyed):
    with keyed.client("read") as mine, keyed.client("write") as theirs:
        ids = [one["id"] for one in mine.get("/collections/colours/wall").json()["pictures"][:3]]
        old = mine.get("/collections/colours/albums").json()["favourites"]
        kept = mine.post("/collections/colours/favourites", json={"add": ids, "remove": old}).json()["pictures"]
        assert kept == ids
        left = mine.post("/collections/colours/favourites", json={"remove": ids[:1], "add": ids[1:]}).json()["pictures"]
        assert left == ids[1:], "one that is there already is not added twice"
        assert mine.get("/collections/colours/albums").json()["favourites"] == ids[1:]
        assert not set(theirs.get("/collections/colours/albums").json()["favourites"]) & set(ids)


def test_an_album_is_a_saved_selection(client, all_ids):
    made = client.post("/collections/colours/albums", json={"name": "Best", "pictures": all_ids[:2]})
    assert made.status_code == 201
    album = made.json()
    assert (album["name"], album["pictures"], album["cover"]) == ("Best", 2, all_ids[:2])
    changed = client.patch(f"/albums/{album['id']}", json={"name": "Better", "add": [all_ids[3]]}).json()
    assert (changed["name"], changed["pictures"]) == ("Better", 3)
    assert client.get(f"/albums/{album['id']}").json()["pictures"] == [*all_ids[:2], all_ids[3]]
    assert any(one["id"] == album["id"] for one in client.get("/collections/colours/albums").json()["albums"])
    client.delete(f"/albums/{album['id']}")
    assert client.get(f"/albums/{album['id']}").status_code == 404


def test_the_albums_of_a_user_hold_so_many_pictures(start, monkeypatch):
    monkeypatch.setattr("visavis.server.services.albums._MOST_IN_ALL", 3)
    with start("keys", rate=0) as running, running.client("read") as mine, running.client("write") as theirs:
        two, four = ([f"{number:032x}" for number in range(most)] for most in (2, 4))
        album = mine.post("/collections/colours/albums", json={"name": "One", "pictures": two}).json()["id"]
        assert mine.post("/collections/colours/albums", json={"name": "Two", "pictures": two}).status_code == 422
        assert mine.post("/collections/colours/favourites", json={"add": two}).status_code == 422
        assert mine.patch(f"/albums/{album}", json={"add": four[:3]}).status_code == 200
        assert mine.patch(f"/albums/{album}", json={"add": four}).status_code == 422
        assert theirs.post("/collections/colours/albums", json={"name": "One", "pictures": two}).status_code == 201


def test_nobody_sees_the_album_of_somebody_else(keyed):
    with keyed.client("write") as mine, keyed.client("other") as theirs:
        album = mine.post("/collections/colours/albums", json={"name": "Mine"}).json()["id"]
        assert theirs.get(f"/albums/{album}").status_code == 404
        assert theirs.patch(f"/albums/{album}", json={"name": "Theirs"}).status_code == 404
        assert theirs.delete(f"/albums/{album}").status_code == 404


def test_pictures_are_shown_in_the_order_that_is_asked_for(client, all_ids):
    wanted = [all_ids[2], all_ids[0], "0" * 32]
    shown = client.post("/collections/colours/wall", json={"pictures": wanted}).json()
    assert [one["id"] for one in shown["pictures"]] == wanted[:2]


def test_the_wall_is_sorted_by_an_attribute(client, all_ids):
    facets = client.get("/collections/colours/facets").json()["facets"]
    field = facets[0]["field"]
    answer = client.get("/collections/colours/wall", params={"sort": f"{field} asc", "limit": 500}).json()
    assert answer["sort"] == f"{field} asc"
    known = [client.get(f"/collections/colours/pictures/{one['id']}").json() for one in answer["pictures"]]
    values = [str(one["attributes"][field]) for one in known if field in one["attributes"]]
    assert values == sorted(values)
    assert len(known) == answer["total"] == len(all_ids)
    assert client.get("/collections/colours/wall", params={"sort": "sideways"}).status_code in (400, 422)


def test_the_wall_is_sorted_by_light(client):
    def page(sort):
        found = client.get("/collections/colours/wall", params={"sort": sort, "limit": 500}).json()
        return [one["id"] for one in found["pictures"]]

    light = page("brightness desc")
    assert light[0] == page("brightness asc")[-1]
    assert light != page("none")


def test_a_selection_comes_in_one_file_under_its_names(client, all_ids):
    packed = client.post("/collections/colours/export", json={"pictures": all_ids[:3]})
    assert "colours.zip" in packed.headers["content-disposition"]
    archive = zipfile.ZipFile(io.BytesIO(packed.content))
    names = archive.namelist()
    assert all(one.date_time[0] > 2000 for one in archive.infolist()), "each has the date of the download"
    files = [client.get(f"/collections/colours/pictures/{id}").json()["path_name"] for id in all_ids[:3]]
    assert [name.rpartition(".")[0] for name in names] == [name.rpartition(".")[0] for name in files]
    as_jpeg = client.post("/collections/colours/export", json={"pictures": all_ids[:1], "format": "jpeg"})
    assert zipfile.ZipFile(io.BytesIO(as_jpeg.content)).namelist()[0].endswith(".jpg")
    assert client.post("/collections/colours/export", json={"pictures": ["0" * 32]}).status_code == 404


def test_an_edited_picture_is_packed_in_the_format_of_its_source_and_known_by_its_name(start):
    with start() as server, server.client() as client:
        photo = io.BytesIO()
        Image.new("RGB", (64, 48), "teal").save(photo, "JPEG")
        sent = {"files": ("a bus.jpg", photo.getvalue(), "image/jpeg")}
        added = client.post("/collections/colours/upload", files=sent).json()["added"][0]["id"]
        talk = client.post("/conversations", json={"collection": "colours"}).json()["id"]
        turn = client.post(
            f"/conversations/{talk}/edit", json={"picture": added, "commands": ["adjust_attr brightness 20"]}
        ).json()
        edited = turn["hand"]["picture"]
        assert client.get(f"/collections/colours/pictures/{edited}").json()["path_name"].startswith("a bus.")
        packed = client.post("/collections/colours/export", json={"pictures": [edited]})
        archive = zipfile.ZipFile(io.BytesIO(packed.content))
        (name,) = archive.namelist()
        assert name == "a bus-edited.jpg"
        assert Image.open(io.BytesIO(archive.read(name))).format == "JPEG"


def test_a_download_keeps_the_name_of_its_file(client, all_ids):
    name = client.get(f"/collections/colours/pictures/{all_ids[0]}").json()["path_name"]
    answer = client.get(f"/collections/colours/pictures/{all_ids[0]}/download", params={"format": "webp"})
    assert f'filename="{name.rpartition(".")[0]}.webp"' in answer.headers["content-disposition"]


def test_pictures_without_coordinates_have_no_place(client):
    assert client.get("/collections/colours/places").json() == {"places": []}
