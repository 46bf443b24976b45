"""The text form of every command is exact: parse and print are inverses."""

from __future__ import annotations

import re
from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st
from language_support import LINES

from visavis.errors import BadInputError
from visavis.language import commands as c
from visavis.language.commands.edits import AttributeName
from visavis.language.commands.talk import ChatKind
from visavis.stores import filters

EXACT_FORMS = [
    *LINES,
    *"""
search red dress
refine less formal
answer yes, the blue one
like this
unlike #2
select #3
filter colour = red
filter "base colour" != "3 stripes"
filter year >= 2011
sort year desc
sort taken desc
count cats on sofas
describe #3
why this
values "base colour"
compare this #4 #7
compare id:0123456789abcdef0123456789abcdef #2
questions on
recolor blue on dress
recolor #ff8800 on dog on the left
remove bin on the left marked +512,300
remove selection marked +20:100,80,140,90 -5:0,0
recolor blue on dress marked -512,300 +12:1,2,3,4,5,6
image_cutout on subject marked +0,1000
caption "rain on me" top on sky marked -500,500
replace_background "a beach on an island" on dog marked +1,2
more
fewer 5
adjust_attr brightness 40
adjust_attr contrast -20
adjust_color red 0.5
crop on dog on the left
image_cutout
sepia 80
vignette 40
invert
enhance
caption "Happy birthday" bottom
caption "rain on me" top on sky
redo
export
export "towel.png"
clarify "Which way?" {"clockwise": "rotate 270", "anticlockwise": "rotate 90"}
clarify "Which one?" {"the left one": null}
""".strip().splitlines(),
]


@pytest.mark.parametrize("line", EXACT_FORMS)
def test_exact_form(line):
    assert str(c.parse_command(line)) == line


def test_every_kind_has_an_exact_form():
    assert {line.split()[0] for line in EXACT_FORMS} == {kind.verb for kind in c.KINDS}


def test_marks_are_told_from_the_thing():
    command = c.parse_command("remove dog on the left marked +512,300 -20:100,80,140,90")
    assert command.target == "dog on the left"
    assert [(mark.adds, mark.radius, len(mark.points)) for mark in command.marks] == [(True, None, 1), (False, 20, 2)]
    assert c.parse_command("remove bag marked with a cross").target == "bag marked with a cross"
    assert c.parse_command("remove marked +1,2") == c.parse_command("remove selection marked +1,2")


@pytest.mark.parametrize("mark", ["+1001,3", "+0:1,2", "+501:1,2", "+9:" + ",".join(["500,500"] * 400)])
def test_marks_outside_of_the_picture_or_without_end_are_refused(mark):
    with pytest.raises(BadInputError):
        c.parse_command(f"remove dog marked {mark}")


words = st.text(min_size=1, max_size=40).filter(
    lambda text: bool(text.strip()) and bool(" ".join(text.split()).strip())
)
printable = words.map(lambda text: "".join(ch for ch in text if ch.isprintable())).filter(
    lambda text: bool(text.strip())
)
pictures = st.one_of(st.builds(c.Shown, st.integers(1, 999)), st.just(c.THIS))
turns = st.builds(c.AtTurn, st.integers(1, 999))
targets = st.one_of(st.none(), printable)
colours = st.sampled_from(["red", "skyblue", "light-blue", "#ff8800"])
amounts = st.floats(-100, 100)
counts = st.one_of(st.none(), st.integers(1, 1000))
values = st.one_of(printable, st.floats(-1e9, 1e9), pictures)


def filters_strategy():
    some_of = st.builds(
        c.Filter, printable, st.sampled_from(["=", "!="]), st.lists(values, min_size=1, max_size=3).map(tuple)
    )
    numbers = st.one_of(st.floats(-1e9, 1e9), pictures)
    bound = st.builds(c.Filter, printable, st.sampled_from(["<", "<=", ">", ">="]), st.tuples(numbers))
    return st.one_of(some_of, bound)


