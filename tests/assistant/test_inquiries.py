"""Questions about pictures and about the collection: what is answered, how sure, and that nothing is searched for."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from homes import copy_home
from talking import open_colours

from visavis.api import Collection
from visavis.assistant import Assistant, notes
from visavis.assistant.answers import inquiry_in_words
from visavis.assistant.draft import CollectionView, TurnDraft
from visavis.assistant.inquiries import Inquiries
from visavis.assistant.picture_questions import PictureQuestions
from visavis.assistant.replies import reply_of
from visavis.assistant.reply_json import reply_json
from visavis.assistant.retrieval import ConversationSearch, MatchCount
from visavis.assistant.seen import PictureView
from visavis.conversation.brief import Brief
from visavis.conversation.conversation import Conversation
from visavis.conversation.turns import Turn
from visavis.language.commands import parse_command
from visavis.language.english import is_general
from visavis.pictures.picture import Details, Picture
from visavis.types import Concept, Reason


class SeerOfOneDog:
    """Sees a brown dog on the left and a ball in every picture."""

    def concepts(self, picture: str, message: str = "") -> tuple[Concept, ...]:
        return (Concept("dog", ("brown",), "left", None, 0.9), Concept("ball", ("red",), "bottom right", None, 0.6))


@pytest.fixture(scope="module")
def untouched(colours_template: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Collection]:
    """The colours for these tests alone: what is counted here must not be edited by others."""
    with open_colours(copy_home(colours_template, tmp_path_factory.mktemp("inquiries") / "home")) as collection:
        yield collection


@pytest.fixture
def seeing(untouched: Collection) -> Assistant:
    return Assistant(untouched, seer=SeerOfOneDog())


def done(assistant: Assistant, *lines: str) -> Conversation:
    said = assistant.start()
    for line in lines:
        assistant.do(said, [parse_command(line)], line)
    return said


def state_of(turn: Turn) -> tuple[object, ...]:
    return turn.results, turn.brief, turn.hand, turn.window


ASKING = ["count", "count cats", "describe #2", "ask is it red?", "why #1", "values kind", "compare #1 #2"]


@pytest.mark.parametrize("line", ASKING)
def test_a_question_changes_nothing(seeing: Assistant, line: str):
    said = done(seeing, "search red", line)
    assert state_of(said.last) == state_of(said.turns[0])
    assert said.last.stands_at == 1
    assert said.last.reply


def test_what_fits_is_counted_and_how_sure_that_is(seeing: Assistant):
    assert done(seeing, "count red").last.reply.startswith("About 3 pictures of “red” in the collection. I go by the")
    assert done(seeing, "count").last.reply == "24 pictures in the collection."


def test_an_attribute_is_counted_exactly(seeing: Assistant):
    assert done(seeing, "count plain").last.reply == "12 pictures with kind plain in the collection."
    assert done(seeing, "filter price < 50", "count plain").last.reply == (
        "4 pictures with kind plain among those that fit “price under 50”. In the whole collection: 12."
    )


def test_alternatives_are_counted_together(seeing: Assistant):
    assert done(seeing, "count plain or mixed").last.reply == "24 pictures with kind plain or mixed in the collection."
    worded = done(seeing, "count plain or mixed red").last.reply
    assert worded.startswith("About 3 pictures of “red” with kind plain or mixed in the collection.")
    either, red, blue = (_counted(done(seeing, f"count {text}")) for text in ("red or blue", "red", "blue"))
    assert max(red, blue) < either <= red + blue


def _counted(said: Conversation) -> int:
    return int(said.last.reply.removeprefix("About ").split()[0])


def test_results_are_counted_by_all_wishes(seeing: Assistant):
    assert done(seeing, "filter price < 50", "count").last.reply == (
        "8 pictures that fit “price under 50”. In the whole collection: 24."
    )
    narrowed = done(seeing, "search red", "count blue").last.reply
    assert narrowed.startswith("About 3 pictures of “blue” in the whole collection, none among those that fit “red”")


def test_values_come_with_their_counts(seeing: Assistant):
    assert done(seeing, "values kind").last.reply == "Kind: mixed (12) and plain (12)."
    assert done(seeing, "values price").last.reply == "Price: from 10 to 125."
    assert "do not tell their brand. They tell their kind and price." in done(seeing, "values brand").last.reply


def test_values_are_those_of_the_pictures_that_match(seeing: Assistant):
    told = "Kind of those that fit “price under 50”: mixed (4) and plain (4)."
    assert done(seeing, "filter price < 50", "values kind").last.reply == told
    assert done(seeing, "filter kind = plain", "values kind").last.reply.endswith(": mixed (12) and plain (12).")
    narrowed = done(seeing, "search red", "values kind").last.reply
    assert narrowed.startswith("Kind of those that fit “red”: ")
    assert "(12)" not in narrowed


def test_edited_pictures_are_not_counted(own_colours: Collection):
    said = done(Assistant(own_colours), "filter price < 1000", "select #1", "grayscale", "values kind")
    assert said.turns[2].hand is not None
    assert said.last.reply == "Kind of those that fit “price under 1000”: mixed (12) and plain (12)."


def test_a_picture_is_described_by_words_looks_and_attributes(seeing: Assistant):
    told = done(seeing, "search red", "describe #1").last.reply
    assert told == ("#1: “all red”, by its caption. I see a brown dog and a red ball. Kind plain; price 40.")


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("is it red?", "Yes, the caption says “all red” (it is written; quite sure, 95%)."),
        ("how much does it cost?", "Price: 40."),
        ("what colour is the dog?", "The dog looks brown (by its look; quite sure, 90%)."),
        ("is there a dog in the picture?", "Yes, I see a dog (by its look; quite sure, 90%)."),
        ("how many dogs are there?", "I see dogs, but I cannot count them (by its look; not very sure, 50%)."),
        ("where is the ball?", "The ball: bottom right (by its look; not very sure, 60%)."),
        ("how large is the picture, in pixels?", "40 × 30 pixels (0.0 megapixels, PNG of 1 kB)."),
    ],
)
def test_questions_about_a_picture(seeing: Assistant, question: str, answer: str):
    assert done(seeing, "search red", "select #1", f"ask {question}").last.reply == answer


def test_a_choice_is_made_by_the_looks(seeing: Assistant):
    told = done(seeing, "search red", "ask is it red or blue?").last.reply
    assert told.startswith("Red (by its look; quite sure")


def test_what_is_not_there_is_denied_by_the_looks(seeing: Assistant):
    assert done(seeing, "search red", "ask is it blue?").last.reply.startswith(
        "No, it does not look blue (by its look;"
    )


@pytest.mark.parametrize("question", ["what breed is it?", "when was it taken?", "what does it say?"])
def test_what_cannot_be_told_is_said(seeing: Assistant, question: str):
    told = done(seeing, "search red", f"ask {question}").last.reply
    assert told == "I cannot tell that from the picture."


def test_who_somebody_is_is_not_known(seeing: Assistant):
    told = done(seeing, "search red", "ask who is this?").last.reply
    assert told.startswith("Who that is, I do not know: nothing that came with the picture says it.")


def test_without_a_picture_there_is_nothing_to_ask_about(seeing: Assistant):
    assert done(seeing, "ask what is it?").last.reply.startswith("There is no picture yet")
    assert done(seeing, "search red", "describe #99").last.reply.startswith("There is no picture #99")


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("count", "None that I am sure of fits “red”; the 20 pictures shown come closest."),
        ("count plain", "Of the 20 pictures shown: "),
        ("count red", "Of the 20 pictures shown: about "),
        ("values kind", "Kind of the 20 pictures shown: "),
    ],
)
def test_these_are_what_is_shown_where_nothing_matches(untouched: Collection, line: str, told: str):
    assistant = Assistant(untouched)
    draft = TurnDraft.after(done(assistant, "search red"))
    draft.matches = 0
    view, ranking = CollectionView(untouched), ConversationSearch(untouched)
    inquiries = Inquiries(untouched, view, ranking, SeerOfOneDog())
    inquiries.answer(draft, parse_command(line), draft.situation(view.value_of))
    assert reply_of(draft.notes).startswith(told)
    assert ("In the whole collection: " in reply_of(draft.notes)) == line.startswith("count")


def test_none_is_no_fact_where_some_may_fit():
    counted = notes.PicturesCounted(0, 0, "candles", among="cake or donuts", everywhere=0, near=(4, 10, 2))
    assert reply_of([counted]) == (
        "I am sure of no picture of “candles” among those that fit “cake or donuts”; #4, #10 and #2 come closest."
    )
    assert reply_of([replace(counted, near=())]) == (
        "No picture of “candles” among those that fit “cake or donuts”, as far as I can see."
    )


def test_the_pictures_that_come_closest_are_counted_out(untouched: Collection, monkeypatch: pytest.MonkeyPatch):
    assistant = Assistant(untouched, seer=SeerOfOneDog())
    said = done(assistant, "search red")
    second, fourth = (said.last.results[place].id for place in (1, 3))
    monkeypatch.setattr(ConversationSearch, "count", lambda *_: MatchCount(0, 0))
    monkeypatch.setattr(ConversationSearch, "fits", lambda *_: {second: 0.2, fourth: 0.4})
    assistant.do(said, [parse_command("count candles")], "how many have candles?")
    assert said.last.reply.endswith("; #4 and #2 come closest.")


def test_what_is_only_elsewhere_is_told_first():
    counted = notes.PicturesCounted(0, 0, "", "article type Tshirts", "black handbag", 15)
    assert reply_of([counted]) == (
        "15 pictures with article type Tshirts in the whole collection, none among those that fit “black handbag”, "
        "as far as I can see."
    )


def test_values_that_are_not_wanted_are_not_listed(seeing: Assistant):
    said = done(seeing, "search red", "avoid mixed", "values kind").last.reply
    assert "plain (" in said
    assert "mixed (" not in said
    filtered = done(seeing, "search red", "filter kind != mixed", "values kind").last.reply
    assert "mixed (" not in filtered


def test_of_goods_nothing_is_told_that_only_the_camera_knows():
    attributes = {"price": 18.5, "taken": "2011-11-17T12:33:37", "camera": "X1", "software": "S", "year": 2011}
    sold = Picture("0" * 32, ("a.jpg",), 10, 10, 100, "JPEG", Details(attributes=attributes))
    assert inquiry_in_words(notes.PictureDescribed("#1", PictureView(sold, ()))) == "#1: Price 18.5."
    photo = replace(sold, details=Details(attributes={"taken": "2011-11-17", "year": 2011}))
    assert inquiry_in_words(notes.PictureDescribed("#1", PictureView(photo, ()))) == "#1: Taken 17 November 2011."


def test_times_and_names_of_fields_are_told_in_words():
    details = Details(attributes={"articleType": "Shoes", "taken": "2011-11-17T12:33:37"})
    picture = Picture("0" * 32, ("a.jpg",), 10, 10, 100, "JPEG", details)
    told = inquiry_in_words(notes.PictureDescribed("#1", PictureView(picture, ())))
    assert told == "#1: Kind Shoes; taken 17 November 2011, 12:33."
    answer = PictureQuestions(PictureView(picture, ()), lambda _: []).answer("when was it taken?")
    assert answer.text == "taken: 17 November 2011, 12:33"


def test_why_names_what_fits_and_what_does_not(seeing: Assistant):
    told = done(seeing, "search red", "refine blue", "filter price < 200", "why #1").last.reply
    assert told.startswith("#1 is here because it fits “")
    assert "price under 200 (it has " in told
    shown = done(seeing, "search red", "avoid blue", "why #20").last.reply
    assert "“red” (" in shown
    assert "it does not fit" in shown


def test_why_an_edited_picture_is_here(own_colours: Collection):
    said = done(Assistant(own_colours, seer=SeerOfOneDog()), "search red", "flip horizontal", "why this")
    assert said.last.reply.startswith("This picture is here because it fits “red” (")


def test_pictures_are_compared_side_by_side(seeing: Assistant, untouched: Collection):
    said = done(seeing, "search red", "compare #1 #2")
    compared = said.last.comparison
    assert compared is not None
    assert compared.pictures == tuple(result.id for result in said.last.results[:2])
    rows = dict(compared.rows)
    assert rows["price"] == ("40", "45")
    assert rows["caption"] == ("all red", "red and purple")
    assert "fits “red”" not in rows, "both are red, one a little more"
    other = done(seeing, "search red", "compare #1 #20").last.comparison
    assert other is not None
    assert "fits “red”" in dict(other.rows)
    assert "seen only here" not in rows, "the same things are seen in both"
    assert said.last.reply.startswith("#1 and #2 side by side. What differs: caption: #1 all red, #2 red and purple;")
    plain = reply_json(said.last, untouched)["comparison"]
    assert plain["rows"][0] == {"name": "caption", "values": ["all red", "red and purple"]}
    assert Turn.from_json(said.last.as_json()) == said.last


class SeerWhoDoubts:
    """Sees a different thing in every picture, in every second one hardly."""

    def __init__(self) -> None:
        self.known: list[str] = []

    def concepts(self, picture: str, message: str = "") -> tuple[Concept, ...]:
        self.known += [picture] if picture not in self.known else []
        place = self.known.index(picture)
        return (Concept(f"thing{place}", (), "left", None, 0.55 if place % 2 else 0.8),)


def test_only_what_differs_and_is_surely_seen_tells_pictures_apart(
    untouched: Collection, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(ConversationSearch, "stands", lambda *_: [Reason(0, "red", 0.98)])
    said = done(Assistant(untouched, seer=SeerWhoDoubts()), "search red", "compare #1 #2")
    compared = said.last.comparison
    assert compared is not None
    rows = dict(compared.rows)
    assert any("thing0" in text for text in rows["seen only here"])
    assert not any("thing1" in text for text in rows["seen only here"]), "a guess is no difference"
    assert "fits “red”" not in rows, "both fit as well"


@pytest.mark.parametrize(("own", "told"), [({"price": 5}, set()), ({}, {"taken", "camera"})])
def test_goods_are_not_compared_by_the_camera(
    untouched: Collection, monkeypatch: pytest.MonkeyPatch, own: dict[str, object], told: set[str]
):
    def picture(self: Inquiries, id: str) -> Picture:
        shot = {"taken": f"201{len(id)}-05-01T10:00:00", "camera": f"Model {len(id)}"}
        return Picture(id, ("a.jpg",), 1, 1, 1, "PNG", Details((), {**own, **shot}))

    monkeypatch.setattr(Inquiries, "_picture", picture)
    monkeypatch.setattr(ConversationSearch, "stands", lambda *_: [])
    inquiries = Inquiries(untouched, CollectionView(untouched), ConversationSearch(untouched), SeerOfOneDog())
    rows = dict(inquiries._differences(["a", "bb"], Brief()))
    assert {"taken", "camera"} & rows.keys() == told


def test_questions_can_be_switched_off_and_on(own_home: Path):
    with open_colours(own_home) as collection:
        assistant = Assistant(collection)
        said = done(assistant, "search red", "questions off", "avoid blue")
        assert not said.last.asks
        assert said.last.stands_at == 3
        assert not assistant.memory.load(said.id).last.asks, "it is kept with the conversation"
        assistant.do(said, [parse_command("undo 2")])
        assert said.last.asks, "and undone like anything else"


class AlwaysAsks:
    depth = 5
    counts = False

    def ask(self, _moment: object) -> object:
        from visavis.types import Question

        return Question("Is there a dog?", (("yes", "refine dog"), ("no", "avoid dog")), "yes/no", "dog")


def test_nothing_is_asked_while_questions_are_off(colours: Collection):
    assistant = Assistant(colours, questioner=AlwaysAsks())  # type: ignore[arg-type]
    said = done(
        assistant, "search red", "questions off", "refine blue", "filter price < 1", "questions on", "avoid blue"
    )
    assert [turn.question is not None for turn in said.turns] == [True, False, False, False, False, True]
    assistant.do(said, [parse_command("search green")])
    assert said.last.question is not None


def test_a_conversation_with_questions_replays(seeing: Assistant):
    said = done(seeing, "search red", *ASKING, "questions off")
    again = seeing.replay(said)
    assert [turn.reply for turn in again.turns] == [turn.reply for turn in said.turns]
    assert not again.last.asks


OF_SHIRT = {"title": "John Miller Men Check Black Shirt", "baseColour": "Black", "gender": "Men", "type": "Shirts"}
SHIRT = Picture("a" * 32, ("shirt.jpg",), 40, 40, 100, "JPEG", Details((), OF_SHIRT))


@pytest.mark.parametrize(
    ("question", "told"),
    [
        ("who makes it", "John Miller, going by its title"),
        ("who is it made by", "John Miller, going by its title"),
        ("how much is it", "its price is not told here"),
        ("does it have a pattern", "yes, the title says"),
        ("is it black", "yes, "),
        ("is it red", "no, colour: Black"),
        ("is it for men", "yes, "),
    ],
)
def test_what_comes_with_a_product_answers_before_its_look(question: str, told: str):
    said = PictureQuestions(PictureView(SHIRT), lambda texts: [0.01] * len(texts)).answer(question)
    assert said.text.startswith(told)


def test_a_price_is_told_with_its_currency():
    hat = Picture("b" * 32, ("hat.jpg",), 40, 40, 100, "JPEG", Details((), {"price": 20.99, "currency": "EUR"}))
    said = PictureQuestions(PictureView(hat), lambda texts: [0.0] * len(texts)).answer("how much is it")
    assert said.text == "price: 20.99 EUR"
    assert "currency" not in inquiry_in_words(notes.PictureDescribed("#1", PictureView(hat)))


def test_two_counts_are_compared(seeing: Assistant):
    said = seeing.start()
    seeing.do(said, [parse_command("count plain"), parse_command("count red")], "more plain or more red?")
    assert said.last.reply == "About 12 plain, 3 red in the whole collection: more plain."


def test_a_quality_is_told_beside_its_opposite_and_never_quite_surely():
    def judged(texts):
        return [0.02 if "long" in text else 0.01 if "short" in text else 0.0 for text in texts]

    questions = PictureQuestions(PictureView(SHIRT), judged)
    assert questions.answer("is it long sleeved").text == "yes, it looks long sleeved"
    asleep = questions.answer("is he asleep")
    assert (asleep.text, asleep.chance) == ("no, it does not look asleep", 0.7)
    assert questions.answer("is there a dog").text == "no, I do not see a dog"


@pytest.mark.parametrize("question", ["does it come in gold", "is anyone wearing a hat"])
def test_what_is_no_quality_is_answered_without_its_words(question: str):
    """ "No, it does not look come in gold" is no sentence."""
    assert PictureQuestions(PictureView(SHIRT), lambda texts: [0.0 for _ in texts]).answer(question).text == "no"
    assert PictureQuestions(PictureView(SHIRT), lambda texts: [0.9 for _ in texts]).answer(question).text == "yes"


def test_a_condition_is_counted_exactly(seeing: Assistant):
    assert done(seeing, "count price < 50").last.reply == "8 pictures with price under 50 in the collection."
    assert done(seeing, "filter kind = plain", "count price < 50").last.reply == (
        "4 pictures with price under 50 among those that fit “plain”. In the whole collection: 8."
    )
    worded = done(seeing, "count red; price < 50").last.reply
    assert "of “red” with price under 50" in worded


def test_the_same_is_counted_of_what_is_shown_where_nothing_matches(seeing: Assistant):
    said = done(seeing, "search a steam engine in a tunnel")
    assert said.last.matches == 0
    seeing.do(said, [parse_command("count price < 50")], "how many are under 50?")
    assert " with price under 50." in said.last.reply
    assert said.last.reply.startswith(f"Of the {len(said.last.results)} pictures shown: ")


def test_a_rough_count_does_not_alarm():
    told = inquiry_in_words(notes.PicturesCounted(21, 2, among="watch"))
    assert told == "About 21 pictures that fit “watch”. I go by the looks, so that is a rough number."


def test_makers_are_listed_by_the_titles_that_begin_with_them(own_colours: Collection, monkeypatch: pytest.MonkeyPatch):
    titles = [("Ray-Ban Women Brown Sunglasses", 1), ("Ray-ban Men Black Sunglasses", 2), ("Idee Men Sunglasses", 1)]
    real = own_colours.store.facets

    def facets(_store, field, *more, **named):
        return titles if field == "title" else real(field, *more, **named)

    monkeypatch.setattr(type(own_colours.store), "facets", facets)
    said = done(Assistant(own_colours, seer=SeerOfOneDog()), "values brand")
    assert said.last.reply == "Brands, by their titles: Ray-Ban (3) and Idee (1)."


def test_whom_a_thing_is_for_is_counted_exactly(seeing: Assistant):
    assert done(seeing, "count for plain").last.reply == "12 pictures with kind plain in the collection."


@pytest.mark.parametrize("question", ["what kind of pictures do you have?", "what do you have?"])
def test_what_a_collection_holds_is_told(seeing: Assistant, question: str):
    said = seeing.start()
    assert str(seeing.reply(said, question).commands[0]).startswith("values ")
    told = done(seeing, "values pictures").last.reply
    assert told.startswith("24 pictures in all. Most of them are mixed (12) and plain (12).")
    assert told.endswith("Say, for example, “mixed” or “plain”.")


def test_what_pictures_show_is_told_where_no_attribute_does():
    things = (("cat", 20), ("train", 8))
    told = reply_of([notes.CollectionDescribed(500, things, True, (2010, 2014), ("place",), ("a cat", "a train"))])
    assert told == (
        "500 pictures in all. Most often they show cats (about 20) and trains (about 8). They are from 2010 to 2014. "
        "They also tell their place. Say, for example, “a cat” or “a train”."
    )


@pytest.mark.parametrize(
    ("words", "general"),
    [("pictures", True), ("what do you have", True), ("cats", False), ("what cats have you", False)],
)
def test_words_that_name_nothing_in_particular(words: str, general: bool):
    assert is_general(words) is general
