"""Published photographs with captions: COCO and Flickr8k."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from visavis.errors import BadInputError, NotFoundError
from visavis.lab.datasets.base import CaptionedPicture, CaptionedSet, captioned_set
from visavis.lab.datasets.folders import read_json_lines, read_lines

TOKENS = "Flickr8k.token.txt"
#: Our names of the splits, and the published lists.
SPLITS = {"train": "trainImages", "val": "devImages", "dev": "devImages", "test": "testImages"}
#: The published folder's name is misspelt; copies of the set use others.
_IMAGE_FOLDERS = ("Flicker8k_Dataset", "Flickr8k_Dataset", "Images", "images")


def read_coco(captions: Path, images: Path, split: str | None = None) -> CaptionedSet:
    """Read captions of COCO.

    Args:
        captions: ``{"image_id": 9, "split": "val", "captions": [...]}`` a line, or the published JSON.
        images: The folder of pictures, named by the id in twelve digits.
        split: Keep this split only; the published JSON has none.
    """
    pictures = _published(captions, images) if captions.suffix == ".json" else _records(captions, images, split)
    if not pictures:
        raise NotFoundError(f"{captions} has no pictures of the split '{split}'.", "Look at its 'split' fields.")
    return captioned_set(f"coco {split}" if split else "coco", pictures, images)


def _records(path: Path, images: Path, split: str | None) -> list[CaptionedPicture]:
    pictures = []
    for line, record in read_json_lines(path):
        if split is not None and record.get("split") != split:
            continue
        try:
            name, texts = f"{int(record['image_id']):012d}.jpg", tuple(map(str, record["captions"]))
        except (KeyError, TypeError, ValueError) as error:
            raise BadInputError(f"{path}, line {line}: an 'image_id' and 'captions' are expected.") from error
        pictures.append(CaptionedPicture(images / name, texts))
    return pictures


def _published(path: Path, images: Path) -> list[CaptionedPicture]:
    try:
        content: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
        texts: dict[int, list[str]] = {image["id"]: [] for image in content["images"]}
        for annotation in content["annotations"]:
            texts[annotation["image_id"]].append(str(annotation["caption"]).strip())
        return [CaptionedPicture(images / i["file_name"], tuple(texts[i["id"]])) for i in content["images"]]
    except FileNotFoundError as error:
        raise NotFoundError(f"There is no file {path}.") from error
    except (KeyError, TypeError, ValueError) as error:
        raise BadInputError(f"{path} is not in the form of COCO's captions ({error!r}).") from error


def find_tokens(folder: Path) -> Path | None:
    """Return the caption file in a folder or in one folder below it."""
    return next((p for p in (folder / TOKENS, *sorted(folder.glob(f"*/{TOKENS}"))) if p.is_file()), None)


def read_flickr8k(tokens: Path, images: Path | None = None, split: str | None = None) -> CaptionedSet:
    """Read the captions, all of them or those of a split (train, val or test)."""
    captions: dict[str, list[str]] = {}
    for number, line in read_lines(tokens):
        name, tab, caption = line.partition("\t")
        if not tab:
            raise BadInputError(f"{tokens}, line {number}: 'FILE#NUMBER', a tab and a caption are expected.")
        captions.setdefault(name.rpartition("#")[0] or name, []).append(tidy(caption))
    chosen = list(captions) if split is None else _split(tokens.parent, split)
    folder = images or _find_images(tokens.parent)
    pictures = [CaptionedPicture(folder / name, tuple(captions[name])) for name in chosen if name in captions]
    return captioned_set(f"flickr8k {split}" if split else "flickr8k", pictures, folder)


def tidy(caption: str) -> str:
    """Remove the spaces that the tokeniser put before punctuation.

    >>> tidy("A dog , running .")
    'A dog, running.'
    """
    return caption.strip().replace(" ,", ",").replace(" .", ".")


def _split(folder: Path, split: str) -> list[str]:
    if split not in SPLITS:
        raise BadInputError(f"Flickr8k has no split '{split}'.", f"Choose one of {', '.join(SPLITS)}.")
    return [line.strip() for _, line in read_lines(folder / f"Flickr_8k.{SPLITS[split]}.txt")]


def _find_images(folder: Path) -> Path:
    for place in (parent / name for parent in (folder, folder.parent) for name in _IMAGE_FOLDERS):
        if place.is_dir():
            return place
    raise NotFoundError(f"There is no folder of pictures beside {folder}.", "Say where it is with --images.")