def boxes():
    corner, size = st.integers(0, 5000), st.integers(1, 5000)
    return st.builds(lambda x, y, w, h: (x, y, x + w, y + h), corner, corner, size, size)


any_command = st.one_of(
    *(st.builds(kind, printable) for kind in (c.Search, c.Refine, c.Avoid, c.Forget, c.Answer)),
    *(st.builds(kind, pictures) for kind in (c.Like, c.Unlike, c.Select)),
    *(st.builds(kind, counts) for kind in (c.More, c.Fewer, c.Random)),
    *(st.builds(kind, target=targets) for kind in (c.ImageCutout, c.Grayscale, c.Invert, c.Enhance)),
    *(st.builds(kind, st.floats(0, 100), target=targets) for kind in (c.Blur, c.Sepia, c.Vignette)),
    st.builds(c.Keep, printable, st.one_of(pictures, turns)),
    filters_strategy(),
    st.builds(c.Sort, printable, st.sampled_from(["asc", "desc"])),
    st.builds(c.Rollback, st.integers(1, 999)),
    st.builds(c.Rotate, st.floats(0, 360), target=targets),
    st.builds(c.AdjustAttr, st.sampled_from(get_args(AttributeName)), amounts, target=targets),
    st.builds(c.AdjustColor, colours, st.floats(0, 1), target=targets),
    st.builds(c.Crop, boxes()),
    st.builds(c.Crop, target=printable),
    st.builds(c.Crop, st.none(), st.tuples(st.integers(1, 100), st.integers(1, 100)), target=targets),
    st.builds(c.Flip, st.sampled_from(["horizontal", "vertical"]), target=targets),
    st.builds(c.Resize, st.integers(1, 9000), st.one_of(st.none(), st.integers(1, 9000))),
    st.builds(c.Resize, percent=st.floats(1, 1000)),
    st.builds(c.ReplaceBackground, st.one_of(colours, pictures, printable), target=targets),
    st.builds(c.Straighten, st.one_of(st.none(), st.floats(-45, 45)), target=targets),
    st.builds(c.Border, st.integers(1, 1000), colours, target=targets),
    st.builds(c.Caption, printable, st.sampled_from(["top", "center", "bottom"]), target=targets),
    st.builds(c.Recolor, colours, target=printable),
    st.builds(c.Remove, target=printable),
    st.builds(c.Count, st.one_of(st.none(), printable)),
    st.builds(c.Ask, printable),
    *(st.builds(kind, pictures) for kind in (c.Describe, c.Why)),
    st.builds(c.Values, printable),
    st.builds(c.Compare, st.lists(pictures, min_size=2, max_size=4, unique=True).map(tuple)),
    st.builds(c.Questions, st.sampled_from(["on", "off"])),
    st.builds(c.Filter, st.just("taken"), st.just("="), st.tuples(printable)),
    st.builds(c.Undo, st.integers(1, 50)),
    st.builds(c.Redo, st.integers(1, 50)),
    st.builds(c.Reset, st.sampled_from(["all", "edits"])),
    st.builds(c.Repeat, st.integers(1, 50)),
    st.builds(c.Repeat, st.none(), st.lists(st.builds(c.Shown, st.integers(1, 99)), min_size=1).map(tuple)),
    st.builds(c.Export, st.one_of(st.none(), printable)),
    st.builds(c.Chat, st.sampled_from(get_args(ChatKind))),
    st.builds(
        c.Clarify,
        printable,
        st.lists(
            st.tuples(printable, st.one_of(st.none(), printable)),
            max_size=3,
            unique_by=lambda o: " ".join(o[0].split()),
        ).map(tuple),
    ),
)


@given(any_command)
def test_round_trip(command):
    line = str(command)
    assert "\n" not in line
    assert len(line.splitlines()) == 1
    assert c.parse_command(line) == command
    assert str(c.parse_command(line)) == line


def parsed(line):
    try:
        return c.parse_command(line)
    except BadInputError:  # anything else would fail the test
        return None


@given(st.text(max_size=80))
def test_any_line_is_a_command_or_a_clear_error(line):
    command = parsed(line)
    assert command is None or c.parse_command(str(command)) == command


