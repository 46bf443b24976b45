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
        return [found[1], found[0], *found[2:]] if depth > 250 else found

    depths, shown = DeepRankings(), ranking[:20]
    seen = [one for at in range(0, 3100, 100) for one in depths.page("key", shown, rank, at, 100)]
    assert [one.id for one in seen] == [one.id for one in ranking]
    assert asked == [250, 500, 1000, 2000, 4000]
    assert depths.page("key", shown, rank, 500, 10) == ranking[500:510]
    assert asked == [250, 500, 1000, 2000, 4000]


def test_a_page_costs_one_ranking_however_far_down_it_is():
    ranking = [Result(f"{n:05}", -n) for n in range(20_000)]
    for offset, limit, depth in ((20, 200, 250), (220, 200, 500), (900, 200, 2000), (9900, 200, 10_000)):
        asked: list[int] = []

        def rank(depth, asked=asked):
            asked.append(depth)
            return ranking[:depth]

        page = DeepRankings().page("key", ranking[:20], rank, offset, limit)
        assert page == ranking[offset : min(offset + limit, 10_000)]
        assert asked == [depth]
