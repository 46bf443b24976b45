from __future__ import annotations

import io
import json
from pathlib import Path

import numpy as np
import pytest
import typer
from editing_support import MEANINGS, ColourEncoder
from PIL import Image
from typer.testing import CliRunner

from visavis.cli import edit as command
from visavis.errors import VisavisError

RUNNER = CliRunner()


@pytest.fixture
def photo(tmp_path: Path) -> Path:
    """A camera's picture: lying on its side, with a time, a place and a thumbnail of its own."""
    path = tmp_path / "photo.jpg"
    image = Image.fromarray(np.random.default_rng(1).integers(0, 256, (60, 80, 3), np.uint8)).resize((800, 600))
    tags = Image.Exif()
    tags[0x0112] = 6
    tags[0x010F] = "Camera"
    tags.get_ifd(0x8769)[0x9003] = "2024:05:06 07:08:09"
    tags.get_ifd(0x8825)[1] = "N"
    image.save(path, exif=tags, quality=90)
    return path


def run(*arguments: object) -> dict[str, object]:
    """Run the command, give its JSON; errors come out as they are."""
    app = typer.Typer()
    command.register(app)
    result = RUNNER.invoke(app, [*map(str, arguments), "--json"])
    if isinstance(result.exception, VisavisError):
        raise result.exception
    assert result.exit_code == 0, result.output
    return json.loads(result.stdout)


def files(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def test_words_become_commands_and_a_picture(photo, tmp_path):
    out = tmp_path / "out.png"
    told = run(photo, "rotate 90 clockwise and raise contrast by 20", "-o", out)
    assert told["commands"] == ["rotate 270", "adjust_attr contrast 20"]
    assert told["output"] == str(out)
    assert told["size"] == [800, 600]
    assert told["seconds"] > 0
    with Image.open(out) as image:
        assert (image.format, image.size) == ("PNG", (800, 600))


def test_a_command_in_its_own_form(photo, tmp_path):
    assert run(photo, "crop 10 20 110 70", "-o", tmp_path / "out.webp")["size"] == [100, 50]


@pytest.mark.parametrize("request_", ["rotate by banana", "find me a red dress", "xyzzy", "", "thanks a lot", "undo"])
def test_nonsense_is_refused_and_nothing_is_written(photo, tmp_path, request_):
    before = files(tmp_path)
    with pytest.raises(VisavisError) as caught:
        run(photo, request_, "-o", tmp_path / "out.jpg")
    assert caught.value.exit_code != 0
    assert caught.value.remedy
    assert files(tmp_path) == before


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["invert"], "not said where"),
        (["invert", "-o", "out.xyz"], "no format"),
        (["invert", "-o", "out"], "no format"),
        (["invert", "-o", "nowhere/out.png"], "cannot be written"),
        (["crop 9000 9000 9100 9100", "-o", "out.png"], "outside"),
        (["image_cutout", "-o", "out.png", "--cutter", "scissors"], "no cutter 'scissors'"),
        (["invert", "--commands", "list.txt", "-o", "out.png"], "together"),
        (["--commands", "none.txt", "-o", "out.png"], "cannot be read"),
    ],
)
def test_bad_arguments_are_refused_and_nothing_is_written(photo, tmp_path, monkeypatch, arguments, words):
    monkeypatch.chdir(tmp_path)
    before = files(tmp_path)
    with pytest.raises(VisavisError, match=words):
        run(photo, *arguments)
    assert files(tmp_path) == before


def test_a_missing_or_damaged_picture_is_refused(tmp_path):
    with pytest.raises(VisavisError, match="no file"):
        run(tmp_path / "none.jpg", "invert", "-o", tmp_path / "out.png")
    (tmp_path / "bad.jpg").write_bytes(b"not a picture")
    with pytest.raises(VisavisError, match=r"bad\.jpg"):
        run(tmp_path / "bad.jpg", "invert", "-o", tmp_path / "out.png")


