"""Quantised copies of a small network: close to it, smaller, and row-wise ones the same in every batch."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from visavis.errors import BadInputError

onnx = pytest.importorskip("onnx", reason="onnx is not installed (extra 'train')")
pytest.importorskip("torch")

from visavis.lab.training.quantise import quantise, quantise_columns, quantise_rows  # noqa: E402

pytestmark = pytest.mark.train

WIDTH, WORDS = 64, 4000


@pytest.fixture(scope="module", params=[17, 20])
def network(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Words -> table -> product -> Gelu-like -> product, as text towers begin and go on."""
    random = np.random.default_rng(1)
    helper, array = onnx.helper, onnx.numpy_helper.from_array
    constants = {
        "table": random.normal(size=(WORDS, WIDTH)),
        "first": random.normal(size=(WIDTH, 4 * WIDTH)) / 8,
        "bias": random.normal(size=4 * WIDTH),
        "second": random.normal(size=(4 * WIDTH, 32)) / 16,
    }
    nodes = [
        helper.make_node("Gather", ["table", "ids"], ["x"]),
        helper.make_node("MatMul", ["x", "first"], ["y"]),
        helper.make_node("Add", ["y", "bias"], ["z"]),
        helper.make_node("Relu", ["z"], ["a"]),
        helper.make_node("MatMul", ["a", "second"], ["out"]),
    ]
    graph = helper.make_graph(
        nodes,
        "network",
        [helper.make_tensor_value_info("ids", onnx.TensorProto.INT64, ["n", "l"])],
        [helper.make_tensor_value_info("out", onnx.TensorProto.FLOAT, ["n", "l", 32])],
        [array(value.astype(np.float32), name) for name, value in constants.items()],
    )
    opsets = [helper.make_opsetid("", request.param)]
    path = tmp_path_factory.mktemp("network") / "network.onnx"
    onnx.save(helper.make_model(graph, opset_imports=opsets, ir_version=9), path)
    return path


def run(path: Path, ids: np.ndarray) -> np.ndarray:
    import onnxruntime

    session = onnxruntime.InferenceSession(str(path), providers=["CPUExecutionProvider"])
    return session.run(None, {"ids": ids})[0]


def cosines(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    return (a * b).sum(-1) / np.linalg.norm(a, axis=-1) / np.linalg.norm(b, axis=-1)


IDS = np.random.default_rng(2).integers(0, WORDS, (6, 9))


@pytest.mark.parametrize(
    ("kind", "close", "share"), [("int8", 0.999, 0.3), ("int8-rows", 0.999, 0.3), ("fp16", 1 - 1e-5, 0.51)]
)
def test_close_and_smaller(network: Path, tmp_path: Path, kind, close: float, share: float):
    quantise(network, tmp_path / "small.onnx", kind)
    assert cosines(run(network, IDS), run(tmp_path / "small.onnx", IDS)).min() > close
    assert (tmp_path / "small.onnx").stat().st_size < share * network.stat().st_size


def test_rows_do_not_depend_on_their_neighbours(network: Path, tmp_path: Path):
    quantise(network, tmp_path / "rows.onnx", "int8-rows")
    together = run(tmp_path / "rows.onnx", IDS)
    for place in range(len(IDS)):
        alone = run(tmp_path / "rows.onnx", IDS[place : place + 1])
        np.testing.assert_allclose(alone[0], together[place], rtol=1e-5, atol=1e-5)


def test_a_row_of_equal_numbers_stays_finite(network: Path, tmp_path: Path):
    model = onnx.load(network)
    table = np.zeros((WORDS, WIDTH), np.float32)
    table[1:] = 3
    model.graph.initializer[0].CopyFrom(onnx.numpy_helper.from_array(table, "table"))
    onnx.save(model, tmp_path / "flat.onnx")
    quantise(tmp_path / "flat.onnx", tmp_path / "rows.onnx", "int8-rows")
    ids = np.array([[0, 1]])
    np.testing.assert_allclose(run(tmp_path / "rows.onnx", ids), run(tmp_path / "flat.onnx", ids), rtol=0.05, atol=0.05)


def test_fp32_is_a_copy(network: Path, tmp_path: Path):
    quantise(network, tmp_path / "copy.onnx", "fp32")
    np.testing.assert_array_equal(run(network, IDS), run(tmp_path / "copy.onnx", IDS))


def test_without_names_the_same_is_computed_in_fewer_bytes(network: Path, tmp_path: Path):
    quantise(network, tmp_path / "named.onnx", "int8-rows")
    quantise(network, tmp_path / "short.onnx", "int8-rows", named=False)
    np.testing.assert_array_equal(run(tmp_path / "named.onnx", IDS), run(tmp_path / "short.onnx", IDS))
    assert (tmp_path / "short.onnx").stat().st_size < (tmp_path / "named.onnx").stat().st_size
    assert not any(node.name for node in onnx.load(tmp_path / "short.onnx").graph.node)


def test_unknown_kinds_are_refused(network: Path, tmp_path: Path):
    with pytest.raises(BadInputError, match="int8-rows"):
        quantise(network, tmp_path / "x.onnx", "int4")  # type: ignore[arg-type]


@settings(max_examples=30, deadline=None)
@given(st.integers(1, 20), st.integers(1, 20), st.floats(1e-6, 1e6), st.integers(0, 2**31))
def test_half_a_step_at_most(rows: int, columns: int, size: float, seed: int):
    table = (np.random.default_rng(seed).normal(size=(rows, columns)) * size).astype(np.float32)
    for values, (units, scale) in ((table, quantise_rows(table)), (table.T, quantise_rows(table.T))):
        assert (np.abs(units * scale - values) <= 0.501 * scale).all()
    units, scale = quantise_columns(table)
    assert (np.abs(units * scale - table) <= 0.501 * scale).all()
