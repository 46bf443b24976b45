"""Folders as data sets: a folder a class, pictures with captions (JSONL, COCO, Flickr8k), products (``styles.csv``)."""

from __future__ import annotations

import csv
import hashlib
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from visavis.errors import BadInputError, NotFoundError
from visavis.lab.datasets.base import CaptionedPicture, CaptionedSet, LabelledPicture, LabelledSet, captioned_set
from visavis.pictures.formats import PICTURE_SUFFIXES

#: Folders of published sets (Caltech-101) that are not classes.
_NOT_CLASSES = frozenset({"BACKGROUND_Google", "__MACOSX"})
_SPLITS = frozenset({"train", "training", "test", "testing", "val", "valid", "validation", "dev"})


def class_folders(folder: Path) -> list[Path]:
    """Return the class folders: those with pictures, at any depth."""
    found = (p for p in folder.iterdir() if p.is_dir() and not p.name.startswith(".") and p.name not in _NOT_CLASSES)
    return sorted(place for place in found if any(_pictures(place)))


def read_class_folders(folder: Path, split: str | None = None) -> LabelledSet:
    """Read the classes, and their pictures at any depth; ``split`` names a folder between (``test``, ``val``)."""
    place = folder / split if split else folder
    if not place.is_dir():
        raise NotFoundError(f"There is no folder {place}.")
    folders = class_folders(place)
    if len(folders) < 2:
        raise BadInputError(f"{place} has {len(folders)} folders with pictures; at least two classes are needed.")
    if not split and {where.name.lower() for where in folders} <= _SPLITS:
        raise BadInputError(f"{place} has splits, not classes.", f"Choose one with --split {folders[0].name}.")
    pictures = (LabelledPicture(path, label) for label, where in enumerate(folders) for path in _pictures(where))
    in_order = tuple(sorted(pictures, key=lambda picture: (picture.label, picture.path)))
    name = f"{folder.absolute().name} {split}" if split else folder.absolute().name
    return LabelledSet(name, tuple(class_name(where.name) for where in folders), in_order)


def class_name(folder: str) -> str:
    """Convert a folder's name to words.

    >>> class_name("Golden_Retriever-2"), class_name("n02084071-golden_retriever"), class_name("t-shirt")
    ('golden retriever', 'golden retriever', 't-shirt')
    """
    name = re.sub(r"^n\d{8}[-_. ]", "", folder)
    name = re.sub(r"[-_. ]\d+$", "", re.sub(r"^\d+[-_. ]+", "", name))
    return re.sub(r"[_\s]+", " ", name).strip().lower() or folder


def _pictures(folder: Path) -> Iterator[Path]:
    for path in folder.rglob("*"):
        if path.suffix.lower() in PICTURE_SUFFIXES and not path.name.startswith("."):
            yield path


def read_lines(path: Path) -> Iterator[tuple[int, str]]:
    """Yield the lines of a UTF-8 file that are not blank, with their numbers."""
    try:
        with path.open(encoding="utf-8-sig") as file:
            for number, line in enumerate(file, 1):
                if line.strip():
                    yield number, line.rstrip("\r\n")
    except FileNotFoundError as error:
        raise NotFoundError(f"There is no file {path}.") from error
    except UnicodeDecodeError as error:
        raise BadInputError(f"{path} is not UTF-8 text ({error}).") from error


