"""Each kind of store, opened empty: embedded, the Qdrant client's local mode, a Qdrant server if any, PostgreSQL."""

from __future__ import annotations

import os
import uuid
import warnings
from pathlib import Path

import pytest
from postgres_here import postgres_url
from store_support import DIMENSION

from visavis.stores.base import Store, StoreOptions
from visavis.stores.edge import EdgeStore
from visavis.stores.registry import open_store, with_collection

SERVER_URL = os.environ.get("VISAVIS_TEST_QDRANT_URL", "")


def open_edge(folder: Path) -> Store:
    return EdgeStore(folder, dimension=DIMENSION, options=StoreOptions(precision="float32", quantised=False))


def open_local(folder: Path) -> Store:
    """The client's local mode, which answers as a server would."""
    qdrant_client = pytest.importorskip("qdrant_client", reason="the extra 'qdrant' is not installed")
    from visavis.stores.server import ServerStore

    warnings.filterwarnings("ignore", message="Local mode performs exact")
    return ServerStore(qdrant_client.QdrantClient(":memory:"), "pictures", dimension=DIMENSION)


def open_server(folder: Path) -> Store:
    """A new collection on the server that VISAVIS_TEST_QDRANT_URL names (like qdrant://localhost:6333)."""
    if not SERVER_URL:
        pytest.skip("VISAVIS_TEST_QDRANT_URL names no Qdrant server")
    return open_store(
        f"{SERVER_URL.rstrip('/')}/visavis_test_{uuid.uuid4().hex}",
        dimension=DIMENSION,
        options=StoreOptions(precision="float32", quantised=False),
    )


def open_postgres(folder: Path) -> Store:
    """A new collection in PostgreSQL with pgvector."""
    pytest.importorskip("pgvector", reason="the extra 'postgres' is not installed")
    return open_store(
        with_collection(postgres_url(), f"visavis_test_{uuid.uuid4().hex}"),
        dimension=DIMENSION,
        options=StoreOptions(precision="float32", quantised=False),
    )


OPENERS = {"edge": open_edge, "local": open_local, "server": open_server, "postgres": open_postgres}


def dispose(store: Store) -> None:
    """Close a store; a collection on a real server is removed."""
    if "visavis_test_" in store.info().where:
        store.clear()
    store.close()
