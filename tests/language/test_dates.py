"""Times in a person's own words."""

from __future__ import annotations

from datetime import date

import pytest

from visavis.language.dates import TimeRange, time_range

pytest.importorskip("dateparser")
TODAY = date(2026, 11, 15)


@pytest.mark.parametrize(
    ("said", "first", "last"),
    [
        ("last summer", "2026-06-01", "2026-08-31"),
        ("summer 2019", "2019-06-01", "2019-08-31"),
        ("last winter", "2025-12-01", "2026-02-28"),
        ("last autumn", "2025-09-01", "2025-11-30"),
        ("this autumn", "2026-09-01", "2026-11-30"),
        ("June 2019", "2019-06-01", "2019-06-30"),
        ("in 2015", "2015-01-01", "2015-12-31"),
        ("last year", "2025-01-01", "2025-12-31"),
        ("last week", "2026-11-02", "2026-11-08"),
        ("yesterday", "2026-11-14", "2026-11-14"),
        ("10 May 2020", "2020-05-10", "2020-05-10"),
        ("before 2016", None, "2015-12-31"),
        ("newer than 2016", "2017-01-01", None),
        ("since June 2019", "2019-06-01", None),
        ("until 2016", None, "2016-12-31"),
        ("between 2015 and 2017", "2015-01-01", "2017-12-31"),
        ("from June 2019 to August 2019", "2019-06-01", "2019-08-31"),
        ("2015-2017", "2015-01-01", "2017-12-31"),
        ("the nineties", "1990-01-01", "1999-12-31"),
        ("1930s", "1930-01-01", "1939-12-31"),
        ("the 90s", "1990-01-01", "1999-12-31"),
        ("christmas 2018", "2018-12-24", "2018-12-26"),
        ("last Christmas", "2025-12-24", "2025-12-26"),
        ("new year's eve", "2025-12-31", "2025-12-31"),
        ("last weekend", "2026-11-07", "2026-11-08"),
    ],
)
def test_ranges(said, first, last):
    day = date.fromisoformat
    assert time_range(said, TODAY) == TimeRange(day(first) if first else None, day(last) if last else None)


@pytest.mark.parametrize("said", ["", "a red dress", "12", "2017 to 2015", "between here and there"])
def test_what_is_no_time(said):
    assert time_range(said, TODAY) is None