def read_json_lines(path: Path) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yield the objects of a JSONL file, with their line numbers."""
    for number, line in read_lines(path):
        try:
            value = json.loads(line)
        except ValueError as error:
            raise BadInputError(f"{path}, line {number}: this is not JSON ({error}).") from error
        if not isinstance(value, dict):
            raise BadInputError(f"{path}, line {number}: an object is expected, not a {type(value).__name__}.")
        yield number, value


#: Names of the caption file, by preference; the second is that of the demo collection.
CAPTION_FILES = ("captions.jsonl", "catalogue.jsonl", "metadata.jsonl")
_FILE_KEYS = ("file", "file_name", "path")
_CAPTION_KEYS = ("captions", "caption", "text")


def caption_file(folder: Path) -> Path | None:
    """Return the caption file of a folder, if any."""
    return next((folder / name for name in CAPTION_FILES if (folder / name).is_file()), None)


def read_captioned_folder(captions: Path, images: Path | None = None, split: str | None = None) -> CaptionedSet:
    """Read a caption file; file names are relative to ``images``, by default its own folder.

    Args:
        captions: ``{"file": "a.jpg", "captions": [...], "split": "val"}`` a line; the split may be missing.
        images: The folder of pictures.
        split: Keep this split only.
    """
    folder = images or captions.parent
    pictures = [
        CaptionedPicture(folder / _file_name(record, captions, line), _captions(record, captions, line))
        for line, record in read_json_lines(captions)
        if split is None or record.get("split") == split
    ]
    if split and not pictures:
        raise NotFoundError(f"{captions} has no pictures of the split '{split}'.", "Look at its 'split' fields.")
    return captioned_set(" ".join(filter(None, (folder.absolute().name, split))), pictures, folder)


def _file_name(record: dict[str, Any], path: Path, line: int) -> str:
    name = next((record[key] for key in _FILE_KEYS if key in record), None)
    if not isinstance(name, str) or not name:
        raise BadInputError(f"{path}, line {line}: there is no 'file'.", 'Each line needs "file" and "captions".')
    return name


def _captions(record: dict[str, Any], path: Path, line: int) -> tuple[str, ...]:
    given = next((record[key] for key in _CAPTION_KEYS if key in record), None)
    captions = [given] if isinstance(given, str) else given
    if not isinstance(captions, list) or not all(isinstance(caption, str) for caption in captions):
        raise BadInputError(f"{path}, line {line}: 'captions' is no list of texts.")
    return tuple(caption for caption in captions if caption.strip())


TOKENS = "Flickr8k.token.txt"
#: Our names of the splits, and the published lists.
_FLICKR8K_SPLITS = {"train": "trainImages", "val": "devImages", "dev": "devImages", "test": "testImages"}
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
    if split not in _FLICKR8K_SPLITS:
        raise BadInputError(f"Flickr8k has no split '{split}'.", f"Choose one of {', '.join(_FLICKR8K_SPLITS)}.")
    return [line.strip() for _, line in read_lines(folder / f"Flickr_8k.{_FLICKR8K_SPLITS[split]}.txt")]


def _find_images(folder: Path) -> Path:
    for place in (parent / name for parent in (folder, folder.parent) for name in _IMAGE_FOLDERS):
        if place.is_dir():
            return place
    raise NotFoundError(f"There is no folder of pictures beside {folder}.", "Say where it is with --images.")


STYLES = "styles.csv"
_PRODUCT_SPLITS = ("train", "val")
_TITLE = "productDisplayName"
#: One product in so many is held out.
_HELD_OUT = 20


def is_held_out(product: str) -> bool:
    """Return whether a product belongs to the split ``val``: a fixed twentieth, chosen by a hash of the id."""
    return _part(product) == 0


def is_development(product: str) -> bool:
    """Return whether a product validates trainings on products: another fixed twentieth, never trained on by them."""
    return _part(product) == 1


def _part(product: str) -> int:
    digest = hashlib.blake2b(product.encode()).hexdigest()
    return int(digest[:8], 16) % _HELD_OUT


def read_products(styles: Path, images: Path | None = None, split: str | None = None) -> CaptionedSet:
    """Read the titles of products.

    Args:
        styles: The CSV file.
        images: The folder of pictures; by default searched beside the file.
        split: ``val`` for the held-out twentieth, ``train`` for the others, otherwise all.
    """
    if split not in (None, *_PRODUCT_SPLITS):
        raise BadInputError(f"Products have no split '{split}'.", f"Choose one of {', '.join(_PRODUCT_SPLITS)}.")
    rows = _titles(styles)
    folder = images or _find_product_images(styles.parent, [product for product, _ in rows])
    pictures = [
        CaptionedPicture(folder / f"{product}.jpg", (title,))
        for product, title in rows
        if split is None or is_held_out(product) == (split == "val")
    ]
    return captioned_set(f"products {split}" if split else "products", pictures, folder)


def _titles(path: Path) -> list[tuple[str, str]]:
    # The published file does not quote its last column, the title, so a comma there makes one column too many.
    reader = csv.reader(line for _, line in read_lines(path))
    header = next(reader, [])
    if header[:1] != ["id"] or header[-1:] != [_TITLE]:
        raise BadInputError(f"{path} does not begin with the columns id ... {_TITLE}.")
    last = len(header) - 1
    titles = ((row[0].strip(), ",".join(row[last:]).strip()) for row in reader if len(row) > last)
    return [(product, title) for product, title in titles if product and title]


def _find_product_images(folder: Path, products: list[str]) -> Path:
    places = [folder, folder / "images", *sorted(p for p in folder.iterdir() if p.is_dir())]
    for place in places:
        if any((place / f"{product}.jpg").is_file() for product in products):
            return place
    raise NotFoundError(f"There are no pictures of products in {folder}.", "Say where they are with --images.")


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
