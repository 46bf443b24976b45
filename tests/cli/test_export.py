"""``visavis export``: full size, from the original, with a manifest that replays and is checked."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from homes import copy_home
from PIL import Image
from tiny_encoder import TinyEncoder

from visavis.api import open_collection
from visavis.assistant import Assistant
from visavis.editing.export import pixels_sha256
from visavis.pictures.picture import content_id


@pytest.fixture(scope="module")
def template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A home with a photograph and a conversation that has edited it, made once; tests work on copies of the home."""
    folder = tmp_path_factory.mktemp("exporting")
    image = Image.fromarray(np.random.default_rng(1).integers(0, 256, (900, 1200, 3), np.uint8))
    tags = Image.Exif()
    tags[0x010F] = "Camera"
    tags.get_ifd(0x8769)[0x9003] = "2024:05:06 07:08:09"
    (folder / "photos").mkdir()
    image.save(folder / "photos" / "photo.jpg", exif=tags, quality=92)
    with open_collection("photos", folder / "home", create=True, encoder=TinyEncoder()) as collection:
        collection.index(folder / "photos")
        assistant = Assistant(collection)
        said = assistant.start("turning")
        for message in ("a picture", "select #1", "rotate 270", "crop 10 20 710 920"):
            assistant.reply(said, message)
        turn = assistant.reply(said, "adjust_attr brightness 20")
        assert turn.hand is not None
        assert turn.hand.edits == ("rotate 270", "crop 10 20 710 920", "adjust_attr brightness 20")
        (folder / "id").write_text(turn.hand.picture)
    return folder


@pytest.fixture
def home(template: Path, tmp_path: Path) -> Path:
    return copy_home(template / "home", tmp_path / "home")


@pytest.fixture
def photo(template: Path) -> Iterator[Path]:
    """The original, which is put back after a test."""
    path = template / "photos" / "photo.jpg"
    data = path.read_bytes()
    yield path
    path.write_bytes(data)


@pytest.fixture
def talked(template: Path) -> str:
    """The id of the picture that the conversation has in hand."""
    return (template / "id").read_text()


def test_the_picture_in_hand_is_made_from_the_original_in_full_size(visavis, talked, photo, tmp_path):
    out = tmp_path / "out.png"
    told = json.loads(visavis("export", "-c", "photos", "--conversation", "turning", "-o", out, "--json").stdout)
    assert told["size"] == [700, 900]
    assert told["source"] == "photo.jpg"
    assert told["as_before"] is True
    with Image.open(photo) as original, Image.open(out) as image:
        wanted = original.transpose(Image.Transpose.ROTATE_270).crop((10, 20, 710, 920))
        wanted = wanted.point([min(255, int(value * 1.2 + 0.5)) for value in range(256)] * 3)
        assert image.tobytes() == wanted.tobytes()
        assert image.getexif()[0x010F] == "Camera"
        assert image.getexif().get_ifd(0x8769)[0xA002] == 700
    assert pixels_sha256(Image.open(out).convert("RGB")) == told["pixels_sha256"]


def test_a_picture_by_its_id_and_without_exif(visavis, talked, tmp_path):
    out = tmp_path / "out.jpg"
    visavis("export", "-c", "photos", "--picture", talked[:10], "-o", out, "--strip-exif")
    with Image.open(out) as image:
        assert (image.format, image.size) == ("JPEG", (700, 900))
        assert not image.getexif()


def test_an_original_can_be_exported_too(visavis, talked, photo, tmp_path):
    found = json.loads(visavis("search", "a picture", "-c", "photos", "--nearest", "--json").stdout)
    id = found["results"][0]["id"]
    told = json.loads(visavis("export", "-c", "photos", "--picture", id, "-o", tmp_path / "o.png", "--json").stdout)
    assert (told["commands"], told["size"]) == ([], [1200, 900])


