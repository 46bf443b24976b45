"""Routes of conversations: list, start, read, rename, delete, branch."""

from __future__ import annotations

from typing import Annotated, Literal

from fastapi import APIRouter, Query

from visavis.conversation.memory import Memory
from visavis.server.dependencies import HeavyReader, Reader, ServicesDep
from visavis.server.models.common import ConversationId
from visavis.server.models.conversations import (
    Before,
    Branch,
    ConversationModel,
    Conversations,
    Deleted,
    NewConversation,
    NewName,
    PageLimit,
)
from visavis.server.services import turns
from visavis.server.services.conversations import PAGE_TURNS, OpenConversation, last_page
from visavis.server.services.rendering import conversation_model

router = APIRouter(tags=["conversations"])
Settled = Annotated[bool, Query(description="Answer after the messages that this process was given before.")]
OneCollection = Annotated[
    str | None, Query(pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$", description="Only those about this collection.")
]


@router.get("/conversations")
async def list_all(who: Reader, services: ServicesDep, collection: OneCollection = None) -> Conversations:
    """Your conversations, the latest first."""
    found = await services.readers.run(lambda: services.conversations.list(who.name, collection))
    return Conversations(conversations=found)


@router.post("/conversations", status_code=201)
async def start(who: Reader, services: ServicesDep, body: NewConversation) -> ConversationModel:
    """Start a conversation about a collection."""
    talk = await services.readers.run(lambda: services.conversations.start(who.name, body.collection, body.name))
    return conversation_model(last_page(talk))


@router.get("/conversations/{id}")
async def read(
    who: Reader,
    services: ServicesDep,
    id: ConversationId,
    before: Before = None,
    limit: PageLimit = PAGE_TURNS,
    settled: Settled = False,
) -> ConversationModel:
    """A conversation with its latest turns, or with those before another one."""
    if settled:
        await services.readers.run(lambda: services.conversations.find(who.name, id))  # only its owner waits there
        await services.workers.run(_nothing, key=id)
    return await services.readers.run(
        lambda: conversation_model(services.conversations.page(who.name, id, before, limit))
    )


def _nothing() -> None:
    """Waits its turn behind what is being done in a conversation."""


@router.patch("/conversations/{id}")
async def rename(who: Reader, services: ServicesDep, id: ConversationId, body: NewName) -> ConversationModel:
    """Give a conversation another name."""
    return await services.readers.run(
        lambda: conversation_model(last_page(services.conversations.rename(who.name, id, body.name)))
    )


@router.delete("/conversations/{id}")
async def delete(
    who: Reader, services: ServicesDep, id: ConversationId, edits: Literal["keep", "remove"] = "keep"
) -> Deleted:
    """Forget a conversation; ``edits=remove`` also forgets pictures made in it that nothing else uses."""
    remove = edits == "remove" and who.may("write")
    removed = await services.workers.run(lambda: services.conversations.delete(who.name, id, edits=remove), key=id)
    return Deleted(deleted=id, pictures=list(removed))


@router.post("/conversations/{id}/branch", status_code=201)
async def branch(who: HeavyReader, services: ServicesDep, id: ConversationId, body: Branch) -> ConversationModel:
    """A conversation of its own that has the turns up to this one in common."""

    def do() -> ConversationModel:
        talk = services.conversations.find(who.name, id)
        services.conversations.check_count(who.name)
        talk.conversation.turn(body.turn)
        turns.take_turns(services, who, body.turn)
        made = Memory(talk.opened.catalogue).branch(talk.conversation, body.turn)
        adopted = services.conversations.adopt(who.name, OpenConversation(talk.opened, made, made.name), body.name)
        return conversation_model(last_page(adopted))

    return await services.workers.run(do)
