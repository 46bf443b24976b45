"""Everything that can be chosen about a server, as one value that worker processes can read too."""

from __future__ import annotations

import json
import os
from dataclasses import asdict, dataclass, field
from ipaddress import ip_address
from pathlib import Path
from typing import Any, Literal, Self

from visavis.home import home_folder

#: How worker processes are told what was chosen.
VARIABLE = "VISAVIS_SERVER_SETTINGS"
Mode = Literal["local", "keys"]


@dataclass(frozen=True)
class Limits:
    """How much one user, one request and the whole server may do.

    Attributes:
        threads: Threads that rank, edit and encode.
        waiting: Pieces of such work that may wait; beyond it, requests are answered with 503.
        light_threads: Threads that read catalogues and files.
        light_waiting: Likewise for them.
        seconds: After this long a request is answered with 504; what was begun is finished and saved all the same.
        rate: Requests a second that one user may make in the long run; 0 for no limit.
        burst: Requests that one user may make at once.
        heavy_rate: The same for what ranks, edits or encodes.
        heavy_burst: Likewise.
        stranger_rate: Wrong keys a second that one address may try in the long run.
        stranger_burst: Wrong keys that one address may try at once.
        json_bytes: The largest JSON body.
        file_bytes: The largest uploaded file.
        upload_bytes: The largest upload of several files.
        pixels: The largest uploaded picture.
        upload_bytes_a_day: What one user may upload in a day.
        edits_a_day: Pictures that one user may make by editing in a day.
        conversations: How many conversations one user may have.
        deepest: How far down a ranking one can scroll.
    """

    threads: int = 3
    waiting: int = 64
    light_threads: int = 6
    light_waiting: int = 512
    seconds: float = 60.0
    rate: float = 100.0
    burst: int = 400
    heavy_rate: float = 5.0
    heavy_burst: int = 30
    stranger_rate: float = 0.5
    stranger_burst: int = 20
    json_bytes: int = 1_000_000
    file_bytes: int = 64_000_000
    upload_bytes: int = 512_000_000
    pixels: int = 100_000_000
    upload_bytes_a_day: int = 2_000_000_000
    edits_a_day: int = 2000
    conversations: int = 2000
    deepest: int = 10_000


@dataclass(frozen=True)
class ServerSettings:
    """What was chosen.

    Attributes:
        home: Where visavis keeps its things.
        mode: ``local``: one person at this machine, no login; ``keys``: users with API keys.
        database: A ``postgresql://`` URL for the server's own records; SQLite in the home when None.
        store: Where vectors of new collections live; in their folders when None.
        catalogue: A ``postgresql://`` URL for new collections; SQLite in their folders when None.
        static: The built web app.
        secure_cookies: Whether cookies are only sent over HTTPS.
        proxies: Addresses of reverse proxies that are believed when they say where a request comes from.
        workers: How many processes serve.
        warm: Whether to load the encoder and open a collection before somebody asks.
        limits: How much is allowed.
    """

    home: Path
    mode: Mode = "local"
    database: str | None = None
    store: str | None = None
    catalogue: str | None = None
    static: Path = Path(__file__).parent / "static"
    secure_cookies: bool = False
    proxies: tuple[str, ...] = ()
    workers: int = 1
    warm: bool = False
    limits: Limits = field(default_factory=Limits)

    @classmethod
    def of(cls, home: Path | str | None = None, **chosen: Any) -> Self:
        """Settings for a home; what is None is left at its default."""
        return cls(home_folder(home), **{name: value for name, value in chosen.items() if value is not None})

    def export(self) -> None:
        """Leave the settings where worker processes find them."""
        values = asdict(self) | {"home": str(self.home), "static": str(self.static)}
        os.environ[VARIABLE] = json.dumps(values)

    @classmethod
    def imported(cls) -> Self:
        """The settings that the first process exported."""
        values = json.loads(os.environ[VARIABLE])
        home, static, limits = Path(values.pop("home")), Path(values.pop("static")), Limits(**values.pop("limits"))
        proxies = tuple(values.pop("proxies"))
        return cls(home, static=static, limits=limits, proxies=proxies, **values)


def is_loopback(host: str) -> bool:
    """Whether only this machine can reach an address.

    >>> is_loopback("127.0.0.1"), is_loopback("::1"), is_loopback("0.0.0.0")
    (True, True, False)
    """
    if host == "localhost":
        return True
    try:
        return ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return False
