"""The colours of a thing are those in its outline, and are told as people would."""

from __future__ import annotations

import pytest
from PIL import Image

from visavis.assistant.answers import inquiry_in_words
from visavis.assistant.inquiries import Inquiries
from visavis.assistant.notes import PictureDescribed
from visavis.assistant.picture_questions import PictureQuestions
from visavis.assistant.seen import PictureView, Seen
from visavis.assistant.thing_colours import colours_within
from visavis.language.english import indefinite
from visavis.pictures.picture import Picture
from visavis.types import Concept

GRASS = (70, 130, 50)
#: What a thing is painted with, half of it each.
THINGS = {
    "a black and white dog": (((25, 25, 26), (235, 232, 228)), {"black", "white"}),
    "a red ball": (((200, 30, 35), (160, 22, 30)), {"red"}),
    "a grey dog in blue shade": (((95, 100, 112), (120, 126, 138)), {"grey"}),
    "a brown horse": (((110, 66, 38), (140, 92, 56)), {"brown"}),
    "a yellow bus with dark windows": (((240, 200, 40), (30, 32, 34)), {"yellow"}),
}


@pytest.mark.parametrize("name", THINGS)
def test_surroundings_are_not_the_colour_of_a_thing(name: str):
    (upper, lower), told = THINGS[name]
    image, mask = Image.new("RGB", (200, 200), GRASS), Image.new("L", (200, 200), 0)
    image.paste(upper, (80, 60, 130, 110))
    image.paste(lower, (80, 110, 130, 150))
    mask.paste(255, (80, 60, 130, 150))
    found = colours_within(image, mask)
    assert found[0] in told
    assert "green" not in found
    assert len(told) == 1 or set(found) == told


def test_nothing_has_no_colour():
    assert colours_within(Image.new("RGB", (20, 20), GRASS), Image.new("L", (20, 20), 0)) == ()


def view(*seen: Seen) -> PictureView:
    return PictureView(Picture(id="0" * 32, paths=("a.jpg",), width=10, height=10, format="JPEG", bytes=1), seen)


def test_an_unsure_outline_makes_the_answer_unsure():
    answers = [
        PictureQuestions(
            view(Seen("dog", ("black", "white"), "left", 0.9, outlined)), lambda texts: [0.5] * len(texts)
        ).answer("what colour is the dog?")
        for outlined in (0.95, 0.05)
    ]
    assert answers[0].text == answers[1].text == "the dog looks black and white"
    assert answers[0].chance > 0.8
    assert answers[1].chance < 0.5


def test_what_is_hardly_seen_is_not_described():
    said = inquiry_in_words(
        PictureDescribed(
            "#1", view(Seen("dog", ("grey",), "right", 0.9), Seen("leaves on the ground", ("green",), "top", 0.46))
        )
    )
    assert said == "#1: I see a grey dog."


@pytest.mark.parametrize(
    ("noun", "colours", "told"),
    [
        ("leaves on the ground", ("green",), "green leaves on the ground"),
        ("grass", ("green",), "green grass"),
        ("orange", ("orange",), "an orange"),
        ("sand", ("black",), "black sand"),
        ("apple", (), "an apple"),
        ("bus", ("red",), "a red bus"),
        ("glasses", ("black",), "black glasses"),
        ("sheep", ("white",), "a white sheep"),
    ],
)
def test_things_are_told_as_people_would(noun: str, colours: tuple[str, ...], told: str):
    assert indefinite(Seen(noun, colours, "left", 0.9).told) == told


class SeerOfADogAndGrass:
    def concepts(self, picture: str, message: str = "") -> tuple[Concept, ...]:
        return (Concept("dog", ("green",), "left", None, 0.9), Concept("grass", ("green",), "top", None, 0.5))


class BlackAndWhite:
    def of(self, picture: str, concept: Concept) -> tuple[tuple[str, ...], float]:
        return ("black", "white"), 0.9


@pytest.mark.parametrize("question", ["what colour is the dog?", "", "what colour is it?"])
def test_what_is_asked_about_has_the_colours_of_its_outline(question: str):
    own = Inquiries(None, None, None, SeerOfADogAndGrass(), BlackAndWhite())  # type: ignore[arg-type]
    dog, grass = own._view_of(view().picture, question).seen
    assert dog.colours == ("black", "white")
    assert grass.colours == ("green",)
