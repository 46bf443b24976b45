"""The built-in encoder's speed beside CLIP ViT-B/32's in fp32 and int8, and its own in fp32, on two threads in one run.

The contenders alternate, so that a busy machine slows all of them down alike; processor time
is shown too, which hardly depends on other processes.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass
from pathlib import Path
from statistics import median

import numpy as np
import onnxruntime
from PIL import Image
from rich.console import Console
from rich.table import Table

from _vit_graph import CLIP_B32, Shape, write_vit
from visavis.encoders.base import IMAGE_TOWER
from visavis.encoders.builtin import WEIGHTS, BuiltinEncoder, Tower
from visavis.encoders.inputs import to_pixels
from visavis.lab.training.quantise import quantise
from visavis.pictures import open_scaled
from visavis.pictures.reader import read_source

OUT = Path("out/encoder.json")
SAMPLES = Path(__file__).parents[1] / "../shared/data/coco/sample"
THREADS = 2
BATCH = 8
AIM = {"times": 3.0, "text_ms": 4.0, "load_s": 1.0}
TEXT = "a man in a red coat walks past two yellow taxis in the rain"

#: Run in a separate process: load time of a model, and its peak memory while encoding a batch.
_ALONE = """
import sys, time
import numpy as np, onnxruntime
def most_memory():  # of this process alone; getrusage would count its parent's before the fork
    status = open("/proc/self/status").read()
    return int(status.split("VmHWM:")[1].split()[0])
