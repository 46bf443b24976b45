"""Compiled inner loops: memory, limits and the same result with and without reserved addresses."""

from __future__ import annotations

import gc
import multiprocessing
import resource
import subprocess
import sys
from concurrent.futures import ProcessPoolExecutor

import numpy as np
import pytest
from PIL import Image

from visavis.editing.operations import geometry, machine
from visavis.editing.operations.effects import softened

PROGRAM = """
import resource, sys
import numpy as np
from PIL import Image
from visavis.editing.operations import geometry
picture = Image.fromarray(np.random.default_rng(0).integers(0, 256, (90, 120, 3), np.uint8))
resource.setrlimit(resource.RLIMIT_AS, (2_000_000_000, 2_000_000_000))
sys.stdout.buffer.write(geometry.rotate(picture, 17).tobytes())
"""


def test_a_machine_has_the_memory_that_was_asked_for():
    for size in (1, 65_536, 1_000_000):
        memory = machine.Machine("detail", size).memory
        assert len(memory) >= size
        assert not memory.any()


def test_an_array_outlives_the_machine_it_looks_at():
    arrays = [machine.Machine("detail", 200_000).memory[100:200] for _ in range(20)]
    gc.collect()
    for number, array in enumerate(arrays):
        array[:] = number
    assert [int(array[0]) for array in arrays] == list(range(20))


def test_more_memory_than_there_can_be_is_told():
    with pytest.raises(MemoryError, match="no room"):
        machine.Machine("detail", 5_000_000_000)


def test_where_addresses_are_limited_the_result_is_the_same():
    assert resource.getrlimit(resource.RLIMIT_AS)[0] == resource.RLIM_INFINITY, "this process shows the usual way"
    picture = Image.fromarray(np.random.default_rng(0).integers(0, 256, (90, 120, 3), np.uint8))
    limited = subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True)
    assert limited.returncode == 0, limited.stderr.decode()
    assert limited.stdout == geometry.rotate(picture, 17).tobytes()


def _soft(picture: Image.Image) -> bytes:
    return softened(picture, 1.5).tobytes()


def test_a_forked_process_starts_machines_of_its_own():
    picture = Image.fromarray(np.random.default_rng(1).integers(0, 256, (40, 50, 3), np.uint8))
    geometry.rotate(picture, 17)  # compiled here, before the fork; the other kernel is compiled there
    machine._compiled.cache_clear()
    geometry.rotate(picture, 17)
    with ProcessPoolExecutor(1, multiprocessing.get_context("fork")) as pool:
        forked = pool.submit(_soft, picture).result(timeout=60)
    assert forked == _soft(picture)


def test_nothing_is_said_when_the_interpreter_ends():
    code = "from visavis.editing.operations.machine import Machine; kept = Machine('affine', 9)"
    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert (ended.returncode, ended.stderr) == (0, "")
