"""The MCP server: its tools and resources, over stdio or as an application for streamable HTTP."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from functools import partial
from typing import Any

from mcp.server.mcpserver import MCPServer
from mcp.server.transport_security import TransportSecuritySettings
from mcp_types import ToolAnnotations
from starlette.applications import Starlette

from visavis.mcp.access import Access, Call, told_errors
from visavis.mcp.conversation_tools import ConversationTools
from visavis.mcp.models import original_uri
from visavis.mcp.tools import PictureTools
from visavis.server.app import PREFIX
from visavis.server.dependencies import Services
from visavis.server.middleware import RequestLogMiddleware, SecurityMiddleware
from visavis.server.services.accounts import Role
from visavis.server.services.edits import operations
from visavis.server.services.images import BROWSER_SUFFIXES
from visavis.version import __version__

#: Where streamable HTTP is served: below the prefix for which the middleware asks for a user.
PATH = f"{PREFIX}/mcp"
_INSTRUCTIONS = """Finds pictures in the person's collections by talking, and edits copies of them.

Begin with list_collections. search_pictures answers a single search. say holds a conversation: give the person's own
words, keep the conversation id, put its open question to the person, and pass on the answer. Thumbnails come as images,
originals as resource links. Originals are never changed: edit_picture makes copies, index_folder only reads files."""
_READS = ToolAnnotations(read_only_hint=True, destructive_hint=False, open_world_hint=False)
_ADDS = ToolAnnotations(read_only_hint=False, destructive_hint=False, idempotent_hint=False, open_world_hint=False)
_AGAIN = ToolAnnotations(read_only_hint=False, destructive_hint=False, idempotent_hint=True, open_world_hint=False)


def create_server(services: Services, role: Role = "admin") -> MCPServer[None]:
    """The MCP server on these services, which it closes at the end of its lifespan.

    Args:
        services: The services of the server.
        role: The most that anybody may do through the tools.
    """
    access = Access(services, role)
    pictures, conversations = PictureTools(access), ConversationTools(access)
    server: MCPServer[None] = MCPServer(
        "visavis",
        title="visavis",
        version=__version__,
        instructions=_INSTRUCTIONS,
        lifespan=partial(_lifespan, services),
        log_level="WARNING",
    )
    tools: tuple[tuple[Callable[..., Any], str, ToolAnnotations, str], ...] = (
        (pictures.list_collections, "List collections", _READS, ""),
        (pictures.search_pictures, "Search pictures", _READS, ""),
        (conversations.say, "Say something", _ADDS, ""),
        (conversations.revise_wish, "Revise a wish", _ADDS, ""),
        (conversations.explain_result, "Explain a result", _READS, ""),
        (pictures.get_picture, "Show a picture", _READS, ""),
        (pictures.edit_picture, "Edit a copy of a picture", _ADDS, _edit_commands()),
        (pictures.index_folder, "Index a folder", _AGAIN, ""),
    )
    for tool, title, hints, more in tools:
        server.add_tool(told_errors(tool), title=title, annotations=hints, description=f"{tool.__doc__ or ''}{more}")
    for media, suffix in BROWSER_SUFFIXES.items():
        uri = original_uri("{collection}", "{picture}", suffix)
        server.resource(uri, name=f"original-{suffix}", title="A picture in full size", mime_type=media)(
            _original(pictures)
        )
    return server


def _original(pictures: PictureTools) -> Callable[..., Any]:
    async def original(collection: str, picture: str, call: Call) -> bytes:
        """A picture in full size, as its file has it where a browser can show that."""
        return await pictures.original(call, collection, picture)

    return original


def _edit_commands() -> str:
    """The commands of edits, for the description of the tool."""
    return f"\n\nThe commands: {', '.join(f'`{one.template}`' for one in operations())}."


@asynccontextmanager
async def _lifespan(services: Services, server: MCPServer[None]) -> AsyncIterator[None]:  # noqa: ARG001
    async with services.running():
        yield


def http_app(services: Services, role: Role = "admin") -> Starlette:
    """The application that serves streamable HTTP at :data:`PATH`, behind the checks of the HTTP interface.

    No session is kept: every request is authenticated by itself, and conversations are found by their ids.
    """
    app = create_server(services, role).streamable_http_app(
        streamable_http_path=PATH,
        stateless_http=True,
        json_response=True,
        max_request_body_size=services.settings.limits.json_bytes,
        # SecurityMiddleware checks the host and the origin.
        transport_security=TransportSecuritySettings(enable_dns_rebinding_protection=False),
    )
    app.add_middleware(SecurityMiddleware, settings=services.settings, authenticator=services.authenticator)
    app.add_middleware(RequestLogMiddleware, metrics=services.metrics)
    app.state.services = services
    return app
