"""Logging in over the wire."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, Field

from visavis.apps.server.models.common import Body


class Me(BaseModel):
    """Who you are here."""

    user: str = Field(examples=["local"])
    role: Literal["read", "write", "admin"]
    mode: Literal["local", "keys"]
    version: str


class Login(Body):
    """A key to log in with."""

    key: str = Field(min_length=1, max_length=200)


class Health(BaseModel):
    """Whether the server lives and can work."""

    live: bool = True
    ready: bool = True
    version: str
    pending: int = Field(description="Pieces of work being done or waiting.")
