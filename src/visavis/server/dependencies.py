"""The services of the application, and the dependencies that routes declare."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from functools import partial
from typing import Annotated

from fastapi import Depends, Request

from visavis.errors import VisavisError
from visavis.server.database import ServerDatabase, session_secret
from visavis.server.errors import NotLoggedInError, TooSlowError
from visavis.server.events import StreamCounter
from visavis.server.middleware import Metrics
from visavis.server.security import Authenticator, Identity, RateLimiter, SessionCookies
from visavis.server.services.accounts import DailyQuotas, Ownership, Role, Sessions, ShareLinks, Users
from visavis.server.services.albums import Albums
from visavis.server.services.catalogue import warm_up
from visavis.server.services.collections import CollectionRegistry
from visavis.server.services.conversations import ConversationService, OpenConversation
from visavis.server.services.edits import EditPreviews
from visavis.server.services.images import ThumbnailCache
from visavis.server.services.jobs import JobFeeds, Jobs
from visavis.server.services.rankings import DeepRankings
from visavis.server.services.studies import StudyService
from visavis.server.services.workers import WorkerPool
from visavis.server.settings import ServerSettings


@dataclass
class Services:
    """Everything that routes use, created once for each application.

    Attributes:
        settings: The settings of the server.
        database: The server's own database.
        users: Users and their keys.
        sessions: Session cookies.
        authenticator: Finds the user behind a request.
        ownership: The owner of each conversation.
        shares: Links to conversations.
        quotas: Daily quotas.
        albums: Saved selections of pictures.
        collections: Open collections.
        conversations: Conversations of users.
        studies: Studies with people.
        rankings: Cached long rankings.
        thumbnails: Cached copies of pictures at screen size.
        previews: Previews of edits.
        jobs: Indexing jobs.
        job_feeds: The progress of jobs for those who follow it.
        streams: The open streams of each user.
        downloads: The files that are being sent to each user.
        workers: Threads that rank, edit and encode.
        readers: Threads that only read.
        heavy_requests: Rate limits for requests that rank, edit or encode, by user.
        failed_logins: Rate limits for wrong keys, by address.
        metrics: Prometheus metrics.
        closing: Set when the server shuts down.
    """

    settings: ServerSettings
    database: ServerDatabase
    users: Users
    sessions: SessionCookies
    authenticator: Authenticator
    ownership: Ownership
    shares: ShareLinks
    quotas: DailyQuotas
    albums: Albums
    collections: CollectionRegistry
    conversations: ConversationService
    studies: StudyService
    rankings: DeepRankings
    thumbnails: ThumbnailCache
    previews: EditPreviews
    jobs: Jobs
    job_feeds: JobFeeds
    streams: StreamCounter
    downloads: StreamCounter
    workers: WorkerPool
    readers: WorkerPool
    heavy_requests: RateLimiter
    failed_logins: RateLimiter
    metrics: Metrics
    closing: asyncio.Event

    @asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        """Warm up, where the settings say so, and close everything at the end."""
        if self.settings.warm:
            self.workers.detach(self.workers.start(partial(warm_up, self.collections)))
        yield
        self.closing.set()
        await self.close()

    @asynccontextmanager
    async def begun(self, owner: str, collection: str) -> AsyncIterator[OpenConversation]:
        """A new conversation; it is deleted where nothing could be said in it."""
        made = await self.readers.run(lambda: self.conversations.start(owner, collection))
        try:
            yield made
        except VisavisError as error:
            if not isinstance(error, TooSlowError):  # whose work goes on
                id = made.conversation.id
                await self.readers.run(lambda: self.conversations.delete(owner, id, edits=False))
            raise

    @classmethod
    def of(cls, settings: ServerSettings) -> Services:
        """Create all services; no collection is opened yet."""
        limits, database = settings.limits, ServerDatabase(settings.home, settings.database)
        collections, ownership, users = CollectionRegistry(settings), Ownership(database), Users(database)
        local = settings.mode == "local"
        workers = WorkerPool("work", limits.threads, limits.waiting, limits.seconds)
        readers = WorkerPool("light", limits.light_threads, limits.light_waiting, limits.seconds)
        conversations = ConversationService(collections, ownership, keys=not local, most=limits.conversations)
        jobs, closing = Jobs(database, collections), asyncio.Event()
        sessions = SessionCookies(session_secret(database), Sessions(database))
        failed_logins = RateLimiter(limits.failed_login_rate, limits.failed_login_burst)
        anonymous_requests = RateLimiter(0 if local else limits.rate, limits.burst)
        requests = RateLimiter(0 if local else limits.rate, limits.burst)
        return cls(
            settings=settings,
            database=database,
            users=users,
            sessions=sessions,
            authenticator=Authenticator(settings.mode, users, sessions, failed_logins, anonymous_requests, requests),
            ownership=ownership,
            shares=ShareLinks(database),
            quotas=DailyQuotas(database),
            albums=Albums(database),
            collections=collections,
            conversations=conversations,
            studies=StudyService(settings.home, collections, conversations),
            rankings=DeepRankings(),
            thumbnails=ThumbnailCache(),
            previews=EditPreviews(),
            jobs=jobs,
            job_feeds=JobFeeds(jobs, readers, closing),
            streams=StreamCounter(limits.streams, "You follow as many things at once as you may"),
            downloads=StreamCounter(limits.downloads, "As many files as may are on their way to you"),
            workers=workers,
            readers=readers,
            heavy_requests=RateLimiter(0 if local else limits.heavy_rate, limits.heavy_burst),
            failed_logins=failed_logins,
            metrics=Metrics(workers, readers),
            closing=closing,
        )

    async def close(self) -> None:
        """Finish the work that was started, then close collections and database."""
        self.jobs.close()
        await self.workers.close()
        await self.readers.close()
        self.collections.close()
        self.database.close()


async def get_services(request: Request) -> Services:
    """The services of the application; asynchronous, because FastAPI runs other dependencies in a thread."""
    found = request.app.state.services
    assert isinstance(found, Services)
    return found


ServicesDep = Annotated[Services, Depends(get_services)]


def require_role(role: Role, *, heavy: bool = False) -> Callable[..., Awaitable[Identity]]:
    """A dependency: the user behind the request, who has this role and has not exceeded the rate limit.

    Args:
        role: The least role.
        heavy: Whether the route ranks, edits or encodes, which has a rate limit of its own.
    """

    async def check(request: Request, services: ServicesDep) -> Identity:
        user: Identity | None = getattr(request.state, "identity", None)  # the middleware has identified the user
        if user is None:
            raise NotLoggedInError("Nobody is logged in.", "Send 'Authorization: Bearer KEY', or log in.")
        if heavy:
            services.heavy_requests.take(user.name)
        user.check(role)
        return user

    return check


Reader = Annotated[Identity, Depends(require_role("read"))]
HeavyReader = Annotated[Identity, Depends(require_role("read", heavy=True))]
Writer = Annotated[Identity, Depends(require_role("write"))]
HeavyWriter = Annotated[Identity, Depends(require_role("write", heavy=True))]
Admin = Annotated[Identity, Depends(require_role("admin"))]
