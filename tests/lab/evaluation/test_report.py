from itertools import pairwise

import ir_measures
from hypothesis import given
from hypothesis import strategies as st

from visavis.lab.evaluation import report as results


def test_files_have_the_agreed_form(tmp_path):
    results.write_run(tmp_path / "run", {"q 1": [("a", 2.0), ("b", 1.0)]}, "my system")
    results.write_qrels(tmp_path / "qrels", {"q 1": "b"})
    assert (tmp_path / "run").read_text() == "q_1 Q0 a 1 2.0 my_system\nq_1 Q0 b 2 1.0 my_system\n"
    assert (tmp_path / "qrels").read_text() == "q_1 0 b 1\n"
    (judged,) = ir_measures.read_trec_qrels(str(tmp_path / "qrels"))
    assert (judged.query_id, judged.doc_id, judged.relevance) == ("q_1", "b", 1)


@given(st.lists(st.sampled_from([0.0, 0.5, 1.0, -3.0]), min_size=1, max_size=10))
def test_order_survives_equal_and_rising_scores(tmp_path_factory, scores):
    file = tmp_path_factory.mktemp("trec") / "run"
    names = [f"p{i}" for i in range(len(scores))]
    results.write_run(file, {"q": list(zip(names, scores, strict=True))}, "t")
    read = list(ir_measures.read_trec_run(str(file)))
    assert [found.doc_id for found in read] == names
    assert all(before.score > after.score for before, after in pairwise(read))