def test_nothing_is_overwritten_without_force(photo, tmp_path):
    before = photo.read_bytes()
    with pytest.raises(VisavisError, match="is the picture itself"):
        run(photo, "invert", "-o", photo)
    other = tmp_path / "other.png"
    other.write_bytes(b"precious")
    with pytest.raises(VisavisError, match="exists already"):
        run(photo, "invert", "-o", other)
    assert photo.read_bytes() == before
    assert other.read_bytes() == b"precious"
    run(photo, "invert", "-o", photo, "--force")
    assert photo.read_bytes() != before


def test_exif_is_kept_true_or_stripped(photo, tmp_path):
    kept, bare = tmp_path / "kept.jpg", tmp_path / "bare.jpg"
    run(photo, "crop 0 0 100 100", "-o", kept)
    run(photo, "crop 0 0 100 100", "-o", bare, "--strip-exif")
    with Image.open(kept) as image:
        tags = image.getexif()
        assert tags[0x010F] == "Camera"
        assert tags.get_ifd(0x8769)[0x9003] == "2024:05:06 07:08:09"
        assert tags.get_ifd(0x8825)[1] == "N"
        assert tags.get(0x0112, 1) == 1, "the pixels are upright now"
        assert not tags.get_ifd(1), "an old thumbnail would show what was cropped away"
    with Image.open(bare) as image:
        assert not image.getexif()


def test_transparency_survives_where_it_can(tmp_path):
    source = tmp_path / "in.png"
    Image.new("RGBA", (20, 10), (200, 10, 10, 0)).save(source)
    run(source, "flip horizontal", "-o", tmp_path / "out.png")
    run(source, "flip horizontal", "-o", tmp_path / "out.jpg")
    with Image.open(tmp_path / "out.png") as image:
        assert image.getpixel((3, 3))[3] == 0
    with Image.open(tmp_path / "out.jpg") as image:
        assert image.getpixel((3, 3)) == (255, 255, 255)


def test_a_file_of_commands(photo, tmp_path):
    lines = tmp_path / "list.txt"
    lines.write_text("# a comment\n\nrotate 90\ninvert\nundo\nadjust_attr brightness 10\n")
    told = run(photo, "--commands", lines, "-o", tmp_path / "out.png")
    assert told["commands"] == ["rotate 90", "adjust_attr brightness 10"]


def test_a_bad_line_is_named(photo, tmp_path):
    lines = tmp_path / "list.txt"
    lines.write_text("rotate 90\nrotate banana\n")
    with pytest.raises(VisavisError, match="line 2"):
        run(photo, "--commands", lines, "-o", tmp_path / "out.png")
    assert not (tmp_path / "out.png").exists()


def test_a_manifest_replays_on_the_same_and_on_another_picture(photo, tmp_path):
    manifest = tmp_path / "how.json"
    run(photo, "rotate 90 clockwise and make it black and white", "-o", tmp_path / "a.png", "--manifest", manifest)
    assert json.loads(manifest.read_text())["visavis_manifest"] == 1
    run(photo, "--commands", manifest, "-o", tmp_path / "b.png")
    assert (tmp_path / "a.png").read_bytes() == (tmp_path / "b.png").read_bytes()
    other = tmp_path / "other.png"
    Image.new("RGB", (30, 10), "red").save(other)
    assert run(other, "--commands", manifest, "-o", tmp_path / "c.png")["size"] == [10, 30]


def test_replacing_the_background_by_a_picture_file(photo, tmp_path):
    ground = tmp_path / "beach.png"
    Image.new("RGB", (10, 10), (1, 2, 3)).save(ground)
    told = run(photo, f'replace_background "{ground}"', "-o", tmp_path / "out.png", "--yes", "--cutter", "colour")
    assert told["size"] == [600, 800]


