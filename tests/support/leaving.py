"""For servers of tests that keep a client waiting: they learn that it has left, however slow the machine is."""

from __future__ import annotations

import select
import socket
import time

#: A client that still waits after so many seconds does not keep its time limit.
PATIENCE_SECONDS = 60.0


def client_leaves(connection: socket.socket) -> bool:
    """Wait without an answer; return whether the client ended the connection."""
    deadline = time.monotonic() + PATIENCE_SECONDS
    while time.monotonic() < deadline:
        readable, _, _ = select.select([connection], [], [], 0.1)
        try:
            if readable and not connection.recv(1, socket.MSG_PEEK):
                return True
        except OSError:
            return True
    return False
