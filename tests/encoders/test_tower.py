"""Threads that keep the order, and texts made safe."""

from __future__ import annotations

import threading

import pytest
from hypothesis import given
from hypothesis import strategies as st

from visavis.encoders.tokens import LONGEST_TEXT, clean
from visavis.encoders.tower import Crew
from visavis.errors import BadInputError


@given(st.lists(st.integers()), st.integers(1, 4))
def test_results_keep_their_order(numbers: list[int], threads: int):
    assert Crew(threads).each(lambda n: n + 1, numbers) == [n + 1 for n in numbers]


def test_work_is_done_side_by_side():
    both = threading.Barrier(2)  # one alone would wait in vain
    Crew(3).each(lambda _: both.wait(timeout=60), range(6))


def test_an_error_reaches_the_caller():
    with pytest.raises(ZeroDivisionError):
        Crew(2).each(lambda n: 1 // n, [1, 0, 1])


def test_no_threads_are_refused():
    with pytest.raises(BadInputError):
        Crew(0)


@given(st.text(alphabet=st.characters(exclude_categories=()), max_size=200))
def test_cleaned_text_is_valid_and_on_one_line(text: str):
    line = clean(text)
    line.encode("utf-8")
    assert "\n" not in line
    assert clean(line) == line


def test_cleaned_text_is_bounded():
    assert len(clean("ab " * 10**6)) <= LONGEST_TEXT
