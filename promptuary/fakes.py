"""A registry without a network, for the tests of services that use this package."""

import json
from collections.abc import Mapping
from typing import Any

import renderer
from promptuary.errors import Unavailable
from promptuary.wire import Answer, Request

__all__ = ["AsyncFakeTransport", "FakeTransport"]


class FakeTransport:
    """Answers fetches from documents put into it, with the registry's own bodies and headers.

    `down = True` makes it unreachable; `requests` lists all it was asked for.
    """

    def __init__(self) -> None:
        self.down = False
        self.requests: list[Request] = []
        self._versions: dict[str, list[dict[str, Any]]] = {}
        self._labels: dict[tuple[str, str], int] = {}

    def put(self, name: str, document: str, *labels: str, fragments: Mapping[str, str] | None = None) -> int:
        """Add a version of `name`, move the labels to it, and return its number."""
        template = renderer.load(document, fragments=fragments)
        versions = self._versions.setdefault(name, [])
        number = len(versions) + 1
        body = {"name": name, "version": number, "digest": template.digest, **template.bundle()}
        versions.append({**body, "settings": dict(template.document.settings or {})})
        for label in labels:
            self.move(name, label, number)
        return number

    def move(self, name: str, label: str, version: int) -> None:
        """Point a label at a version."""
        self._labels[name, label] = version

    def send(self, request: Request) -> Answer:
        """Answer as the registry would."""
        self.requests.append(request)
        if self.down:
            raise Unavailable("the registry is down")
        name, _, ref = request.path.removeprefix("/api/v1/templates/").rpartition("@")
        version = self._find(name, ref)
        if version is None:
            return _problem(404, "not-found", f"there is no {name}@{ref}")
        pinned = ref.isdigit() or ref.startswith("sha256:")
        digest = version["digest"]
        etag = f'"{digest}"' if pinned else f'"{version["version"]}.{digest}"'
        if request.headers.get("If-None-Match") == etag:
            return Answer(304, {"etag": etag})
        return Answer(200, {"etag": etag, "content-type": "application/json"}, json.dumps(version).encode())

    def close(self) -> None:
        """Nothing to close."""

    def _find(self, name: str, ref: str) -> dict[str, Any] | None:
        versions = self._versions.get(name, [])
        if ref.startswith("sha256:"):
            return next((version for version in versions if version["digest"] == ref), None)
        number = int(ref) if ref.isdigit() else self._labels.get((name, ref), len(versions) if ref == "latest" else 0)
        return versions[number - 1] if 0 < number <= len(versions) else None


class AsyncFakeTransport:
    """The same registry for `AsyncPromptuary`."""

    def __init__(self, registry: FakeTransport) -> None:
        self.registry = registry

    async def send(self, request: Request) -> Answer:
        """Answer as the registry would."""
        return self.registry.send(request)

    async def close(self) -> None:
        """Nothing to close."""


def _problem(status: int, kind: str, detail: str) -> Answer:
    body = json.dumps({"type": kind, "title": kind, "status": status, "detail": detail})
    return Answer(status, {"content-type": "application/problem+json"}, body.encode())
