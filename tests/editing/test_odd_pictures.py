"""Every operation on pictures of odd shapes and kinds: a picture comes out, or an error that says why not."""

from __future__ import annotations

import io
from pathlib import Path

import numpy as np
import pytest
from editing_support import ColourEncoder
from PIL import Image

from visavis.editing.editor import Editor
from visavis.editing.files import open_file, save_file
from visavis.editing.table import OPERATIONS
from visavis.errors import BadInputError
from visavis.language.commands import Caption, parse_command

#: One command of every kind, and of those with several forms one each.
COMMANDS = [
    "adjust_color blue 0.3",
    "adjust_attr brightness 20",
    "adjust_attr contrast -20",
    "adjust_attr saturation 50",
    "adjust_attr warmth 30",
    "adjust_attr sharpness 40",
    "rotate 90",
    "rotate 33",
    "image_cutout",
    "crop 0 0 1 1",
    "crop 16:9",
    "crop on subject",
    "crop on left half",
    "crop on everything but subject",
    "flip horizontal",
    "flip vertical",
    "resize 50%",
    "resize 7x",
    "straighten",
    "straighten 5",
    "blur 50",
    "blur 50 on background",
    "sepia 60",
    "vignette 50",
    "grayscale",
    "grayscale on everything but subject",
    "invert",
    "enhance",
    "border 3 white",
    'caption "Hello" bottom',
    "replace_background white",
    "recolor blue on subject",
    "remove subject",
    "remove top half",
]


def transparent() -> Image.Image:
    image = Image.new("RGBA", (40, 30), (200, 40, 40, 0))
    image.paste((10, 200, 10, 255), (10, 10, 30, 20))
    return image


def animated() -> bytes:
    frames = [Image.new("P", (24, 16), number) for number in range(3)]
    file = io.BytesIO()
    frames[0].save(file, "GIF", save_all=True, append_images=frames[1:], duration=50)
    return file.getvalue()


KINDS: dict[str, tuple[Image.Image | bytes, str]] = {
    "1x1": (Image.new("RGB", (1, 1), "red"), "png"),
    "1x20000": (Image.new("RGB", (1, 20_000), "teal"), "png"),
    "20000x1": (Image.new("L", (20_000, 1), 90), "png"),
    "grey": (Image.new("L", (40, 30), 120), "png"),
    "two colours": (Image.new("1", (40, 30), 1), "png"),
    "palette": (Image.new("RGB", (40, 30), "orange").convert("P"), "png"),
    "grey with alpha": (Image.new("LA", (40, 30), (120, 100)), "png"),
    "cmyk": (Image.new("CMYK", (40, 30), (20, 90, 10, 5)), "jpg"),
    "16 bits": (Image.fromarray(np.full((30, 40), 40_000, np.uint16)), "png"),
    "lab": (Image.new("LAB", (40, 30), (120, 90, 160)), "tiff"),
    "transparent": (transparent(), "png"),
    "animated": (animated(), "gif"),
}


