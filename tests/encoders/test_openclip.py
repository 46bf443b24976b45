"""The wrapper of open_clip, with a small model of random weights: nothing is downloaded."""

from __future__ import annotations

import numpy as np
import pytest
from open_clip_here import open_clip_or_skip
from PIL import Image

from visavis.encoders.openclip import PATCH_GRID, OpenClipEncoder, patch_boxes
from visavis.errors import NotFoundError

open_clip = open_clip_or_skip()
torch = pytest.importorskip("torch")

pytestmark = pytest.mark.train


@pytest.fixture(scope="module")
def encoder() -> OpenClipEncoder:
    torch.manual_seed(0)
    vision = open_clip.CLIPVisionCfg(layers=2, width=64, head_width=32, patch_size=16, image_size=64)
    text = open_clip.CLIPTextCfg(context_length=77, vocab_size=49408, width=64, heads=2, layers=2)
    model = open_clip.CLIP(embed_dim=32, vision_cfg=vision, text_cfg=text)
    preprocess = open_clip.image_transform(64, is_train=False)
    return OpenClipEncoder(model, preprocess, open_clip.get_tokenizer("ViT-B-32"), "openclip:test")


def test_shapes_and_lengths(encoder: OpenClipEncoder, pictures):
    encoded = encoder.encode_pictures(pictures)
    texts = encoder.encode_texts(["a dog", "", "\ud800", "word " * 500])
    patches = encoder.encode_patches(pictures)
    assert encoder.dimension == 32
    assert encoded.whole.shape == (len(pictures), 32)
    assert encoded.regions.shape == (len(pictures), 9, 32)
    assert patches.shape == (len(pictures), PATCH_GRID, PATCH_GRID, 32)
    for vectors in (encoded.whole, encoded.regions, patches, texts):
        np.testing.assert_allclose(np.linalg.norm(vectors, axis=-1), 1, atol=1e-4)


def test_a_batch_is_its_members(encoder: OpenClipEncoder, pictures):
    together = encoder.encode_pictures(pictures * 7)
    alone = encoder.encode_pictures(pictures[:1])
    np.testing.assert_allclose(together.whole[0], alone.whole[0], atol=1e-5)
    np.testing.assert_allclose(together.regions[len(pictures)], alone.regions[0], atol=1e-5)
    np.testing.assert_allclose(together.whole, encoder.encode_images(pictures * 7), atol=1e-5)


def test_empty_batches(encoder: OpenClipEncoder):
    encoded = encoder.encode_pictures([])
    assert (encoded.whole.shape, encoded.regions.shape) == ((0, 32), (0, 9, 32))
    assert encoder.encode_texts([]).shape == (0, 32)
    assert encoder.encode_patches([]).shape == (0, PATCH_GRID, PATCH_GRID, 32)


def test_regions_are_crops(encoder: OpenClipEncoder):
    image = Image.effect_noise((200, 100), 90).convert("RGB")
    encoded = encoder.encode_pictures([image])
    left, top, right, bottom = (encoded.boxes[4] * [200, 100, 200, 100]).round().astype(int).tolist()
    crop = image.crop((left, top, right, bottom))
    np.testing.assert_allclose(encoded.regions[0, 4], encoder.encode_images([crop])[0], atol=1e-5)


def test_patch_boxes_lie_around_their_cells():
    boxes = patch_boxes().reshape(PATCH_GRID, PATCH_GRID, 4)
    assert boxes[0, 0].tolist() == pytest.approx([0, 0, 1.5 / PATCH_GRID, 1.5 / PATCH_GRID])
    assert boxes[0, 1, 0] > boxes[0, 0, 0]
    assert boxes[0, 1, 1] == boxes[0, 0, 1], "the second of a row lies to the right"
    assert (boxes[..., :2] < boxes[..., 2:]).all()


@pytest.mark.parametrize(
    ("spec", "why"),
    [("No-Such", "no model 'No-Such'"), ("ViT-B-32", "no weights ''"), ("ViT-B-32/x", "no weights 'x'")],
)
def test_unknown_models_list_the_known(spec: str, why: str):
    with pytest.raises(NotFoundError, match=why) as told:
        OpenClipEncoder.load(spec)
    assert "It has" in told.value.remedy


def test_a_failed_download_is_told(monkeypatch: pytest.MonkeyPatch):
    def fail(*_: object, **__: object) -> None:
        raise ConnectionError("no route")

    monkeypatch.setattr(open_clip, "create_model_and_transforms", fail)
    with pytest.raises(NotFoundError, match="no route"):
        OpenClipEncoder.load("ViT-B-32/laion2b_s34b_b79k")