def test_an_unsure_find_is_shown_and_not_applied(tmp_path, monkeypatch):
    monkeypatch.setattr(command, "_encoder_for", lambda recipe: ColourEncoder())
    source = tmp_path / "in.png"
    Image.new("RGB", (100, 100), MEANINGS["sky"]).save(source)
    with pytest.raises(VisavisError, match="not surely found") as caught:
        run(source, "cut out the xylophone", "-o", tmp_path / "out.png", "--mask", tmp_path / "found.png")
    assert caught.value.exit_code == 7
    assert files(tmp_path) == ["found.png", "in.png"]
    told = run(source, "cut out the xylophone", "-o", tmp_path / "out.png", "--yes")
    assert told["located"][0]["confidence"] < 0.5


def test_sixteen_bits_palettes_and_print_colours(tmp_path):
    ramp = np.linspace(0, 65535, 3000).reshape(50, 60).astype(np.uint16)
    cases = {
        "deep.png": Image.fromarray(ramp),
        "palette.gif": Image.fromarray((ramp // 256).astype(np.uint8)).convert("P"),
        "print.tif": Image.new("CMYK", (60, 50), (10, 20, 30, 40)),
    }
    for name, image in cases.items():
        image.save(tmp_path / name)
        assert run(tmp_path / name, "rotate 180", "-o", tmp_path / f"{name}.jpg")["size"] == [60, 50]
    with Image.open(tmp_path / "deep.png.jpg") as image:
        assert image.getpixel((0, 0))[0] > 240
        assert image.getpixel((59, 49))[0] < 15


def test_a_wide_gamut_profile_is_applied(tmp_path):
    from PIL import ImageCms

    profile = ImageCms.ImageCmsProfile(ImageCms.createProfile("LAB"))
    source = tmp_path / "lab.tif"
    buffer = io.BytesIO()
    Image.new("LAB", (10, 10), (128, 128, 128)).save(buffer, "TIFF", icc_profile=profile.tobytes())
    source.write_bytes(buffer.getvalue())
    run(source, "flip horizontal", "-o", tmp_path / "out.png")
    with Image.open(tmp_path / "out.png") as image:
        assert all(abs(value - 119) < 14 for value in image.getpixel((5, 5)))


# -- several pictures, folders, pipes ----------------------------------------------------------------------


def lines(*arguments: object) -> tuple[int, list[dict[str, object]]]:
    """Run the command on several pictures: its exit code, and one JSON value a picture."""
    app = typer.Typer()
    command.register(app)
    result = RUNNER.invoke(app, [*map(str, arguments), "--json"])
    if isinstance(result.exception, VisavisError):
        raise result.exception
    return result.exit_code, [json.loads(line) for line in result.stdout.splitlines()]


@pytest.fixture
def holiday(tmp_path: Path) -> Path:
    folder = tmp_path / "holiday"
    folder.mkdir()
    for number, name in enumerate(("a.jpg", "b.png", "d.jpg")):
        Image.new("RGB", (40 + number, 30), (10 * number, 90, 200)).save(folder / name)
    return folder


def test_several_pictures_go_into_a_folder_under_their_names(holiday, tmp_path):
    code, told = lines(*sorted(holiday.iterdir()), "rotate left", "-o", tmp_path / "turned")
    assert code == 0
    assert [Path(str(one["output"])).name for one in told] == files(holiday) == files(tmp_path / "turned")
    with Image.open(tmp_path / "turned" / "b.png") as image:
        assert (image.format, image.size) == ("PNG", (30, 41))


def test_a_broken_picture_keeps_the_others_from_nothing(holiday, tmp_path):
    (holiday / "c.jpg").write_bytes(b"broken")
    code, told = lines(*sorted(holiday.iterdir()), "invert", "-o", tmp_path / "out")
    assert code == 2
    assert [("error" in one, Path(str(one["input"])).name) for one in told] == [
        (False, "a.jpg"), (False, "b.png"), (True, "c.jpg"), (False, "d.jpg"),
    ]  # fmt: skip
    assert "c.jpg" in str(told[2]["error"])
    assert told[2]["remedy"]
    assert files(tmp_path / "out") == ["a.jpg", "b.png", "d.jpg"]


def test_what_is_there_stays_there_and_two_of_one_name_do_not_overwrite_each_other(holiday, tmp_path):
    out = tmp_path / "out"
    out.mkdir()
    (out / "a.jpg").write_bytes(b"precious")
    other = tmp_path / "other"
    other.mkdir()
    Image.new("RGB", (8, 8), "red").save(other / "b.png")
    code, told = lines(holiday / "a.jpg", holiday / "b.png", other / "b.png", "invert", "-o", out)
    assert code == 2
    assert "exists already" in str(told[0]["error"])
    assert "just written" in str(told[2]["error"])
    assert (out / "a.jpg").read_bytes() == b"precious"
    with Image.open(out / "b.png") as image:
        assert image.size == (41, 30), "the first of the two"


def test_one_picture_into_a_folder_and_another_format(holiday, tmp_path):
    told = run(holiday / "a.jpg", "invert", "-o", f"{tmp_path / 'new'}/", "--format", "webp")
    assert Path(str(told["output"])) == tmp_path / "new" / "a.webp"
    with pytest.raises(VisavisError, match="--format is for folders"):
        run(holiday / "a.jpg", "invert", "-o", tmp_path / "x.png", "--format", "webp")
    with pytest.raises(VisavisError, match="no format"):
        run(holiday / "a.jpg", "invert", "-o", tmp_path, "--format", "exe")


def test_what_becomes_transparent_is_kept_so_in_a_folder(tmp_path):
    image = Image.new("RGB", (90, 90), "white")
    image.paste((200, 20, 20), (30, 30, 60, 60))
    image.save(tmp_path / "thing.jpg", quality=95)
    told = run(tmp_path / "thing.jpg", "image_cutout", "-o", tmp_path, "--cutter", "colour", "--yes")
    assert Path(str(told["output"])).name == "thing.png"
    with Image.open(tmp_path / "thing.png") as made:
        assert made.mode == "RGBA"


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["{a}", "{b}", "-o", "out"], "not said what to do"),
        (["{a}", "-o", "out.png"], "not said what to do"),
        (["{a}", "{b}", "invert", "-o", "{a}"], "is a file"),
        (["{a}", "{b}", "invert", "-o", "no/where"], "cannot be made"),
        (["{a}", "{b}", "invert", "-o", "-"], "standard output"),
        (["{a}", "invert", "-o", "-"], "cannot both"),
        (["{a}", "{b}", "invert", "-o", "out", "--manifest", "m.json"], "one picture"),
        (["{a}", "invert", "-o", "m.png", "--manifest", "no/where.json"], "cannot be written"),
        (["none.jpg", "invert", "-o", "{a}"], "exists already"),
    ],
)
def test_unclear_arguments_are_refused(holiday, tmp_path, monkeypatch, arguments, words):
    monkeypatch.chdir(tmp_path)
    before = (holiday / "a.jpg").read_bytes()
    with pytest.raises(VisavisError, match=words):
        lines(*(str(one).format(a=holiday / "a.jpg", b=holiday / "b.png") for one in arguments))
    assert (holiday / "a.jpg").read_bytes() == before


def test_a_pipe_in_and_out(holiday):
    app = typer.Typer()
    command.register(app)
    result = RUNNER.invoke(app, ["-", "rotate left", "-o", "-"], input=(holiday / "b.png").read_bytes())
    assert result.exit_code == 0, result.output
    with Image.open(io.BytesIO(result.stdout_bytes)) as image:
        assert (image.format, image.size) == ("PNG", (30, 41))


@pytest.mark.parametrize(
    ("said", "offered"),
    [
        ("remove man", "was not surely found"),
        ("straighten by 3 degrees", "straighten 3"),
        ("make it fit for instagram", "Which of these?"),
        ("crop to a square and save it as x.jpg", "-o says where"),
        ("add a cat next to her", "something else than an edit"),
    ],
)
def test_what_cannot_be_done_is_told_with_what_can(holiday, tmp_path, said, offered):
    with pytest.raises(VisavisError) as caught:
        run(holiday / "a.jpg", said, "-o", tmp_path / "out.png")
    assert offered in str(caught.value)
    assert not (tmp_path / "out.png").exists()
