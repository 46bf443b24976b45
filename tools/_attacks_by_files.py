"""Attacks by files in an indexed folder."""

from __future__ import annotations

import io
import os
import random
import struct
import subprocess
import sys
from pathlib import Path

from _attack_meter import attack, meter


def opened(data: bytes) -> str:
    """Open a file as indexing does; the error where it is refused."""
    from visavis.errors import VisavisError
    from visavis.pictures import open_scaled

    if not meter.started:
        meter.start()
    try:
        found = open_scaled(data, 256, name="file")
    except VisavisError as error:
        return str(error)[:110]
    return f"opened: {found.width} x {found.height}"


@attack
def ignore(folder: Path) -> str:
    """A pattern of many stars beside a file of 200 letters."""
    from visavis.pictures import walk

    (folder / ".visavisignore").write_text("a*" * 40 + "b\n")
    (folder / ("a" * 200 + ".jpg")).write_bytes(b"x")
    meter.start()
    return f"{len(list(walk(folder)))} files walked"


@attack
def scans(_: Path) -> str:
    """A JPEG of 662 kB that is one scan after the other."""
    data, last = _progressive(4000, noise=3, quality=5)
    return opened((data + last * (662_000 // len(last)))[:662_000] + b"\xff\xd9")


@attack
def scans_within_the_limits(_: Path) -> str:
    """As many scans as the header allows: decoded in a child process, with a limit of time."""
    data, last = _progressive(5400, noise=60, quality=60)
    return opened(data + last * 89 + b"\xff\xd9")


def _progressive(side: int, noise: float, quality: int) -> tuple[bytes, bytes]:
    """A progressive JPEG without its end, and its last scan."""
    from PIL import Image

    file = io.BytesIO()
    Image.effect_noise((side, side), noise).save(file, "JPEG", progressive=True, quality=quality)
    data = file.getvalue()[:-2]
    return data, data[data.rfind(b"\xff\xda") :]


@attack
def comments(_: Path) -> str:
    """Forty comments of XML in a file that is called a picture."""
    return opened(b"<!---->" * 40)


@attack
def segments(_: Path) -> str:
    """A JPEG of 60 MB, most of it empty segments."""
    from PIL import Image

    file = io.BytesIO()
    Image.new("RGB", (64, 64)).save(file, "JPEG")
    return opened(file.getvalue()[:2] + b"\xff\xe0\x00\x02" * 15_000_000 + file.getvalue()[2:])


@attack
def pixel_map(_: Path) -> str:
    """A PGM of 60 megapixels with 254 instead of 255 as its white, which Pillow decodes in Python."""
    return opened(b"P5\n7746 7746\n254\n" + bytes(7746 * 7746))


@attack
def webp(_: Path) -> str:
    """A WebP of 34 bytes that claims 196 megapixels."""
    data = b"\x2f" + struct.pack("<I", 13999 | (13999 << 14)) + bytes(9)
    chunk = b"VP8L" + struct.pack("<I", len(data)) + data
    return opened(b"RIFF" + struct.pack("<I", 4 + len(chunk)) + b"WEBP" + chunk)


@attack
def tiff(_: Path) -> str:
    """A TIFF of some 700 kB that unpacks to 3 GB."""
    from PIL import Image

    file = io.BytesIO()
    Image.new("I;16", (14000, 14000)).save(file, "TIFF", compression="tiff_adobe_deflate")
    return f"{len(file.getvalue()):,} bytes; {opened(file.getvalue())}"


@attack
def parquet(folder: Path) -> str:
    """A Parquet file of some 10 kB with one long text a thousand times."""
    from visavis.api import open_collection
    from visavis.errors import VisavisError

    path = folder / "rows.parquet"
    program = (
        "import sys, pyarrow as pa, pyarrow.parquet as pq; names = [f'{n}.jpg' for n in range(1700)];"
        "table = pa.table({'file': names, 'caption': ['a' * 1_000_000] * 1700});"
        "pq.write_table(table, sys.argv[1], compression='zstd')"
    )
    subprocess.run([sys.executable, "-c", program, str(path)], check=True)  # noqa: S603  # apart: it takes 3 GB
    meter.start()
    with open_collection("attacked", folder / "home", create=True) as collection:
        try:
            report = collection.index(path)
        except VisavisError as error:
            return f"{path.stat().st_size:,} bytes; {str(error)[:90]}"
    return f"{path.stat().st_size:,} bytes; {dict(report.outcomes)}"


@attack
def sidecars(folder: Path) -> str:
    """A list 900 deep in a sidecar, and a pipe as a sidecar."""
    from PIL import Image

    from visavis.api import open_collection

    for name in ("deep", "piped"):
        Image.new("RGB", (40, 40), "red" if name == "deep" else "blue").save(folder / f"{name}.png")
    (folder / "deep.json").write_text('{"caption": ' + "[" * 900 + "]" * 900 + "}")
    os.mkfifo(folder / "piped.json")
    meter.start()
    with open_collection("attacked", folder / "home", create=True) as collection:
        return f"{dict(collection.index(folder).outcomes)}"


@attack
def damaged_files(_: Path) -> str:
    """Two thousand damaged files."""
    from PIL import Image

    chance, told = random.Random(1), {}
    for kind in ("JPEG", "PNG", "WEBP", "GIF", "BMP"):
        file = io.BytesIO()
        Image.effect_noise((60, 40), 30).convert("RGB").save(file, kind)
        for _n in range(400):
            data = bytearray(file.getvalue())
            for _m in range(chance.randrange(1, 20)):
                data[chance.randrange(len(data))] = chance.randrange(256)
            how = opened(bytes(data))[:6]
            told[how] = told.get(how, 0) + 1
    return f"{sum(told.values())} files, {told.get('opened', 0)} opened"
