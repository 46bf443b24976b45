"""Rankings without a turn."""

from __future__ import annotations

from visavis.server.services.rankings import DeepRankings
from visavis.types import Result


def test_a_long_list_grows_and_keeps_what_was_shown():
    ranking = [Result(f"{n:04}", -n) for n in range(3000)]
    asked = []

    def rank(depth):
        asked.append(depth)
        # a deeper ranking orders its beginning a little differently
        found = ranking[:depth]
        return [found[1], found[0], *found[2:]] if depth > 200 else found

    depths, shown = DeepRankings(), ranking[:20]
    seen = [one for at in range(0, 3100, 100) for one in depths.page("key", shown, rank, at, 100)]
    assert [one.id for one in seen] == [one.id for one in ranking]
    assert asked == [200, 1000, 4000]
    assert depths.page("key", shown, rank, 500, 10) == ranking[500:510]
    assert asked == [200, 1000, 4000]