@pytest.fixture(scope="module", params=KINDS)
def opened(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Image.Image:
    picture, suffix = KINDS[request.param]
    path = tmp_path_factory.mktemp("odd") / f"picture.{suffix}"
    if isinstance(picture, bytes):
        path.write_bytes(picture)
    else:
        picture.save(path)
    return open_file(path).image


def edited(editor: Editor, image: Image.Image, line: str) -> Image.Image | None:
    """What a command makes of a picture; None where it says in words why it makes nothing."""
    try:
        return editor.edit(image, [line], confirmed=True).image
    except BadInputError as error:
        if not error.remedy:
            raise
        return None


def test_every_operation_is_tried():
    assert {type(parse_command(line)) for line in COMMANDS} == set(OPERATIONS)


def test_odd_pictures_are_edited_or_refused_in_words(opened: Image.Image, tmp_path: Path):
    before = opened.copy()
    editor = Editor(ColourEncoder())
    for line in COMMANDS:
        if (made := edited(editor, opened, line)) is None:
            continue
        assert min(made.size) >= 1, line
        assert made.mode in ("RGB", "RGBA", "I;16"), line
        if made.width * made.height > 10**6:  # a turned line fills a large canvas
            continue
        save_file(made, tmp_path / "out.png")
        with Image.open(tmp_path / "out.png") as saved:
            assert saved.size == made.size, line
    assert opened.mode == before.mode
    assert opened.tobytes() == before.tobytes(), "the picture that was given is never changed"


def test_a_long_chain_on_one_pixel_stays_a_picture():
    about_things = ("crop on", "image_cutout", "replace", "resize", "recolor", "remove")
    lines = [line for line in COMMANDS if not line.startswith(about_things)]
    made = Editor().edit(Image.new("RGB", (1, 1), "red"), lines, confirmed=True).image
    assert min(made.size) >= 1


@pytest.mark.parametrize(
    "text",
    [
        'quotes " and \\ backslashes',
        "two\nlines\tand a tab",
        "emoji 🦊👩‍👩‍👧 and flags 🇪🇺",
        "שלום עולם مرحبا",
        "中文字符",
        "\u202egnirts desrever",
        "a" * 500,
        "%s {0} $HOME `id` ; rm -rf /",
        "zero\u200bwidth",
    ],
)
def test_any_text_can_be_written_on_a_picture_and_replayed(text: str):
    command = Caption(text, "bottom")
    again = parse_command(str(command))
    assert again == command
    image = Image.new("RGB", (200, 80), "white")
    if (made := edited(Editor(), image, str(command))) is None:
        pytest.skip("no font here has these letters, and that is told")
    assert made.size == image.size
    assert made.tobytes() == Editor().edit(image, [command]).image.tobytes()
    assert made.tobytes() != image.tobytes(), "something was written"


BAD = [
    "rotate", "rotate -1", "rotate 361", "rotate nan", "rotate inf", "rotate 1e3", "rotate ninety", "rotate 9 9",
    "adjust_attr", "adjust_attr brightness", "adjust_attr brightness 101", "adjust_attr brightness -100.1",
    "adjust_attr fame 3", "adjust_attr contrast x", "adjust_color", "adjust_color blue", "adjust_color blue 1.01",
    "adjust_color blue -0.1", "adjust_color notacolour 0.5", "adjust_color #12345 0.5", "crop", "crop 1 2 3",
    "crop 5 5 5 9", "crop 9 9 1 1", "crop -1 0 5 5", "crop 0:1", "crop 16:0", "crop 9999:1", "crop 1.5 2 3 4",
    "crop 500 500 600 600", "crop on", "flip", "flip diagonal", "flip horizontal on dog", "resize", "resize x",
    "resize 0x0", "resize 0%", "resize 1001%", "resize 40000x", "resize 30000x30000", "resize -5x5", "straighten 46",
    "straighten -45.5", "straighten x", "blur -1", "blur 101", "blur x", "sepia 101", "vignette -0.5", "border",
    "border 0 white", "border 1001 white", "border 10 notacolour", "border -3 red", "border x", "caption",
    "caption hello bottom", 'caption "" top', 'caption "hi" left', 'caption "hi', "replace_background",
    "replace_background notacolour", 'replace_background "/nowhere/at/all.png"', "replace_background #9",
    "rotate 90 on dog", "border 5 red on dog", "grayscale 5", "invert please", "enhance 3", "image_cutout 5",
    "explode 3",
]  # fmt: skip


@pytest.mark.parametrize("line", BAD)
def test_every_bad_parameter_is_told_and_changes_nothing(line: str):
    image = Image.new("RGB", (64, 48), (10, 120, 200))
    before = image.tobytes()
    with pytest.raises(BadInputError) as caught:
        Editor(ColourEncoder()).edit(image, ["adjust_attr brightness 10", line], confirmed=True)
    assert str(caught.value).strip()
    assert caught.value.message
    assert image.tobytes() == before
