"""Who calls a tool and whether they may: the roles and rate limits of the server, and its errors as tool errors."""

from __future__ import annotations

import functools
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any, ParamSpec, TypeVar

from mcp.server.mcpserver import Context
from mcp.server.mcpserver.exceptions import ToolError
from starlette.requests import Request

from visavis.errors import VisavisError
from visavis.server.dependencies import Services
from visavis.server.security import Identity
from visavis.server.services.accounts import LOCAL, ROLES, Role

Call = Context[Any, Any]
Parameters = ParamSpec("Parameters")
Returned = TypeVar("Returned")


@dataclass(frozen=True)
class Access:
    """Identifies callers of tools.

    Attributes:
        services: The services of the server.
        role: The most that anybody may do through these tools, whatever their own role.
    """

    services: Services
    role: Role = "admin"

    def user(self, call: Call, role: Role, *, heavy: bool = False) -> Identity:
        """The user behind a call, who has this role and has not exceeded the rate limit.

        Args:
            call: The context of the call.
            role: The least role.
            heavy: Whether the tool ranks, edits or encodes, which has a rate limit of its own.

        Raises:
            NotAllowedError: The role is not enough.
            TooMuchError: The rate limit is exceeded.
        """
        user = self._capped(_identity(call))
        if heavy:  # all requests have a limit of their own, which the middleware uses
            self.services.heavy_requests.take(user.name)
        user.check(role)
        return user

    def _capped(self, user: Identity) -> Identity:
        return user if ROLES.index(user.role) <= ROLES.index(self.role) else Identity(user.name, self.role)


def _identity(call: Call) -> Identity:
    """Whom the middleware identified; over stdio, the person at this machine."""
    request = call.request_context.request
    if not isinstance(request, Request):
        return Identity(LOCAL, "admin")
    found = request.state.identity
    assert isinstance(found, Identity)
    return found


def told_errors(
    tool: Callable[Parameters, Awaitable[Returned]],
) -> Callable[Parameters, Awaitable[Returned]]:
    """A tool whose errors of visavis reach the agent with their remedy; other errors are reported as failures."""

    @functools.wraps(tool)
    async def call(*args: Parameters.args, **named: Parameters.kwargs) -> Returned:
        try:
            return await tool(*args, **named)
        except VisavisError as error:
            raise ToolError(str(error)) from error

    return call
