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

from visavis.apps.cli import edit as command
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
