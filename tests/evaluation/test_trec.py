from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from visavis.errors import BadInputError
from visavis.evaluation import trec


def test_files_have_the_agreed_form(tmp_path):
    trec.write_run(tmp_path / "run", {"q 1": [("a", 2.0), ("b", 1.0)]}, "my system")
    trec.write_qrels(tmp_path / "qrels", {"q 1": "b"})
    assert (tmp_path / "run").read_text() == "q_1 Q0 a 1 2.0 my_system\nq_1 Q0 b 2 1.0 my_system\n"
    assert (tmp_path / "qrels").read_text() == "q_1 0 b 1\n"
    assert trec.read_qrels(tmp_path / "qrels") == {"q_1": {"b": 1}}


@given(st.lists(st.sampled_from([0.0, 0.5, 1.0, -3.0]), min_size=1, max_size=10))
def test_order_survives_equal_and_rising_scores(tmp_path_factory, scores):
    file = tmp_path_factory.mktemp("trec") / "run"
    names = [f"p{i}" for i in range(len(scores))]
    trec.write_run(file, {"q": list(zip(names, scores, strict=True))}, "t")
    read = trec.read_run(file)["q"]
    assert [name for name, _ in read] == names
    assert all(a > b for (_, a), (_, b) in pairwise(read))


def test_a_damaged_line_is_named(tmp_path):
    (tmp_path / "run").write_text("q Q0 a 1 2.0\n")
    with pytest.raises(BadInputError, match="Line 1"):
        trec.read_run(tmp_path / "run")
