"""Rate limits: a token bucket for each user."""

from __future__ import annotations

import time
from collections import OrderedDict
from collections.abc import Callable
from threading import Lock

from visavis.apps.server.security.errors import TooMuchError

#: Users whose buckets are remembered; a full bucket that is forgotten is the same as one that is kept.
_REMEMBERED = 10_000


class Buckets:
    """Lets each key do something ``burst`` times at once and ``rate`` times a second in the long run.

    Args:
        rate: Tokens a second; 0 for no limit.
        burst: Tokens that a full bucket holds.
        clock: Tells the time, in seconds.
    """

    def __init__(self, rate: float, burst: int, clock: Callable[[], float] = time.monotonic) -> None:
        self._rate = rate
        self._burst = burst
        self._clock = clock
        self._levels: OrderedDict[str, tuple[float, float]] = OrderedDict()
        self._lock = Lock()

    def take(self, key: str) -> None:
        """Take one token.

        Raises:
            TooMuchError: There is none; it says when there will be.
        """
        if not self._rate:
            return
        with self._lock:
            now = self._clock()
            level, since = self._levels.get(key, (float(self._burst), now))
            level = min(float(self._burst), level + (now - since) * self._rate)
            if level < 1:
                wait = (1 - level) / self._rate
                raise TooMuchError("That was too much at once.", "Wait a moment, then try again.", wait)
            self._levels[key] = (level - 1, now)
            self._levels.move_to_end(key)
            if len(self._levels) > _REMEMBERED:
                self._levels.popitem(last=False)
