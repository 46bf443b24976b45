import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image
from tiny_encoder import TinyEncoder

from visavis.errors import BadInputError, NotFoundError
from visavis.lab.simulation.base import DONT_KNOW, NOTHING_ELSE, Asked, Strength
from visavis.lab.simulation.captions import AttributeUser, CaptionUser, RecordedUser, read_captions, read_recorded
from visavis.lab.simulation.model import ModelUser, other_view

CAPTIONS = {
    "t": (
        "A woman holds a pink umbrella.",
        "Two dogs running on a sunny beach",
        "A lady with a parasol near the sea",
    ),
    "u": ("A red bus on a street.", "A bus drives downtown."),
}
ROWS = {
    "a": {"articleType": "Shirts", "baseColour": "Red", "gender": "Men", "productDisplayName": "Acme Red Shirt"},
    "b": {"articleType": "Shirts", "baseColour": "Blue", "gender": "Women", "productDisplayName": "Acme Blue Shirt"},
}
QUESTIONS = (
    Asked("Is there a dog in it?"),
    Asked("Is it outdoors?"),
    Asked("What colour is the umbrella?"),
    Asked("What else?"),
    Asked("Red or blue?", ("red", "blue")),
    Asked("How many dogs are there?"),
    Asked("Is it like A or B?", ("A", "B"), ("u", "t")),
)


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        (Asked("Is there a person in it?"), "yes"),
        (Asked("Are there any dogs in it?"), "yes"),
        (Asked("Is there a cat in it?"), "no"),
        (Asked("Does it show someone holding an umbrella?"), "yes"),
        (Asked("Is it on a beach?"), "yes"),
        (Asked("Is it rainy there?"), DONT_KNOW),
        (Asked("What colour is the umbrella?"), "pink"),
        (Asked("How many dogs are there?"), "two"),
        (Asked("Is it indoors or outdoors?", ("indoors", "outdoors")), "outdoors"),
        (Asked("What else can you tell me about it?"), CAPTIONS["t"][1]),
        (Asked("Is it more like A or like B?", ("A", "B"), ("u", "t")), DONT_KNOW),
    ],
)
def test_answers_follow_from_the_captions(question, answer):
    assert CaptionUser(CAPTIONS).answer(question, "t", CAPTIONS["t"][:1]) == answer


def test_nothing_is_said_twice():
    user, said = CaptionUser(CAPTIONS), [CAPTIONS["t"][0]]
    for _ in range(2):
        said.append(user.answer(Asked("What else?"), "t", said))
    assert sorted(said) == sorted(CAPTIONS["t"])
    assert user.answer(Asked("What else?"), "t", said) == NOTHING_ELSE


@given(st.integers(0, 5), st.sampled_from(QUESTIONS), st.floats(0, 1))
def test_same_seed_same_answer_in_any_order(seed, question, noise):
    one, other = (CaptionUser(CAPTIONS, Strength(noise=noise, seed=seed)) for _ in range(2))
    other.answer(QUESTIONS[0], "u")
    assert one.answer(question, "t") == other.answer(question, "t")


@given(st.sampled_from(QUESTIONS), st.lists(st.text(max_size=20), min_size=1, max_size=4))
def test_blind_to_every_other_picture(question, others):
    """Whatever is known of the other pictures, the answer about the target is the same."""
    changed = {**CAPTIONS, "u": tuple(others), "v": ("A dog.",)}
    assert CaptionUser(CAPTIONS).answer(question, "t") == CaptionUser(changed).answer(question, "t")


def test_attribute_user_is_blind_to_what_is_not_shown():
    others = {**ROWS, "c": {"articleType": "Watches", "baseColour": "Gold"}}
    assert AttributeUser(ROWS).compare(["a"], "b") == AttributeUser(others).compare(["a"], "b")


def test_noise_is_as_frequent_as_it_says():
    user = CaptionUser({str(i): ("A dog.",) for i in range(600)}, Strength(noise=0.2, seed=3))
    wrong = sum(user.answer(Asked("Is there a dog?"), str(i)) == "no" for i in range(600))
    assert 85 <= wrong <= 155


