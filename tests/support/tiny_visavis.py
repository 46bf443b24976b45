"""The command line with the tiny encoder: ``python tiny_visavis.py index ...``, for tests that need a real process.

TINY_DELAY slows each batch down by so many seconds, so that there is time to kill it.
"""

from __future__ import annotations

import os
import signal
import time

from tiny_encoder import TinyEncoder

from visavis.apps.cli.main import main
from visavis.collections import collection


class PatientEncoder(TinyEncoder):
    delay = float(os.environ.get("TINY_DELAY", "0"))

    def encode_pictures(self, images):
        time.sleep(self.delay)
        return super().encode_pictures(images)


if __name__ == "__main__":
    # A parent that runs in the background ignores Ctrl-C, and its children with it; here it is what is tested.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    collection._load_encoder = lambda _: PatientEncoder()
    main()
