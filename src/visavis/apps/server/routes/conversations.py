"""Conversations: listed, started, read, renamed, forgotten, branched."""

from __future__ import annotations

from dataclasses import asdict
from typing import Annotated, Literal

from fastapi import APIRouter, Depends, Query

from visavis.apps.server.models.common import ConversationId
from visavis.apps.server.models.conversations import (
    Branch,
    ConversationModel,
    Conversations,
    Deleted,
    ListedConversation,
    NewConversation,
    NewName,
)
from visavis.apps.server.security.identity import Reader
from visavis.apps.server.services import Services, services
from visavis.apps.server.talking.listing import list_conversations
from visavis.apps.server.talking.talks import Talk
from visavis.apps.server.talking.telling import conversation_model
from visavis.conversation.memory import Memory

router = APIRouter(tags=["conversations"])
Home = Annotated[Services, Depends(services)]
OneCollection = Annotated[
    str | None, Query(pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$", description="Only those about this collection.")
]


@router.get("/conversations")
async def list_all(who: Reader, home: Home, collection: OneCollection = None) -> Conversations:
    """Your conversations, the latest first."""
    found = await home.light.run(lambda: list_conversations(home.library, home.talks, who.name, collection))
    return Conversations(conversations=[ListedConversation(**asdict(one)) for one in found])


@router.post("/conversations", status_code=201)
async def start(who: Reader, home: Home, body: NewConversation) -> ConversationModel:
    """Start a conversation about a collection."""
    talk = await home.light.run(lambda: home.talks.start(who.name, body.collection, body.name))
    return conversation_model(talk)


@router.get("/conversations/{id}")
async def read(who: Reader, home: Home, id: ConversationId) -> ConversationModel:
    """A conversation with all of its turns."""
    return await home.light.run(lambda: conversation_model(home.talks.find(who.name, id)))


@router.patch("/conversations/{id}")
async def rename(who: Reader, home: Home, id: ConversationId, body: NewName) -> ConversationModel:
    """Give a conversation another name."""
    return await home.light.run(lambda: conversation_model(home.talks.rename(who.name, id, body.name)))


@router.delete("/conversations/{id}")
async def delete(who: Reader, home: Home, id: ConversationId, edits: Literal["keep", "remove"] = "keep") -> Deleted:
    """Forget a conversation; ``edits=remove`` also forgets pictures made in it that nothing else uses."""
    remove = edits == "remove" and who.may("write")
    removed = await home.work.run(lambda: home.talks.delete(who.name, id, edits=remove), key=id)
    return Deleted(deleted=id, pictures=list(removed))


@router.post("/conversations/{id}/branch", status_code=201)
async def branch(who: Reader, home: Home, id: ConversationId, body: Branch) -> ConversationModel:
    """A conversation of its own that has the turns up to this one in common."""

    def do() -> ConversationModel:
        talk = home.talks.find(who.name, id)
        home.talks.check_room(who.name)
        made = Memory(talk.opened.catalogue).branch(talk.conversation, body.turn)
        return conversation_model(home.talks.adopt(who.name, Talk(talk.opened, made, made.name), body.name))

    return await home.light.run(do)
