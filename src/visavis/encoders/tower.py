"""One ONNX model that is loaded when it is first needed, and runs one input at a time on several cores.

Int8 models scale their activations by what they see in a run, so in a batch a picture's vector would depend on its
neighbours. Each input therefore runs alone in one thread, and as many run beside each other as there are cores: a
batch gives exactly what its members give one by one, texts need no padding, and it is as fast as larger batches.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cached_property
from pathlib import Path
from threading import Lock
from typing import Any, TypeVar

from numpy.typing import NDArray

from visavis.errors import BadInputError, StorageError
from visavis.files import check_installed

Input = TypeVar("Input")
Output = TypeVar("Output")


class Tower:
    """A lazily loaded ONNX model; safe to use from several threads."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._lock = Lock()
        self._session: Any = None

    @property
    def loaded(self) -> bool:
        """Whether the model is in memory yet."""
        return self._session is not None

    def run(self, feeds: dict[str, Any]) -> list[Any]:
        """Run the model on one input."""
        return list(self.session.run(None, feeds))

    @property
    def session(self) -> Any:
        """The model in memory."""
        if self._session is None:
            with self._lock:
                if self._session is None:
                    self._session = open_model(self.path)
        return self._session


def open_model(
    path: Path,
    remedy: str = "Install visavis anew.",
    *,
    threads: int = 1,
    outside: Mapping[str, NDArray[Any]] | None = None,
) -> Any:
    """A model in memory that runs in one thread, unless told otherwise.

    Args:
        path: The ONNX file.
        remedy: What to do where it cannot be loaded.
        threads: How many threads one run uses.
        outside: Constants of the model that its file only names; the caller keeps the arrays as long as the model.

    Raises:
        StorageError: It is missing or damaged.
    """
    import onnxruntime

    check_installed(path)
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    options.inter_op_num_threads = 1
    options.log_severity_level = 3
    if outside:
        values = [onnxruntime.OrtValue.ortvalue_from_numpy(array) for array in outside.values()]
        options.add_external_initializers(list(outside), values)
    try:
        return onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])
    except Exception as error:  # onnxruntime's own errors share no base class
        raise StorageError(f"The model {path} cannot be loaded ({error}).", remedy) from error


class Crew:
    """A thread pool that maps a function over a list and keeps its order."""

    def __init__(self, threads: int | None = None) -> None:
        if threads is not None and threads < 1:
            raise BadInputError(f"{threads} threads cannot do anything.", "Give at least one.")
        self.threads = threads or _cores()

    def each(self, work: Callable[[Input], Output], inputs: Sequence[Input]) -> list[Output]:
        """The result of ``work`` for each input."""
        if self.threads == 1 or len(inputs) < 2:
            return [work(one) for one in inputs]
        return list(self._pool.map(work, inputs))

    @cached_property
    def _pool(self) -> ThreadPoolExecutor:
        return ThreadPoolExecutor(self.threads, thread_name_prefix="visavis-encoder")


def _cores() -> int:
    """The cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
