"""Products with bytes are those with the vectors that the bytes stand for."""

from __future__ import annotations

import numpy as np
import pytest

from visavis.search.byte_matrix import GRAPH, KEPT, KEPT_GRAPH, ByteMatrix
from visavis.stores.region_file import quantised


@pytest.mark.parametrize("number", [0, 1, 7, 720])
def test_a_product_is_that_of_the_stored_vectors(number: int):
    random = np.random.default_rng(number)
    codes, scale = quantised(random.standard_normal((number, 64)).astype(np.float32))
    vectors, vector = codes * scale, random.standard_normal(64).astype(np.float32)
    np.testing.assert_allclose(ByteMatrix(vectors).product(vector), vectors @ vector, atol=2e-3)


@pytest.mark.parametrize("number", [360, KEPT[1] + 9])
def test_cosines_are_exact_to_six_places(number: int):
    random = np.random.default_rng(5)
    unit = random.standard_normal((number, KEPT[0])).astype(np.float32)
    codes, scale = quantised(unit / np.linalg.norm(unit, axis=1, keepdims=True))
    wanted = (unit / np.linalg.norm(unit, axis=1, keepdims=True))[3:6]
    matrix, expected = ByteMatrix(codes * scale), wanted @ (codes * scale).T
    np.testing.assert_allclose(matrix.products(wanted), expected, atol=1e-6)
    np.testing.assert_allclose(matrix.product(wanted[1]), expected[1], atol=1e-6)
    np.testing.assert_allclose(matrix.products(wanted, 100), expected[:, :100], atol=1e-6)


def test_nothing_resembles_an_empty_vector():
    assert not ByteMatrix(np.ones((3, 8), np.float32)).product(np.zeros(8, np.float32)).any()


@pytest.mark.train
@pytest.mark.parametrize(("graph", "kept"), [(GRAPH, None), (KEPT_GRAPH, KEPT)])
def test_the_graph_is_the_one_that_is_written(tmp_path, graph, kept):
    pytest.importorskip("onnx", reason="needs the extra 'train'")
    from visavis.lab.training.graph_writer import write_byte_product

    write_byte_product(tmp_path / "product.onnx", kept)
    import onnx

    assert (
        onnx.load(tmp_path / "product.onnx", load_external_data=False).graph.node
        == onnx.load(graph, load_external_data=False).graph.node
    )
