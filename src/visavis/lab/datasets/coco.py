"""COCO captions: one record a picture as JSONL, or the published ``captions_*.json``, and a folder of pictures."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from visavis.errors import BadInputError, NotFoundError
from visavis.lab.datasets.base import CaptionedPicture, CaptionedSet, captioned_set
from visavis.lab.datasets.folders import read_json_lines


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
