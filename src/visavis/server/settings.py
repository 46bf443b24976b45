"""The settings of a server, as one value that worker processes read from the environment."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, Self

from pydantic import Field, TypeAdapter
from pydantic_settings import BaseSettings, SettingsConfigDict

from visavis.home import home_folder

#: The variable through which worker processes get the settings.
VARIABLE = "VISAVIS_SERVER_SETTINGS"
#: The name of the server's logger.
LOGGER = "visavis.server"
Mode = Literal["local", "keys"]


@dataclass(frozen=True)
class ServerLimits:
    """The limits of one user, one request and the whole server.

    Attributes:
        threads: Threads that rank, edit and encode.
        waiting: Length of their queue; beyond it, requests are answered with 503.
        light_threads: Threads that read catalogues and files.
        light_waiting: Length of their queue.
        seconds: After this time a request is answered with 504; its work is finished and saved all the same.
        rate: Requests a second that one user may make in the long run; 0 for no limit.
        burst: Requests that one user may make at once.
        heavy_rate: The same for what ranks, edits or encodes.
        heavy_burst: Likewise.
        failed_login_rate: Wrong keys a second that one address may try in the long run.
        failed_login_burst: Wrong keys that one address may try at once.
        json_bytes: The largest JSON body.
        file_bytes: The largest uploaded file.
        upload_bytes: The largest upload of several files.
        pixels: The largest uploaded picture.
        upload_bytes_a_day: What one user may upload in a day.
        edits_a_day: Pictures that one user may make by editing in a day.
        turns_a_day: Turns that one user may add to conversations in a day, those that a branch copies included.
        conversations: How many conversations one user may have.
        deepest: How far down a ranking one can scroll.
        streams: Streams of jobs that one user may follow at once.
        uploads: Uploads of one user at once; each may take as many bytes of temporary files as an upload may have.
        downloads: Pictures in full size and archives that may be on their way to one user at once.
        archive_bytes: The largest archive of pictures.
        connections: Connections at once; an idle one makes room for a new one.
        connections_per_address: The same for one address (a /64 network of IPv6), except those of trusted proxies.
        header_seconds: How long the headers of a request may take.
        body_seconds: How long a body may take at least, and may pause.
        body_rate: The least speed of a body after that time, in bytes a second.
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
    failed_login_rate: float = 0.5
    failed_login_burst: int = 20
    json_bytes: int = 1_000_000
    file_bytes: int = 64_000_000
    upload_bytes: int = 512_000_000
    pixels: int = 100_000_000
    upload_bytes_a_day: int = 2_000_000_000
    edits_a_day: int = 2000
    turns_a_day: int = 10_000
    conversations: int = 2000
    deepest: int = 10_000
    streams: int = 40
    uploads: int = 4
    downloads: int = 24
    archive_bytes: int = 2_000_000_000
    connections: int = 2000
    connections_per_address: int = 500
    header_seconds: float = 15.0
    body_seconds: float = 20.0
    body_rate: float = 8000.0


@dataclass(frozen=True, kw_only=True)
class ServerSettings:
    """The settings of a server.

    Attributes:
        home: Where visavis keeps its things.
        mode: ``local``: one person at this machine, no login; ``keys``: users with API keys.
        database: A ``postgresql://`` URL for the server's own records; SQLite in the home when None.
        store: Where vectors of new collections live; in their folders when None.
        catalogue: A ``postgresql://`` URL for new collections; SQLite in their folders when None.
        static: The built web app.
        secure_cookies: Whether cookies are only sent over HTTPS.
        proxies: Addresses of reverse proxies whose X-Forwarded-For header is trusted.
        workers: How many processes serve.
        warm: Whether to load the encoder and open collections at the start.
        limits: The limits.
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
    limits: ServerLimits = field(default_factory=ServerLimits)

    @classmethod
    def of(cls, home: Path | str | None = None, **chosen: Any) -> Self:
        """Settings for a home; None leaves a setting at its default."""
        return cls(home=home_folder(home), **{name: value for name, value in chosen.items() if value is not None})

    def export(self) -> None:
        """Write the settings to the environment, where worker processes read them."""
        os.environ[VARIABLE] = TypeAdapter(ServerSettings).dump_json(self).decode()

    @staticmethod
    def imported() -> ServerSettings:
        """The settings that the parent process exported."""
        return _WorkerEnvironment().server_settings


class _WorkerEnvironment(BaseSettings):
    """The environment of a worker process; the settings are JSON in one variable."""

    model_config = SettingsConfigDict(env_prefix="VISAVIS_", extra="ignore")

    server_settings: ServerSettings = Field(default=...)
