"""What each of several worker processes serves."""

from __future__ import annotations

from fastapi import FastAPI

from visavis.apps.server.app import create_app
from visavis.apps.server.observing.logs import set_up_logs
from visavis.apps.server.settings import ServerSettings


def app() -> FastAPI:
    """The app for the settings that the first process left in the environment."""
    set_up_logs()
    return create_app(ServerSettings.imported())