@given(st.sampled_from([kind.verb for kind in c.KINDS]), st.text(alphabet='abc019#@"{}<>=|.:- on\\', max_size=30))
def test_any_arguments_are_read_or_refused(verb, arguments):
    command = parsed(f"{verb} {arguments}")
    assert command is None or c.parse_command(str(command)) == command


@pytest.mark.parametrize(
    "line",
    [
        "",
        "frobnicate",
        "search",
        "search " + "x" * 501,
        "rotate",
        "rotate ninety",
        "rotate 361",
        "rotate -90",
        "adjust_attr brightness 101",
        "adjust_attr hue 10",
        "adjust_color red 1.5",
        "crop",
        "crop 10 10 5 20",
        "filter price",
        "filter price < cheap",
        "filter price ~ 5",
        "like 4",
        "like #0",
        "rollback 0",
        "keep colour",
        "resize 0x10",
        "undo 0",
        "image_cutout now",
        "clarify Which",
    ],
)
def test_bad_lines_are_refused_with_a_sentence(line):
    with pytest.raises(BadInputError) as caught:
        c.parse_command(line)
    assert len(caught.value.message) > 5


@pytest.mark.parametrize(
    ("written", "exact"),
    [
        ("filter price <= 1e2", "filter price <= 100"),
        ("filter price ≤ 100", "filter price <= 100"),
        ("filter colour == 'navy blue'", "filter colour = navy blue"),
        ("filter colour <> red|blue", "filter colour != red | blue"),
        ("filter number = 5", "filter number = 5"),
        ("filter price < this", "filter price < this"),
        ("filter title = this one", "filter title = this one"),
    ],
)
def test_filter_commands_share_the_grammar_of_filters(written, exact):
    assert str(c.parse_command(written)) == exact


@pytest.mark.parametrize(
    ("line", "says"),
    [
        ("filter price <", "a value was expected, not the end"),
        ("filter price", "=, !=, <, <=, > or >= was expected"),
        ("filter size = 5 wide", "'|' was expected, not 'wide'"),
        ('filter size = "5', "the quotation mark is not closed"),
    ],
)
def test_a_bad_filter_says_what_was_expected(line, says):
    with pytest.raises(BadInputError, match=re.escape(says)) as caught:
        c.parse_command(line)
    assert caught.value.remedy


def test_filters_become_conditions():
    assert c.parse_command("filter colour = red").condition() == filters.Equals("colour", "red")
    assert c.parse_command("filter colour = red | blue").condition() == filters.AnyOf("colour", ("red", "blue"))
    assert c.parse_command("filter year != 2011").condition() == filters.Not(filters.Equals("year", 2011))
    assert c.parse_command("filter price < 50").condition() == filters.Range("price", below=50)
    assert c.parse_command("filter price >= 50").condition() == filters.Range("price", at_least=50)
    with pytest.raises(BadInputError):
        c.parse_command("filter price < #4").condition()


def test_relative_wishes_say_what_changes():
    sleeves, formal = c.Refine("longer sleeves and a bit less formal").changes
    assert (sleeves.toward, sleeves.away_from) == ("long sleeves", "short sleeves")
    assert (formal.toward, formal.away_from) == ("casual", "formal")
    assert c.Refine("more stripes").changes[0].toward == "stripes"
    assert c.Refine("not so dark").changes[0].toward == "bright"
    assert c.Refine("it is too long").changes[0].toward == "short"
    assert not c.Refine("in red").relative
    assert not c.Refine("leather flower under water").relative


@given(st.sampled_from(EXACT_FORMS), st.text(st.characters(codec=None), max_size=6), st.integers(0, 30))
def test_whatever_is_read_can_be_written_down(line, strange, at):
    """JSON in quotation marks can name half a character, which no file and no database takes."""
    for text in (line[:at] + strange + line[at:], line.replace('"', f'"\\ud800{strange}', 1)):
        written = str(parsed(text))
        assert written.encode().decode() == written
