"""A Qdrant server of a few lines on 127.0.0.1: the REST protocol in front of the client's local mode.

It lets the real client speak real HTTP, and misbehaves when told to: refuses keys, fails for a while, answers late.
"""

from __future__ import annotations

import json
import re
import threading
import time
import warnings
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from qdrant_client import QdrantClient, models
from qdrant_client.http import models as rest

warnings.filterwarnings("ignore", message="Local mode performs exact")
warnings.filterwarnings("ignore", message="Payload indexes have no effect")


class StubServer:
    """Serves until closed; ``failures`` is a list of (status, headers) for the next requests, then it behaves."""

    def __init__(self, api_key: str | None = None) -> None:
        self.client = QdrantClient(":memory:", force_disable_check_same_thread=True)
        self.api_key = api_key
        self.failures: list[tuple[int, dict[str, str]]] = []
        self.delay = 0.0
        self.requests: list[str] = []
        self.schemas: dict[str, str] = {}
        self._lock = threading.Lock()
        stub = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                stub._serve(self)

            do_PUT = do_POST = do_DELETE = do_PATCH = do_GET  # noqa: N815  # names that http.server looks for

            def log_message(self, *_: Any) -> None:
                pass

        self._http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.port = self._http.server_address[1]
        self._thread = threading.Thread(target=self._http.serve_forever, daemon=True)
        self._thread.start()

    @property
    def address(self) -> str:
        return f"qdrant://127.0.0.1:{self.port}/pictures"

    def close(self) -> None:
        self._http.shutdown()
        self._http.server_close()

    def _serve(self, handler: BaseHTTPRequestHandler) -> None:
        body = handler.rfile.read(int(handler.headers.get("Content-Length") or 0))
        path = handler.path.partition("?")[0]
        self.requests.append(f"{handler.command} {path}")
        time.sleep(self.delay)
        if self.failures:
            status, headers = self.failures.pop(0)
            _answer(handler, status, {"status": {"error": "told to fail"}}, headers)
        elif self.api_key and handler.headers.get("api-key") != self.api_key:
            _answer(handler, 403, {"status": {"error": "forbidden"}})
        else:
            try:
                with self._lock:
                    result = self._route(handler.command, path, json.loads(body or "{}"))
                _answer(handler, 200, {"result": result, "status": "ok", "time": 0.0})
            except (ValueError, KeyError) as error:
                _answer(handler, 404 if "not found" in str(error) else 400, {"status": {"error": str(error)}})

    def _route(self, method: str, path: str, body: dict[str, Any]) -> Any:
        found = re.fullmatch(r"/collections/([^/]+)(/.*)?", path)
        assert found, path
        name, rest_of_path = found[1], found[2] or ""
        return self._actions(name)[f"{method} {rest_of_path}"](body)

    def _actions(self, name: str) -> dict[str, Callable[[dict[str, Any]], Any]]:
        done = {"operation_id": 1, "status": "completed"}
        client = self.client

        def create(body: dict[str, Any]) -> bool:
            made = rest.CreateCollection(**body)
            return client.create_collection(name, vectors_config=made.vectors, metadata=body.get("metadata"))

        def info(_: dict[str, Any]) -> Any:
            shown = client.get_collection(name).model_dump(mode="json")
            return {**shown, "payload_schema": {k: {"data_type": v, "points": 0} for k, v in self.schemas.items()}}

        def index(body: dict[str, Any]) -> Any:
            schema = body["field_schema"]
            self.schemas[body["field_name"]] = schema if isinstance(schema, str) else schema["type"]
            return done

        def batch(body: dict[str, Any]) -> Any:
            asked = [models.QueryRequest(**each) for each in body["searches"]]
            return [_dump(answer) for answer in client.query_batch_points(name, asked)]

        def query(body: dict[str, Any]) -> Any:
            return batch({"searches": [body]})[0]

        def scroll(body: dict[str, Any]) -> Any:
            asked = models.ScrollRequest(**body)
            points, offset = client.scroll(
                name,
                scroll_filter=asked.filter,
                limit=asked.limit or 10,
                offset=asked.offset,
                with_payload=True if asked.with_payload is None else asked.with_payload,
                with_vectors=asked.with_vector or False,
            )
            return {"points": [_dump(point) for point in points], "next_page_offset": offset}

        def retrieve(body: dict[str, Any]) -> Any:
            asked = models.PointRequest(**body)
            found = client.retrieve(name, asked.ids, asked.with_payload or False, asked.with_vector or False)
            return [_dump(point) for point in found]

        def upsert(body: dict[str, Any]) -> Any:
            client.upsert(name, [models.PointStruct(**point) for point in body["points"]])
            return done

        def count(body: dict[str, Any]) -> Any:
            return {"count": client.count(name, models.CountRequest(**body).filter).count}

        def facet(body: dict[str, Any]) -> Any:
            asked = models.FacetRequest(**body)
            return _dump(client.facet(name, asked.key, asked.filter, asked.limit or 10))

        return {
            "GET /exists": lambda _: {"exists": client.collection_exists(name)},
            "GET ": info,
            "PUT ": create,
            "DELETE ": lambda _: client.delete_collection(name),
            "PUT /index": index,
            "PUT /points": upsert,
            "POST /points": retrieve,
            "POST /points/query": query,
            "POST /points/query/batch": batch,
            "POST /points/scroll": scroll,
            "POST /points/count": count,
            "POST /facet": facet,
            "POST /points/delete": lambda body: client.delete(name, models.PointIdsList(**body)) and done,
            "PUT /points/payload": lambda body: (
                client.overwrite_payload(name, body["payload"], body["points"]) and done
            ),
        }


def _dump(model: Any) -> Any:
    return model.model_dump(mode="json")


def _answer(handler: BaseHTTPRequestHandler, status: int, body: Any, headers: dict[str, str] | None = None) -> None:
    written = json.dumps(body).encode()
    try:
        handler.send_response(status)
        for name, value in (headers or {}).items():
            handler.send_header(name, value)
        handler.send_header("Content-Type", "application/json")
        handler.send_header("Content-Length", str(len(written)))
        handler.end_headers()
        handler.wfile.write(written)
    except (BrokenPipeError, ConnectionResetError):  # the client lost its patience
        pass
