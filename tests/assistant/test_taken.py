"""Pictures by the day on which they were taken."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date
from pathlib import Path

import pytest
from dialogues import carry_out
from drawing import draw
from tiny_encoder import TinyEncoder

from visavis.api import Collection, open_collection
from visavis.assistant import Assistant
from visavis.assistant.draft import CollectionView, in_days
from visavis.assistant.retrieval import TakenDates
from visavis.language.commands import commands_text, parse_command
from visavis.language.dates import TimeRange, days_text, read_days

DAYS = {
    "red": "2018-12-31T23:59:00",
    "green": "2019-06-01T08:00:00",
    "blue": "2019-07-15T12:00:00",
    "yellow": "2019-08-31T22:00:00",
    "white": "2020-01-01T00:00:00",
}


def make(folder: Path, *, years: bool, days: bool = True) -> Collection:
    rows = ["file,caption" + (",taken" if days else "") + (",year" if years else "")]
    for name, day in DAYS.items():
        draw(folder / "pictures" / f"{name}.png", name)
        rows.append(f"{name}.png,all {name}" + (f",{day}" if days else "") + (f",{day[:4]}" if years else ""))
    table = folder / "pictures" / "catalogue.csv"
    table.write_text("\n".join(rows) + "\n")
    collection = open_collection("days", folder / "home", create=True, encoder=TinyEncoder())
    collection.index(table)
    return collection


@pytest.fixture(scope="module", params=[True, False], ids=["with-years", "without-years"])
def dated(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Collection]:
    with make(tmp_path_factory.mktemp("dated"), years=request.param) as collection:
        yield collection


def shown(assistant: Assistant, *lines: str) -> list[str]:
    said = carry_out(assistant, *lines)
    pictures = assistant.collection.catalogue.pictures([result.id for result in said.last.results])
    return [Path(pictures[result.id].path).stem for result in said.last.results]


@pytest.mark.parametrize(
    ("line", "found"),
    [
        ('filter taken = "summer 2019"', {"green", "blue", "yellow"}),
        ('filter taken = "2019"', {"green", "blue", "yellow"}),
        ("filter taken = 2019", {"green", "blue", "yellow"}),
        ("filter taken >= 2019", {"green", "blue", "yellow", "white"}),
        ("filter taken < 2019", {"red"}),
        ('filter taken = "before June 2019"', {"red"}),
        ('filter taken = "since 2019"', {"green", "blue", "yellow", "white"}),
        ('filter taken = "since July 2019"', {"blue", "yellow", "white"}),
        ('filter taken = "between July 2019 and 2020"', {"blue", "yellow", "white"}),
        ('filter taken = "2019-07-15"', {"blue"}),
        ('filter taken != "summer 2019"', {"red", "white"}),
    ],
)
def test_pictures_of_some_days(dated: Collection, line: str, found: set[str]):
    assert set(shown(Assistant(dated), line)) == found


def test_newest_and_oldest_first(dated: Collection):
    newest = shown(Assistant(dated), 'filter taken = "since 2000"', "sort taken desc")
    assert newest == ["white", "yellow", "blue", "green", "red"]
    assert shown(Assistant(dated), 'filter taken = "since 2000"', "sort taken asc") == newest[::-1]


def test_days_are_counted_exactly(dated: Collection):
    said = carry_out(Assistant(dated), 'filter taken = "summer 2019" ; count')
    assert "3 pictures that fit “taken 2019-06-01 to 2019-08-31”." in said.last.reply


def test_relative_times_are_kept_as_days(dated: Collection):
    view, today = CollectionView(dated), date(2020, 3, 1)
    lasting = in_days([parse_command('filter taken = "last summer"')], view, today)
    assert commands_text(lasting) == 'filter taken = "2019-06-01 to 2019-08-31"'
    assert in_days(lasting, view, date(2031, 1, 1)) == lasting, "and mean the same later"


def test_no_time_is_refused_and_nothing_changes(dated: Collection):
    said = carry_out(Assistant(dated), "search red", 'filter taken = "the blue one"')
    assert said.last.reply.startswith("I do not know when “the blue one” is.")
    assert said.last.brief == said.turns[0].brief


def test_where_only_years_are_known_times_become_years(tmp_path: Path):
    with make(tmp_path, years=True, days=False) as collection:
        assistant = Assistant(collection)
        assert set(shown(assistant, 'filter taken = "summer 2019"')) == {"green", "blue", "yellow"}
        assert shown(assistant, 'filter taken = "since 2000"', "sort taken desc")[0] == "white"


def test_without_dates_that_is_said(colours: Collection):
    said = carry_out(Assistant(colours), 'search red ; filter taken = "last summer"')
    assert "do not tell when they were taken" in said.last.reply


def test_whole_years_need_no_list_of_pictures(tmp_path: Path):
    with make(tmp_path, years=True) as collection:
        taken = TakenDates(collection, CollectionView(collection))
        assert "HasId" not in repr(taken.condition(TimeRange(date(2019, 1, 1), date(2019, 12, 31))))
        assert "HasId" in repr(taken.condition(TimeRange(date(2019, 6, 1), None)))


@pytest.mark.parametrize(
    "days",
    [
        TimeRange(date(2019, 6, 1), date(2019, 8, 31)),
        TimeRange(date(2019, 6, 1), date(2019, 6, 1)),
        TimeRange(date(2019, 6, 1), None),
        TimeRange(None, date(2019, 6, 1)),
    ],
)
def test_days_are_written_and_read(days: TimeRange):
    assert read_days(days_text(days)) == days


def test_times_are_said_in_words(dated: Collection):
    assistant = Assistant(dated)
    said = assistant.start()
    turn = assistant.reply(said, "photos from July 2019")
    assert [Path(dated.picture(result.id).path).stem for result in turn.results] == ["blue"]


def test_where_a_picture_was_taken_is_no_question_of_time(tmp_path: Path):
    draw(tmp_path / "pictures" / "a.png", "red")
    table = tmp_path / "pictures" / "catalogue.csv"
    table.write_text("file,taken,place,country,latitude,longitude\na.png,2019-07-04,Lisbon,Portugal,38.7,-9.1\n")
    with open_collection("places", tmp_path / "home", create=True, encoder=TinyEncoder()) as collection:
        collection.index(table)
        assistant = Assistant(collection)
        said = assistant.start()
        assistant.do(said, [parse_command("search red")], "red")
        turn = assistant.do(said, [parse_command("ask where was it taken?")], "where was it taken?")
        assert "Lisbon" in turn.reply
        assert "Portugal" in turn.reply
        assert "2019" not in turn.reply
        assert "38.7" not in turn.reply
        assert "2019" in assistant.do(said, [parse_command("ask when was it taken?")], "when?").reply
