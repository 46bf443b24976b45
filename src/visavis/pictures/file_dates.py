"""The day that a file's name tells: what phones, messengers and screenshots write into it."""

from __future__ import annotations

import re
from datetime import UTC, date, datetime
from pathlib import PurePath

#: A date with separators, or eight digits in a row; then maybe a time.
_DATE = re.compile(
    r"(?<!\d)(?P<year>19[89]\d|20\d\d)(?P<gap>[-_.]?)(?P<month>0[1-9]|1[0-2])(?P=gap)(?P<day>0[1-9]|[12]\d|3[01])"
    r"(?:[ _T-]{0,3}(?:at )?(?P<hour>[01]\d|2[0-3])(?P<mark>[-_.:h]?)(?P<minute>[0-5]\d)(?P=mark)(?P<second>[0-5]\d)"
    r"(?:\d{3})?)?(?!\d)"
)
#: Milliseconds since 1970, as messengers name what they download: FB_IMG_1562254212345.
_MILLISECONDS = re.compile(r"(?<!\d)(1[0-9]{12})(?!\d)")
#: Letters before eight digits that name a picture by its day, not by an article's number.
_CAMERA = re.compile(r"^(?:img|vid|pxl|mvimg|dsc|pano|burst|screenshot|photo|signal|wp|cimg|p)[-_ ]?$", re.IGNORECASE)
#: What WhatsApp writes behind the day: its number among the day's pictures.
_WHATSAPP = re.compile(r"^-WA\d+")


def date_in_name(path: str) -> str | None:
    """The day, or the day and the time, in a file's name, as ISO 8601; None where there is none.

    Eight digits alone may be an article number, so that they need a camera's letters before them, a time behind them,
    or separators.

    >>> date_in_name("IMG_20190704_153012.jpg"), date_in_name("IMG-20190704-WA0003.jpg")
    ('2019-07-04T15:30:12', '2019-07-04')
    >>> date_in_name("2019-07-04 15.30.12.png"), date_in_name("20190704.jpg")
    ('2019-07-04T15:30:12', None)
    """
    stem = PurePath(path.replace("\\", "/")).stem
    for found in _DATE.finditer(stem):
        named = _CAMERA.match(stem[: found.start()]) or _WHATSAPP.match(stem[found.end() :])
        told = found["gap"] or found["hour"] or named
        if told and (taken := _iso(found)) is not None:
            return taken
    if (stamp := _MILLISECONDS.search(stem)) is not None:
        return datetime.fromtimestamp(int(stamp[1]) / 1000, UTC).date().isoformat()
    return None


def _iso(found: re.Match[str]) -> str | None:
    try:
        day = date(int(found["year"]), int(found["month"]), int(found["day"]))
    except ValueError:
        return None
    if day.year > datetime.now(UTC).year + 1:
        return None
    if found["hour"] is None:
        return day.isoformat()
    return f"{day.isoformat()}T{found['hour']}:{found['minute']}:{found['second']}"
