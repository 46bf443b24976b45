"""Everything that routes work with, made once and handed to them."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field

from fastapi import Request

from visavis.apps.server.jobs.jobs import Jobs
from visavis.apps.server.library.library import Library
from visavis.apps.server.library.pictures import SmallCopies
from visavis.apps.server.library.previewing import Previews
from visavis.apps.server.observing.metrics import Metrics
from visavis.apps.server.records.database import Records
from visavis.apps.server.records.owned import Ownership
from visavis.apps.server.records.secret import session_secret
from visavis.apps.server.records.shares import Shares
from visavis.apps.server.records.usage import Usage
from visavis.apps.server.records.users import Users
from visavis.apps.server.security.buckets import Buckets
from visavis.apps.server.security.sessions import Sessions
from visavis.apps.server.settings import ServerSettings
from visavis.apps.server.talking.deep import Depths
from visavis.apps.server.talking.talks import Talks
from visavis.apps.server.work import Work


@dataclass
class Services:
    """What routes work with.

    Attributes:
        settings: What was chosen.
        records: The server's own database.
        users: Who may use it.
        sessions: Their cookies.
        ownership: Whose conversations are whose.
        shares: Links to conversations.
        usage: Quotas.
        library: Open collections.
        talks: Conversations.
        depths: Rankings that somebody scrolls through.
        copies: Copies of pictures at screen size.
        previews: Edits at screen size.
        jobs: Long work.
        work: Threads that rank, edit and encode.
        light: Threads that only read.
        requests: Rate limits for everything.
        heavy_requests: Rate limits for what ranks, edits or encodes.
        strangers: Rate limits for wrong keys, by address.
        visitors: Rate limits for what needs no login, by address.
        metrics: What is counted.
        closing: Set when the server is going down.
    """

    settings: ServerSettings
    records: Records
    users: Users
    sessions: Sessions
    ownership: Ownership
    shares: Shares
    usage: Usage
    library: Library
    talks: Talks
    depths: Depths
    copies: SmallCopies
    previews: Previews
    jobs: Jobs
    work: Work
    light: Work
    requests: Buckets
    heavy_requests: Buckets
    strangers: Buckets
    visitors: Buckets
    metrics: Metrics
    closing: asyncio.Event = field(default_factory=asyncio.Event)

    @classmethod
    def of(cls, settings: ServerSettings) -> Services:
        """Set everything up; no collection is opened yet."""
        limits, records = settings.limits, Records(settings.home, settings.database)
        library, ownership = Library(settings), Ownership(records)
        local = settings.mode == "local"
        work = Work("work", limits.threads, limits.waiting, limits.seconds)
        light = Work("light", limits.light_threads, limits.light_waiting, limits.seconds)
        return cls(
            settings=settings,
            records=records,
            users=Users(records),
            sessions=Sessions(session_secret(records)),
            ownership=ownership,
            shares=Shares(records),
            usage=Usage(records),
            library=library,
            talks=Talks(library, ownership, keys=not local, most=limits.conversations),
            depths=Depths(),
            copies=SmallCopies(),
            previews=Previews(),
            jobs=Jobs(records, library),
            work=work,
            light=light,
            requests=Buckets(0 if local else limits.rate, limits.burst),
            heavy_requests=Buckets(0 if local else limits.heavy_rate, limits.heavy_burst),
            strangers=Buckets(limits.stranger_rate, limits.stranger_burst),
            visitors=Buckets(0 if local else limits.rate, limits.burst),
            metrics=Metrics(work, light),
        )

    async def close(self) -> None:
        """Finish what was begun and let go of everything."""
        self.jobs.close()
        await self.work.close()
        await self.light.close()
        self.library.close()
        self.records.close()


async def services(request: Request) -> Services:
    """The services of the app that a request came to; asynchronous, because FastAPI takes a thread for what is not."""
    found = request.app.state.services
    assert isinstance(found, Services)
    return found