before = most_memory()
started, busy = time.perf_counter(), time.process_time()
options = onnxruntime.SessionOptions()
options.intra_op_num_threads, options.log_severity_level = int(sys.argv[2]), 3
session = onnxruntime.InferenceSession(sys.argv[1], options, providers=["CPUExecutionProvider"])
seconds, busy = time.perf_counter() - started, time.process_time() - busy
size = session.get_inputs()[0].shape[-1]
batch = int(sys.argv[3])
for _ in range(8 // batch):
    session.run(None, {"pixels": np.zeros((batch, 3, size, size), np.float32)})
print(seconds, busy, (most_memory() - before) / 1024)
"""


@dataclass
class Contender:
    """One model and how it is run."""

    name: str
    path: Path
    run: Callable[[], object]
    batch: int
    threads: int


@dataclass
class Row:
    """The figures of one contender."""

    name: str
    images_per_second: float
    cpu_ms_per_image: float
    load_seconds: float
    load_cpu_seconds: float
    memory_mb: float
    file_mb: float


def session(path: Path, threads: int) -> onnxruntime.InferenceSession:
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    options.log_severity_level = 3
    return onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])


def in_one_batch(name: str, path: Path) -> Contender:
    """Run eight pictures in one batch with two threads, as such models are usually run."""
    model = session(path, THREADS)
    pixels = np.zeros((BATCH, 3, *model.get_inputs()[0].shape[-2:]), np.float32)
    return Contender(name, path, lambda: model.run(None, {"pixels": pixels}), BATCH, THREADS)


def one_by_one(name: str, path: Path) -> Contender:
    """Run eight pictures one by one in two threads, as the built-in encoder does."""
    model = Tower(path)
    pixels = np.zeros((1, 3, *model.session.get_inputs()[0].shape[-2:]), np.float32)
    pool = ThreadPoolExecutor(THREADS)
    work = lambda _: model.run({"pixels": pixels})  # noqa: E731
    return Contender(name, path, lambda: list(pool.map(work, range(BATCH))), 1, 1)


def race(contenders: list[Contender], rounds: int) -> list[Row]:
    """Alternate the contenders; returns medians of the rounds."""
    walls: dict[str, list[float]] = {c.name: [] for c in contenders}
    cpus: dict[str, list[float]] = {c.name: [] for c in contenders}
    for number in range(rounds + 1):
        for contender in contenders:
            wall, cpu = time.perf_counter(), time.process_time()
            contender.run()
            if number:  # the first round warms up
                walls[contender.name].append(time.perf_counter() - wall)
                cpus[contender.name].append(time.process_time() - cpu)
    return [_row(c, median(walls[c.name]), min(cpus[c.name])) for c in contenders]


def _row(contender: Contender, wall: float, cpu: float) -> Row:
    command = [sys.executable, "-c", _ALONE, str(contender.path), str(contender.threads), str(contender.batch)]
    runs = [subprocess.run(command, check=True, capture_output=True, text=True).stdout.split() for _ in range(3)]
    load, busy, memory = (min(map(float, values)) for values in zip(*runs, strict=True))
    return Row(
        contender.name,
        round(BATCH / wall, 1),
        round(cpu / BATCH * 1e3, 1),
        round(load, 2),
        round(busy, 2),
        round(memory),
        round(contender.path.stat().st_size / 1e6, 1),
    )


def text_milliseconds(encoder: BuiltinEncoder, count: int = 100) -> dict[str, float]:
    """Encode one text at a time, as a search does."""
    encoder.encode_texts([TEXT])
    walls, cpus = [], []
    for _ in range(count):
        wall, cpu = time.perf_counter(), time.process_time()
        encoder.encode_texts([TEXT])
        walls.append(time.perf_counter() - wall)
        cpus.append(time.process_time() - cpu)
    return {"median_ms": round(1e3 * median(walls), 2), "cpu_ms": round(1e3 * median(cpus), 2)}


def first_search_seconds() -> dict[str, float]:
    """Return the time from a fresh process's import to the vector of a first text, and of a first picture."""
    code = (
        "import time; started, busy = time.perf_counter(), time.process_time();"
        "from visavis.encoders import load_encoder; encoder = load_encoder(); encoder.encode_texts(['a dog']);"
        "text, text_busy = time.perf_counter() - started, time.process_time() - busy;"
        "from PIL import Image; encoder.encode_images([Image.new('RGB', (300, 200))]);"
        "print(text, time.perf_counter() - started, text_busy, time.process_time() - busy)"
    )
    command = [sys.executable, "-c", code]
    runs = [subprocess.run(command, check=True, capture_output=True, text=True).stdout.split() for _ in range(3)]
    names = ("first_text_s", "both_towers_s", "first_text_cpu_s", "both_towers_cpu_s")
    return {k: round(min(map(float, v)), 2) for k, v in zip(names, zip(*runs, strict=True), strict=True)}


def stage_milliseconds(encoder: BuiltinEncoder, folder: Path, size: tuple[int, int], count: int) -> dict[str, float]:
    """Return milliseconds of one thread a picture in each stage from the file to the vector."""
    paths = photographs(folder, size, count)
    spent = dict.fromkeys(("read", "decode", "resize", "encode"), 0.0)
    tower = Tower(encoder.description.file(IMAGE_TOWER))
    for number, path in enumerate([paths[0], *paths]):
        marks = [time.thread_time()]
        data, _ = read_source(path, 2**30)
        marks.append(time.thread_time())
        image = open_scaled(data, 256, name=path.name).image
        marks.append(time.thread_time())
        pixels = to_pixels(image, encoder.description.image_size)
        marks.append(time.thread_time())
        tower.run({"pixels": pixels})
        marks.append(time.thread_time())
        if number:  # the first loads the model
            for place, stage in enumerate(spent):
                spent[stage] += (marks[place + 1] - marks[place]) * 1e3 / count
    return {stage: round(value, 2) for stage, value in spent.items()}


def photographs(folder: Path, size: tuple[int, int], count: int) -> list[Path]:
    """Create JPEG files of a camera's size: real photos enlarged where there are samples, otherwise drawn noise."""
    random = np.random.default_rng(3)
    samples = sorted(SAMPLES.glob("*.jpg"))[:count]
    paths = []
    for number in range(count):
        noise = Image.fromarray(random.integers(0, 256, (12, 16, 3), np.uint8))
        base = Image.open(samples[number]).convert("RGB") if number < len(samples) else noise
        path = folder / f"{size[0]}-{number}.jpg"
        base.resize(size, Image.Resampling.BICUBIC).save(path, quality=90)
        paths.append(path)
    return paths


def measure(rounds: int, fp32: Path | None) -> dict[str, object]:
    encoder = BuiltinEncoder(threads=THREADS)
    side = encoder.description.image_size
    with tempfile.TemporaryDirectory(prefix="visavis-bench-") as temporary:
        folder = Path(temporary)
        clip, own = folder / "clip-b32.onnx", fp32 or folder / "own-fp32.onnx"
        small = folder / "clip-b32-int8.onnx"
        write_vit(CLIP_B32, clip)
        quantise(clip, small, "int8")  # as the built-in encoder's own
        if fp32 is None:
            write_vit(Shape(side, side // encoder.description.grid, 384, 12, 6, encoder.dimension), own)
        contenders = [
            one_by_one("built-in", WEIGHTS / IMAGE_TOWER),
            in_one_batch("ViT-B/32, fp32", clip),
            one_by_one("ViT-B/32, fp32, one by one", clip),
            in_one_batch("ViT-B/32, int8", small),
            one_by_one("ViT-B/32, int8, one by one", small),
            in_one_batch("built-in in fp32", own),
        ]
        rows = race(contenders, rounds)
        return {
            "threads": THREADS,
            "batch": BATCH,
            "encoder": encoder.fingerprint,
            "models": [asdict(row) for row in rows],
            "times_clip": _times(rows[0], rows[1:3]),
            "times_clip_int8": _times(rows[0], rows[3:5]),
            "text": text_milliseconds(encoder),
            "loading": first_search_seconds(),
            "stages_ms": {
                "640 x 480": stage_milliseconds(encoder, folder, (640, 480), 24),
                "4000 x 3000": stage_milliseconds(encoder, folder, (4000, 3000), 8),
            },
            "aim": AIM,
        }


def _times(own: Row, others: list[Row]) -> dict[str, float]:
    """Return the speed relative to the faster of two ways to run another model."""
    return {
        "wall": round(own.images_per_second / max(row.images_per_second for row in others), 2),
        "cpu": round(min(row.cpu_ms_per_image for row in others) / own.cpu_ms_per_image, 2),
    }


def show(result: dict[str, object]) -> None:
    console = Console()
    table = Table(title=f"Image towers, batch {BATCH} on {THREADS} threads", title_justify="left")
    for column in ("model", "images/s", "CPU ms/image", "load s", "load CPU s", "memory MB", "file MB"):
        table.add_column(column, justify="left" if column == "model" else "right", no_wrap=column == "model")
    for row in result["models"]:  # type: ignore[attr-defined]
        table.add_row(*map(str, row.values()))
    console.print(table)
    console.print(
        f"times ViT-B/32 in fp32 (its better way): {result['times_clip']} (aim {AIM['times']})",
        f"times ViT-B/32 in int8 (its better way): {result['times_clip_int8']} (aim 1)",
        f"text: {result['text']} (aim {AIM['text_ms']} ms)",
        f"loading, imports included: {result['loading']} (aim {AIM['load_s']} s)",
        sep="\n",
    )
    stages = Table(title="From file to vector, CPU ms a picture on one thread", title_justify="left")
    for column in ("photo", "read", "decode", "resize", "encode"):
        stages.add_column(column, justify="right")
    for size, values in result["stages_ms"].items():  # type: ignore[attr-defined]
        stages.add_row(size, *(f"{value:.2f}" for value in values.values()))
    console.print(stages)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=8)
    parser.add_argument("--fp32", type=Path, help="the fp32 export of the image tower, instead of its shape")
    arguments = parser.parse_args()
    result = measure(arguments.rounds, arguments.fp32)
    show(result)
    OUT.parent.mkdir(exist_ok=True)
    OUT.write_text(json.dumps(result, indent=2) + "\n")


if __name__ == "__main__":
    main()
