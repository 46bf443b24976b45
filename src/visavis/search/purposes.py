"""What a thing is wanted for: "a white shirt for a job interview", "heels that go with a red dress".

No picture shows it. Where a catalogue knows what the thing is, the purpose puts such things in order and leaves none
out.
"""

from __future__ import annotations

import re

#: What a thing is to go with is another thing: all that follows is about that.
_BESIDE = re.compile(
    r"[\s,]+(?:(?:that|which)\s+(?:\w+\s+)?(?:go(?:es)?|match(?:es)?|suits?|fits?|works?|pairs?)\b"
    r"|to\s+(?:go|match|pair|combine|complete)\b|(?:going|matching)\b).*$",
    re.IGNORECASE,
)
#: A purpose ends where the looks of the thing are told again.
_PURPOSE = re.compile(
    r"[\s,]+(?:for|to\s+(?:wear|use|bring|take|give)|(?:(?:that|which)\s+)?(?:i|we|she|he)\s+(?:can|could|want|will))\b"
    r"(?:\s+(?!with\b|without\b|in\b)[\w'’-]+)+",
    re.IGNORECASE,
)


def without_purpose(text: str) -> tuple[str, str]:
    """A description without what the thing is for, and the words about that; they name nothing that it goes with.

    >>> without_purpose("little clutch for the evening with a chain")
    ('little clutch with a chain', 'for the evening')
    >>> without_purpose("heels that would go with a red dress"), without_purpose("a red dress")
    (('heels', ''), ('a red dress', ''))
    """
    main = _BESIDE.sub("", text)
    told = " ".join(found[0].strip(" ,") for found in _PURPOSE.finditer(main))
    return _PURPOSE.sub("", main).strip(" ,"), told
