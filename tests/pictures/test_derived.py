from __future__ import annotations

import pytest

from visavis.pictures.derived import date_in_name


@pytest.mark.parametrize(
    ("name", "taken"),
    [
        ("IMG_20190704_153012.jpg", "2019-07-04T15:30:12"),
        ("PXL_20210102_030405678.jpg", "2021-01-02T03:04:05"),
        ("20190704_153012.jpg", "2019-07-04T15:30:12"),
        ("20190704153012.jpg", "2019-07-04T15:30:12"),
        ("Screenshot_20190704-153012_Maps.png", "2019-07-04T15:30:12"),
        ("IMG-20190704-WA0003.jpg", "2019-07-04"),
        ("WhatsApp Image 2019-07-04 at 15.30.12.jpeg", "2019-07-04T15:30:12"),
        ("signal-2019-07-04-153012.jpg", "2019-07-04T15:30:12"),
        ("2019-07-04 15.30.12.png", "2019-07-04T15:30:12"),
        ("2019-07-04 Porto.jpg", "2019-07-04"),
        ("2019_07_04_party.jpg", "2019-07-04"),
        ("/photos/2001/IMG_20190704.jpg", "2019-07-04"),
        ("FB_IMG_1562254212345.jpg", "2019-07-04"),
    ],
)
def test_the_day_is_read_from_the_name(name, taken):
    assert date_in_name(name) == taken


@pytest.mark.parametrize(
    "name",
    [
        "20190704.jpg",
        "article-20190704.jpg",
        "DSC_0001.jpg",
        "2019-13-04.jpg",
        "2019-02-30.jpg",
        "123201907041.jpg",
        "2099-01-01.jpg",
        "sunset.jpg",
        "",
    ],
)
def test_other_numbers_are_no_days(name):
    assert date_in_name(name) is None
