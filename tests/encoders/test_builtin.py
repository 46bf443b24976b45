"""The encoder that ships: unit vectors, whatever the batch, whatever the input."""

from __future__ import annotations

import pickle
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from PIL import Image

from visavis.encoders.builtin import BuiltinEncoder, ThreadPool
from visavis.encoders.inputs import LONGEST_TEXT, clean
from visavis.errors import BadInputError

REGIONS = 36
SENTENCES = ["a dog", "a man in a red coat walks past two yellow taxis in the rain", "", "Ünïcödé 猫 🐈"]


def assert_unit(vectors: np.ndarray) -> None:
    assert vectors.dtype == np.float32
    np.testing.assert_allclose(np.linalg.norm(vectors, axis=-1), 1, atol=1e-4)


def test_shapes_and_lengths(builtin: BuiltinEncoder, pictures):
    encoded = builtin.encode_pictures(pictures)
    n, d, grid = len(pictures), builtin.dimension, builtin.description.grid
    assert encoded.whole.shape == (n, d)
    assert encoded.regions.shape == (n, REGIONS, d)
    assert encoded.boxes.shape == (REGIONS, 4)
    patches = builtin.encode_patches(pictures)
    assert patches.shape == (n, grid, grid, d)
    for vectors in (encoded.whole, encoded.regions, patches, builtin.encode_texts(SENTENCES)):
        assert_unit(vectors)


def test_a_batch_is_exactly_its_members(builtin: BuiltinEncoder, pictures):
    together, texts = builtin.encode_pictures(pictures), builtin.encode_texts(SENTENCES)
    for place, image in enumerate(pictures):
        alone = builtin.encode_pictures([image])
        np.testing.assert_array_equal(alone.whole[0], together.whole[place])
        np.testing.assert_allclose(alone.regions[0], together.regions[place], atol=1e-6)
    for place, text in enumerate(SENTENCES):
        np.testing.assert_array_equal(builtin.encode_texts([text])[0], texts[place])


def test_many_texts_are_read_like_few(builtin: BuiltinEncoder):
    texts = [f"a photo of {number} dogs" for number in range(20)]
    each = np.concatenate([builtin.encode_texts([text]) for text in texts])
    assert np.array_equal(builtin.encode_texts(texts), each)


def test_threads_change_nothing(builtin: BuiltinEncoder, pictures):
    single = BuiltinEncoder(threads=1)
    np.testing.assert_array_equal(single.encode_images(pictures), builtin.encode_images(pictures))
    with ThreadPoolExecutor(4) as pool:
        results = list(pool.map(lambda _: builtin.encode_texts(SENTENCES), range(8)))
    assert all(np.array_equal(result, results[0]) for result in results)


def test_one_lazily_opened_file_may_be_shared(builtin: BuiltinEncoder, tmp_path):
    path = tmp_path / "picture.png"
    Image.new("RGB", (400, 300), "teal").save(path)
    with Image.open(path) as image:
        vectors = builtin.encode_images([image] * 6)
    assert np.ptp(vectors, axis=0).max() == 0


def test_empty_batches(builtin: BuiltinEncoder):
    d, grid = builtin.dimension, builtin.description.grid
    encoded = builtin.encode_pictures([])
    assert (encoded.whole.shape, encoded.regions.shape, encoded.boxes.shape) == ((0, d), (0, REGIONS, d), (REGIONS, 4))
    assert builtin.encode_texts([]).shape == (0, d)
    assert builtin.encode_patches([]).shape == (0, grid, grid, d)


def test_regions_are_means_of_patches(builtin: BuiltinEncoder, pictures):
    grid = builtin.description.grid
    patches = builtin.encode_patches(pictures[:1])[0]
    encoded = builtin.encode_pictures(pictures[:1])
    for vector, box in zip(encoded.regions[0], encoded.boxes, strict=True):
        left, top, right, bottom = np.round(box * grid).astype(int)
        mean = patches[top:bottom, left:right].reshape(-1, builtin.dimension).mean(axis=0)
        np.testing.assert_allclose(vector, mean / np.linalg.norm(mean), atol=1e-5)


def test_tokens_are_read_in_their_sentence(builtin: BuiltinEncoder):
    bank, river = builtin.encode_tokens(["a bank", "a bank beside a river"])
    assert (len(bank), len(river)) == (4, 7)
    assert bank.shape[1] == river.shape[1] == 384
    assert not np.allclose(bank[2], river[2], atol=0.01), "the same word in another sentence"


def test_words_far_beyond_the_limit_are_cut(builtin: BuiltinEncoder):
    words = [f"word{n % 7}" for n in range(2000)]
    cut, longer = builtin.encode_texts([" ".join(words[:500]), " ".join(words)])
    np.testing.assert_array_equal(cut, longer)
    other = builtin.encode_texts(["zebra " + " ".join(words)])[0]
    assert not np.array_equal(other, longer), "the beginning must count"


@pytest.mark.parametrize(
    "text",
    [
        "",
        " \n\t",
        "\x00\x01\x02",
        "\ud800 lone",
        "a" * 100_000,
        " " * 200_000,
        "💥" * 500,
        "[CLS] [MASK] [PAD]",
        "\u202e!",
    ],
)
def test_hostile_texts_become_vectors(builtin: BuiltinEncoder, text: str):
    assert_unit(builtin.encode_texts([text]))


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.text(max_size=300))
def test_any_text_becomes_the_same_vector_twice(builtin: BuiltinEncoder, text: str):
    vectors = builtin.encode_texts([text, text])
    assert_unit(vectors)
    np.testing.assert_array_equal(vectors[0], vectors[1])


