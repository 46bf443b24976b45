"""The map from the patches of one encoder to those of another."""

import numpy as np

from visavis.encoders.inputs import unit
from visavis.lab.training.cutout_transfer import fit_map, mapped


def test_a_linear_change_of_the_patches_is_undone():
    random = np.random.default_rng(2)
    old = unit(random.normal(size=(3000, 12)).astype(np.float32))
    turned, _ = np.linalg.qr(random.normal(size=(12, 12)))
    new = unit(old @ turned.astype(np.float32))
    found = mapped(new, fit_map(new[:2000], old[:2000]))
    assert (found[2000:] * old[2000:]).sum(axis=1).min() > 0.999
    assert (new * old).sum(axis=1).mean() < 0.9
