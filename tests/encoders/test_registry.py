"""Encoders by name."""

from __future__ import annotations

from importlib.util import find_spec

import pytest

from visavis.encoders import load_encoder
from visavis.encoders.builtin import WEIGHTS, BuiltinEncoder
from visavis.errors import BadInputError, MissingExtraError, NotFoundError


def test_by_every_name_the_same_encoder(builtin: BuiltinEncoder):
    loaded = load_encoder()
    assert loaded is load_encoder("builtin")
    assert loaded is load_encoder(builtin.name)
    assert load_encoder(f"folder:{WEIGHTS}").fingerprint == loaded.fingerprint


@pytest.mark.parametrize("name", ["", "  ", None, 3])
def test_no_name(name: object):
    with pytest.raises(BadInputError, match="No encoder was named"):
        load_encoder(name)  # type: ignore[arg-type]


@pytest.mark.parametrize("name", ["clip", "Builtin", "builtin2", "openclip", "folder"])
def test_unknown_names_list_the_known(name: str):
    with pytest.raises(NotFoundError, match=r"openclip:MODEL/PRETRAINED"):
        load_encoder(name)


def test_folders(tmp_path):
    with pytest.raises(NotFoundError, match="no encoder weights"):
        load_encoder(f"folder:{tmp_path}")
    with pytest.raises(BadInputError, match="names no folder"):
        load_encoder("folder:")


@pytest.mark.skipif(bool(find_spec("open_clip")), reason="open_clip is installed")
def test_openclip_says_what_to_install():
    with pytest.raises(MissingExtraError, match=r"visavis\[hub\]"):
        load_encoder("openclip:ViT-B-32/laion2b_s34b_b79k")