def test_a_manifest_replays_to_the_same_pixels(visavis, talked, photo, tmp_path):
    out, manifest = tmp_path / "out.png", tmp_path / "out.json"
    visavis("export", "-c", "photos", "--conversation", "turning", "-o", out, "--manifest", manifest)
    wanted = json.loads(manifest.read_text())["pixels_sha256"]
    ways = (["-c", "photos"], ["--source", photo])
    for number, way in enumerate(ways):
        again = tmp_path / f"again{number}.png"
        told = json.loads(visavis("export", "--replay", manifest, *way, "-o", again, "--json").stdout)
        assert told["pixels_sha256"] == wanted
        assert again.read_bytes() == out.read_bytes()
    (tmp_path / "photo.jpg").write_bytes(photo.read_bytes())
    visavis("export", "--replay", manifest, "-o", tmp_path / "beside.png")
    assert (tmp_path / "beside.png").read_bytes() == out.read_bytes()
    visavis("edit", photo, "--commands", manifest, "-o", tmp_path / "edited.png")
    assert (tmp_path / "edited.png").read_bytes() == out.read_bytes()


def test_a_replay_with_other_pixels_is_refused(visavis, talked, photo, tmp_path):
    manifest = tmp_path / "out.json"
    visavis("export", "-c", "photos", "--conversation", "turning", "-o", tmp_path / "out.png", "--manifest", manifest)
    values = json.loads(manifest.read_text())
    manifest.write_text(json.dumps({**values, "pixels_sha256": "0" * 64}))
    ended = visavis("export", "--replay", manifest, "-c", "photos", "-o", tmp_path / "no.png", ok=False)
    assert ended.code == 8
    assert "differs" in ended.stderr
    assert not (tmp_path / "no.png").exists()


def test_a_replay_on_another_file_is_refused(visavis, talked, tmp_path):
    manifest = tmp_path / "out.json"
    visavis("export", "-c", "photos", "--conversation", "turning", "-o", tmp_path / "out.png", "--manifest", manifest)
    other = tmp_path / "other.png"
    Image.new("RGB", (1200, 900)).save(other)
    ended = visavis("export", "--replay", manifest, "--source", other, "-o", tmp_path / "no.png", ok=False)
    assert ended.code != 0
    assert "not the picture" in ended.stderr
    ended = visavis("export", "--replay", manifest, "-o", tmp_path / "no.png", ok=False)
    assert "not beside it" in ended.stderr
    assert not (tmp_path / "no.png").exists()


def test_without_the_original_the_edited_picture_itself_is_given(visavis, talked, photo, tmp_path):
    photo.unlink()
    out = tmp_path / "out.png"
    told = json.loads(visavis("export", "-c", "photos", "--picture", talked, "-o", out, "--json").stdout)
    assert (told["commands"], told["size"]) == ([], [700, 900])


def test_a_changed_original_is_not_taken_for_the_old_one(visavis, talked, photo, tmp_path):
    Image.new("RGB", (1200, 900), "red").save(photo)
    out = tmp_path / "out.png"
    told = json.loads(visavis("export", "-c", "photos", "--picture", talked, "-o", out, "--json").stdout)
    assert (told["commands"], told["size"]) == ([], [700, 900]), "the edited picture itself is kept in full size"
    assert Image.open(out).getpixel((350, 450)) != (255, 0, 0)