def test_patience_and_vocabulary_end():
    impatient = CaptionUser(CAPTIONS, Strength(patience=1))
    assert impatient.answer(Asked("Is there a dog?"), "t", ["a", "b"]) == DONT_KNOW
    mute = CaptionUser(CAPTIONS, Strength(vocabulary=0))
    assert mute.answer(Asked("Is there a dog?"), "t") == DONT_KNOW


def test_strength_is_checked():
    with pytest.raises(BadInputError, match="noise"):
        Strength(noise=1.5)
    with pytest.raises(BadInputError, match="patience"):
        Strength(patience=-1)


def test_shoppers_say_what_is_different():
    user = AttributeUser(ROWS)
    assert user.describe("a") == "red shirts"
    assert user.compare(["a"], "b") == "is blue and is for women"
    assert user.compare(["b"], "b") == "is Acme Blue Shirt"
    assert user.answer(Asked("Which baseColour: Red or Blue?", ("Red", "Blue")), "b") == "Blue"
    assert user.answer(Asked("Is it blue?"), "b") == "yes"
    assert user.pick(["a", "b"], "b") == "b"
    assert user.pick(["a"], "b") is None


def test_shoppers_choose_the_reading_of_their_own_words():
    """A question how a message was meant has no value of the product among its options."""
    user = AttributeUser(ROWS)
    readings = Asked("I am not sure what you mean: A or B?", ("only price under 8", "look for “Acme Blue Shirt”"))
    assert user.answer(readings, "b", ("acme blue shirt",)) == "look for “Acme Blue Shirt”"
    assert user.answer(Asked("Which colour: Red or Green?", ("Red", "Green")), "b", ("shirt",)) == "something else"


def test_a_model_user_sees_the_colour_of_its_own_view():
    encoder = TinyEncoder()
    views = {name: encoder.encode_images([Image.new("RGB", (40, 40), name)])[0] for name in ("red", "blue", "green")}
    rng = np.random.default_rng(0)
    noise = [Image.fromarray(rng.integers(0, 255, (40, 40, 3), dtype=np.uint8)) for _ in range(30)]
    plain = [Image.new("RGB", (9, 9), tuple(map(int, rng.integers(0, 255, 3)))) for _ in range(30)]
    user = ModelUser(encoder, views, encoder.encode_images(noise + plain), lambda target: target)
    assert user.answer(Asked("Red or blue?", ("red", "blue")), "blue") == "blue"
    assert user.answer(Asked("Is there a red car in it?"), "red") == "yes"
    assert user.answer(Asked("Is there a red car in it?"), "blue") == "no"
    with pytest.raises(NotFoundError):
        user.answer(Asked("Is it red?"), "unseen")


def test_the_other_view_is_another_cut():
    image = Image.new("RGB", (100, 60))
    image.putpixel((10, 30), (255, 0, 0))
    view = other_view(image)
    assert view.size == (90, 54)
    assert view.getpixel((84, 27)) == (255, 0, 0)


def test_recorded_users_know_what_was_recorded():
    user = RecordedUser({"7": ["a dog", "Is it brown? yes, it is", "where? outside"]})
    assert user.describe("7") == "a dog"
    assert user.answer(Asked("is it brown"), "7") == "yes, it is"
    assert user.answer(Asked("is it green?"), "7") == DONT_KNOW


def test_files_that_are_wrong_are_named(tmp_path):
    (tmp_path / "captions.jsonl").write_text('{"image_id": 1, "captions": ["a"]}\nbroken\n')
    with pytest.raises(BadInputError, match="Line 2"):
        read_captions(tmp_path / "captions.jsonl")
    (tmp_path / "dialogs.json").write_text("{}")
    assert read_recorded(tmp_path / "dialogs.json") == {}
    with pytest.raises(NotFoundError):
        read_recorded(tmp_path / "missing.json")
