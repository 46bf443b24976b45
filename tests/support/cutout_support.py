"""Sources to train cut-outs on; needs torch."""

from __future__ import annotations

import numpy as np
import torch

from visavis.lab.training.cutout_samples import Sources


def sources() -> Sources:
    """Red squares are things, on a noisy ground."""
    rng = np.random.default_rng(1)
    masked = rng.integers(0, 120, (6, 4, 224, 224)).astype(np.uint8)
    masked[:, 3] = 0
    masked[:, 0, 60:160, 60:160], masked[:, 3, 60:160, 60:160] = 255, 255
    things = np.zeros((4, 4, 224, 224), np.uint8)
    things[:, [0, 3], 70:150, 70:150] = 255
    grounds = rng.integers(0, 120, (4, 3, 224, 224)).astype(np.uint8)
    photographs, cut, behind = (torch.from_numpy(array) for array in (masked, things, grounds))
    return Sources((photographs,), (cut,), behind)