def test_a_changed_file_is_not_exported_for_the_picture_it_was(visavis, photo, tmp_path):
    id = content_id(photo.read_bytes())
    Image.new("RGB", (1200, 900), "red").save(photo)
    ended = visavis("export", "-c", "photos", "--picture", id, "-o", tmp_path / "no.png", ok=False)
    assert "has changed" in ended.stderr
    assert not (tmp_path / "no.png").exists()


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["-c", "photos"], "not said which picture"),
        (["-c", "photos", "--picture", "1", "--conversation", "x"], "Both --picture and --conversation"),
        (["--picture", "1"], "not said from which collection"),
        (["-c", "photos", "--picture", "zzzz"], "no picture 'zzzz'"),
        (["-c", "photos", "--conversation", "nobody"], "no conversation 'nobody'"),
        (["-c", "nowhere", "--picture", "1"], "nowhere"),
        (["--replay", "missing.json"], "cannot be read"),
    ],
)
def test_bad_arguments_are_refused_and_nothing_is_written(visavis, talked, tmp_path, arguments, words):
    out = tmp_path / "no.png"
    ended = visavis("export", *arguments, "-o", out, ok=False)
    assert ended.code != 0
    assert words in ended.stderr
    assert not out.exists()


def test_nothing_is_overwritten_without_force(visavis, talked, tmp_path):
    out = tmp_path / "precious.png"
    out.write_bytes(b"precious")
    ended = visavis("export", "-c", "photos", "--picture", talked, "-o", out, ok=False)
    assert "exists already" in ended.stderr
    assert out.read_bytes() == b"precious"
    visavis("export", "-c", "photos", "--picture", talked, "-o", out, "--force")
    assert out.read_bytes() != b"precious"


def test_a_conversation_can_be_forgotten_with_its_edited_pictures(visavis, talked, tmp_path):
    script = tmp_path / "script.jsonl"
    script.write_text('{"message": "random"}\n{"message": "select #1"}\n{"message": "flip horizontal"}\n')
    told = visavis("chat", "-c", "photos", "--name", "flipping", "--script", script, "--json").stdout
    made = json.loads(told.splitlines()[-1])["picture"]["id"]
    search = ("search", "a picture", "-c", "photos", "--nearest", "--with-edits", "--all-copies", "--json")
    assert {made, talked} <= {result["id"] for result in json.loads(visavis(*search).stdout)["results"]}
    told = json.loads(visavis("chat", "-c", "photos", "--delete", "flipping", "--with-edits", "--json").stdout)
    assert told == {"deleted": "flipping", "pictures": [made]}
    left = {result["id"] for result in json.loads(visavis(*search).stdout)["results"]}
    assert made not in left
    assert talked in left, "what the other conversation made stays"


def test_sixteen_bits_of_an_original_reach_the_export(visavis, tmp_path):
    values = (np.arange(120 * 160, dtype=np.uint32).reshape(120, 160) * 3 + 11).astype(np.uint16)
    (tmp_path / "deep").mkdir()
    Image.fromarray(values).save(tmp_path / "deep" / "scan.png")
    visavis("index", tmp_path / "deep", "--collection", "scans")
    script = tmp_path / "script.jsonl"
    script.write_text('{"message": "random"}\n{"message": "select #1"}\n{"message": "rotate 180"}\n')
    visavis("chat", "-c", "scans", "--name", "deep", "--script", script, "--json")
    out = tmp_path / "out.png"
    told = json.loads(visavis("export", "-c", "scans", "--conversation", "deep", "-o", out, "--json").stdout)
    assert (told["commands"], told["as_before"]) == (["rotate 180"], True)
    with Image.open(out) as image:
        assert np.array_equal(np.asarray(image), values[::-1, ::-1])


def test_into_a_folder_under_the_name_of_the_original_and_into_a_pipe(visavis, talked, tmp_path):
    told = json.loads(visavis("export", "-c", "photos", "--picture", talked, "-o", f"{tmp_path}/new/", "--json").stdout)
    assert Path(told["output"]) == tmp_path / "new" / "photo.jpg"
    with Image.open(tmp_path / "new" / "photo.jpg") as image:
        assert image.size == (700, 900)
    again = visavis("export", "-c", "photos", "--picture", talked, "-o", tmp_path / "new", ok=False)
    assert "exists already" in again.stderr
    both = visavis("export", "-c", "photos", "--picture", talked, "-o", "-", "--json", ok=False)
    assert "cannot both" in both.stderr
