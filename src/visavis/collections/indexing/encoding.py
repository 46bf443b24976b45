"""The third stage: pixels become vectors, a batch at a time."""

from __future__ import annotations

from visavis.collections.indexing.work import Work
from visavis.encoders.base import Encoder

#: Pictures handed to the encoder at once: enough to fill its threads, small enough for its memory.
BATCH = 16


class EncodeStage:
    """Encodes the pictures of a batch that need it."""

    def __init__(self, encoder: Encoder) -> None:
        self._encoder = encoder

    def __call__(self, works: list[Work]) -> list[Work]:
        """Add vectors; what failed or is known passes through."""
        new = [(work, work.opened.image) for work in works if work.opened and not work.known]
        if new:
            encoded = self._encoder.encode_pictures([image for _, image in new])
            for place, (work, _) in enumerate(new):
                work.whole, work.regions = encoded.whole[place], encoded.regions[place]
        return works
