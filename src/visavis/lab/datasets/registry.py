"""Open a data set by the layout of its folder."""

from __future__ import annotations

from pathlib import Path

from visavis.errors import BadInputError, NotFoundError
from visavis.lab.datasets.base import CaptionedSet, LabelledSet
from visavis.lab.datasets.folders import (
    CAPTION_FILES,
    TOKENS,
    caption_file,
    class_folders,
    find_tokens,
    read_captioned_folder,
    read_class_folders,
    read_coco,
    read_flickr8k,
    read_json_lines,
)
from visavis.lab.datasets.products import STYLES, read_products


def open_dataset(
    data: Path | None = None, *, captions: Path | None = None, images: Path | None = None, split: str | None = None
) -> CaptionedSet | LabelledSet:
    """Open a data set in a known layout.

    Args:
        data: Its folder: pictures with a caption file, products with ``styles.csv``, Flickr8k, or class folders.
        captions: Its caption file, where that is not found automatically.
        images: The folder of its pictures, likewise.
        split: The split to read, where it has any.
    """
    if data is None and captions is None:
        raise BadInputError("No data was named.", "Give a folder with --data, or --captions and --images.")
    if data is not None and not data.is_dir():
        raise NotFoundError(f"There is no folder {data}.")
    if captions is not None:
        return _by_file(captions, images or data, split)
    assert data is not None
    if found := caption_file(data):
        return _by_file(found, images or data, split)
    if (data / STYLES).is_file():
        return read_products(data / STYLES, images, split)
    if tokens := find_tokens(data):
        return read_flickr8k(tokens, images, split)
    if split or len(class_folders(data)) >= 2:
        return read_class_folders(data, split)
    raise NotFoundError(
        f"{data} is no data set that is known.",
        f"It needs {' or '.join((*CAPTION_FILES, STYLES, TOKENS))}, or one folder a class.",
    )


def _by_file(captions: Path, images: Path | None, split: str | None) -> CaptionedSet:
    if captions.name == STYLES:
        return read_products(captions, images, split)
    if captions.name == TOKENS:
        return read_flickr8k(captions, images, split)
    if captions.suffix == ".json" or _is_coco(captions):
        return read_coco(captions, images or captions.parent, split)
    return read_captioned_folder(captions, images, split)


def _is_coco(captions: Path) -> bool:
    _, first = next(read_json_lines(captions), (0, {}))
    return "image_id" in first and "file" not in first
