"""The command line with the tiny encoder: ``python tiny_visavis.py index ...``, for tests that need a real process.

TINY_DELAY slows each batch down by so many seconds, so that there is time to kill it. TINY_HOLD names a file: while it
exists, no more than the first few batches are encoded, so that nothing can end too early, however slow the machine is.
"""

from __future__ import annotations

import faulthandler
import os
import signal
import time
from pathlib import Path

from tiny_encoder import TinyEncoder

from visavis.cli.main import main
from visavis.collections import collection


class PatientEncoder(TinyEncoder):
    delay = float(os.environ.get("TINY_DELAY", "0"))
    hold = os.environ.get("TINY_HOLD", "")
    batches = 0

    def encode_pictures(self, images):
        time.sleep(self.delay)
        self.batches += 1
        while self.batches > 4 and self.hold and Path(self.hold).exists():
            time.sleep(0.02)
        return super().encode_pictures(images)


if __name__ == "__main__":
    faulthandler.enable()  # a test that ends it with SIGABRT is told where its threads are
    # A parent that runs in the background ignores Ctrl-C, and its children with it; here it is what is tested.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    collection._load_encoder = lambda _: PatientEncoder()
    main()