@pytest.mark.parametrize("mode", ["1", "L", "LA", "P", "RGBA", "CMYK", "I;16", "F", "HSV"])
def test_every_kind_of_picture(builtin: BuiltinEncoder, mode: str):
    image = Image.new("RGB", (40, 30), "orange").convert("L" if mode == "I;16" else mode)
    if mode == "I;16":
        image = Image.fromarray(np.asarray(image, np.uint16) * 257)
    assert_unit(builtin.encode_images([image]))


def test_transparency_is_white_paper(builtin: BuiltinEncoder):
    clear = Image.new("RGBA", (50, 50), (255, 0, 0, 0))
    white = Image.new("RGB", (50, 50), "white")
    first, second = builtin.encode_images([clear, white])
    np.testing.assert_array_equal(first, second)


def test_the_callers_picture_is_left_alone(builtin: BuiltinEncoder):
    image = Image.new("RGBA", (50, 40), (255, 0, 0, 9))
    before = image.tobytes()
    builtin.encode_pictures([image])
    assert (image.size, image.mode, image.tobytes()) == ((50, 40), "RGBA", before)


@pytest.mark.parametrize("wrong", [[None], ["a.jpg"], [np.zeros((4, 4, 3))], [Image.new("RGB", (0, 5))]])
def test_what_is_no_picture_is_refused(builtin: BuiltinEncoder, wrong: list):
    with pytest.raises(BadInputError):
        builtin.encode_pictures(wrong)


def test_a_single_picture_or_text_is_refused(builtin: BuiltinEncoder):
    with pytest.raises(BadInputError, match="list"):
        builtin.encode_texts("a dog")
    with pytest.raises(BadInputError, match="list"):
        builtin.encode_pictures(Image.new("RGB", (5, 5)))
    with pytest.raises(BadInputError, match="Number 1 is a int"):
        builtin.encode_texts(["a", 7])


def test_a_truncated_file_is_told(builtin: BuiltinEncoder, tmp_path):
    path = tmp_path / "cut.jpg"
    Image.effect_noise((300, 300), 90).save(path)
    path.write_bytes(path.read_bytes()[:2000])
    with Image.open(path) as image, pytest.raises(BadInputError, match="Picture 0 cannot be read"):
        builtin.encode_images([image])


def test_it_travels_to_other_processes_as_a_name(builtin: BuiltinEncoder):
    data = pickle.dumps(builtin)
    assert len(data) < 1000
    np.testing.assert_array_equal(pickle.loads(data).encode_texts(["a dog"]), builtin.encode_texts(["a dog"]))


def test_words_alone_never_load_the_image_tower(builtin: BuiltinEncoder):
    fresh = BuiltinEncoder()
    fresh.encode_texts(["a dog"])
    assert fresh._texts.loaded
    assert not fresh._images.loaded


def test_files_are_what_they_were_when_made(builtin: BuiltinEncoder):
    assert set(builtin.description.sha256) >= {"image.onnx", "text.onnx", "tokenizer.json"}
    assert builtin.damage() == []


def test_together_under_60_megabytes(builtin: BuiltinEncoder):
    total = sum(path.stat().st_size for path in builtin.description.folder.iterdir())
    assert total < 60e6, "leave fp32 towers and checkpoints out of the package"


def test_loading_is_quick(builtin: BuiltinEncoder, pictures):
    def load() -> float:
        started = time.process_time()  # a busy machine must not fail this
        fresh = BuiltinEncoder()
        fresh.encode_texts(["a"])
        fresh.encode_images(pictures[:1])
        return time.process_time() - started

    assert min(load() for _ in range(3)) < 1


def test_importing_the_registry_is_light():
    code = "import sys, visavis.encoders; sys.exit('onnxruntime' in sys.modules or 'tokenizers' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_fingerprint_names_the_weights(builtin: BuiltinEncoder):
    assert builtin.fingerprint.startswith(builtin.name)
    assert builtin.fingerprint != builtin.name


@given(st.lists(st.integers()), st.integers(1, 4))
def test_results_keep_their_order(numbers: list[int], threads: int):
    assert ThreadPool(threads).each(lambda n: n + 1, numbers) == [n + 1 for n in numbers]


def test_work_is_done_side_by_side():
    both = threading.Barrier(2)  # one alone would wait in vain
    arrived = ThreadPool(3).each(lambda _: both.wait(timeout=60), range(6))
    assert sorted(arrived) == [0, 0, 0, 1, 1, 1]


def test_few_inputs_are_left_to_the_caller():
    here = threading.get_ident()
    assert ThreadPool(3).each(lambda _: threading.get_ident(), range(3), many=4) == [here] * 3


def test_the_caller_does_what_no_other_thread_has_begun():
    pool, told, free = ThreadPool(2), threading.Event(), threading.Event()
    blocked = threading.Thread(
        target=pool.each, args=(lambda wait: (told.set(), free.wait(60)) if wait else None, [0, 1])
    )
    blocked.start()
    assert told.wait(60)
    assert pool.each(lambda n: n + 1, [1, 2, 3]) == [2, 3, 4]  # although the pool's only thread is busy
    free.set()
    blocked.join()


def test_an_error_reaches_the_caller():
    with pytest.raises(ZeroDivisionError):
        ThreadPool(2).each(lambda n: 1 // n, [1, 0, 1])


def test_no_threads_are_refused():
    with pytest.raises(BadInputError):
        ThreadPool(0)


@given(st.text(alphabet=st.characters(exclude_categories=()), max_size=200))
def test_cleaned_text_is_valid_and_on_one_line(text: str):
    line = clean(text)
    line.encode("utf-8")
    assert "\n" not in line
    assert clean(line) == line


def test_cleaned_text_is_bounded():
    assert len(clean("ab " * 10**6)) <= LONGEST_TEXT
