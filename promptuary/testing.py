"""A fake registry that needs no network, for the tests of services that use this package."""

import json
from collections.abc import Mapping
from hashlib import sha256
from typing import Any
from urllib.parse import parse_qsl, urlsplit

from promptuary import renderer
from promptuary._transport import Answer, Request
from promptuary.errors import Unavailable
from promptuary.renderer.digest import encode_canonical_json
from promptuary.renderer.names import is_pin

__all__ = ["AsyncFakeTransport", "FakeTransport"]


class FakeTransport:
    """Answers fetches from documents put into it, with the registry's own bodies and headers.

    `down = True` makes it unreachable. `requests` lists all requests, `reports` the usage reports, `outcomes` the
    scores and `rows` the rows of datasets, by name. `vocabularies` holds its vocabulary files, by digest.
    """

    def __init__(self) -> None:
        self.down = False
        self.requests: list[Request] = []
        self._versions: dict[str, list[dict[str, Any]]] = {}
        self._labels: dict[tuple[str, str], int] = {}
        self._moves: list[tuple[str, str, int]] = []
        self._rollouts: dict[tuple[str, str], dict[str, Any]] = {}
        self.vocabularies: dict[str, bytes] = {}
        self.reports: list[dict[str, Any]] = []
        self.outcomes: list[dict[str, Any]] = []
        self.rows: dict[str, list[dict[str, Any]]] = {}

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
        self._moves.append((name, label, version))

    def roll_out(self, name: str, label: str, version: int, share: int, salt: str = "salt") -> None:
        """Give this version to a share of the label's callers, in ten-thousandths; 0 ends the rollout."""
        if share == 0:
            self._rollouts.pop((name, label), None)
            return
        digest = self._versions[name][version - 1]["digest"]
        facts = {"number": 1, "salt": salt, "share": share, "version": version, "digest": digest}
        self._rollouts[name, label] = facts

    def send(self, request: Request) -> Answer:
        """Answer as the registry would."""
        self.requests.append(request)
        if self.down:
            raise Unavailable("the registry is down")
        if request.path.startswith("/api/v1/vocabularies/"):
            return self._answer_vocabulary(request.path.removeprefix("/api/v1/vocabularies/"))
        if request.path.startswith("/api/v1/namespaces/"):
            return self._answer_namespace(request.path.removeprefix("/api/v1/namespaces/"))
        if request.method == "POST":
            return self._answer_post(request)
        return self._answer_one(request)

    def _answer_vocabulary(self, digest: str) -> Answer:
        if digest not in self.vocabularies:
            return _answer_problem(404, "not-found", f"this registry has no vocabulary {digest}")
        headers = {"etag": f'"{digest}"', "content-type": "application/octet-stream"}
        return Answer(200, headers, self.vocabularies[digest])

    def _answer_one(self, request: Request) -> Answer:
        name, _, ref = request.path.removeprefix("/api/v1/templates/").rpartition("@")
        version = self._find(name, ref)
        if version is None:
            return _answer_problem(404, "not-found", f"there is no {name}@{ref}")
        etag = _build_etag(version, ref)
        if request.headers.get("If-None-Match") == etag:
            return Answer(304, {"etag": etag})
        return Answer(200, {"etag": etag, "content-type": "application/json"}, json.dumps(version).encode())

    def close(self) -> None:
        """Do nothing: there is nothing to close."""

    def _answer_many(self, request: Request) -> Answer:
        results = []
        for ref in json.loads(request.body or b"{}")["refs"]:
            answer = self._answer_one(Request("GET", f"/api/v1/templates/{ref}", request.timeout))
            kind = "found" if answer.status == 200 else "problem"
            etag = answer.headers.get("etag")
            results.append({"ref": ref, "status": answer.status, "etag": etag, kind: json.loads(answer.body)})
        return _answer_json(200, {"results": results})

    def _answer_namespace(self, path: str) -> Answer:
        address = urlsplit(path)
        namespace, _, collection = address.path.partition("/")
        query = dict(parse_qsl(address.query))
        if collection == "moves":
            return self._answer_moves(namespace, query)
        label = query.get("label", "production")
        names = [name for name in sorted(self._versions) if name.startswith(f"{namespace}/")]
        rows = [(name, version) for name in names if (version := self._find(name, label)) is not None]
        digest_rows = [[name, version["version"], version["digest"]] for name, version in rows]
        entries = [
            {"ref": f"{name}@{label}", "etag": _build_etag(version, label), "found": version} for name, version in rows
        ]
        digest = "sha256:" + sha256(encode_canonical_json(digest_rows)).hexdigest()
        return _answer_json(
            200, {"namespace": namespace, "label": label, "digest": digest, "entries": entries, "omitted": []}
        )

    def _answer_moves(self, namespace: str, query: Mapping[str, str]) -> Answer:
        after = int(query.get("after", len(self._moves)))
        moves = [
            {"name": name, "label": label, "version": version, "digest": self._versions[name][version - 1]["digest"]}
            for name, label, version in self._moves[after:]
            if name.startswith(f"{namespace}/")
        ]
        # Long polls are not held open here: with no moves to report, the client is told to ask again soon.
        again = 0.0 if moves else 0.05
        return _answer_json(200, {"moves": moves, "cursor": str(len(self._moves)), "again": again, "reset": False})

    def _answer_post(self, request: Request) -> Answer:
        if request.path == "/api/v1/fetch":
            return self._answer_many(request)
        if request.path.startswith("/api/v1/datasets/"):
            return self._add_rows(request)
        return self._take_outcomes(request) if request.path == "/api/v1/outcomes" else self._take_reports(request)

    def _add_rows(self, request: Request) -> Answer:
        name = request.path.removeprefix("/api/v1/datasets/").removesuffix("/-/rows")
        known_rows = self.rows.setdefault(name, [])
        names = {row["id"] for row in known_rows if row.get("id")}
        new_rows = [row for row in json.loads(request.body or b"{}")["rows"] if row.get("id") not in names]
        known_rows += new_rows
        digest = "sha256:" + sha256(encode_canonical_json(known_rows)).hexdigest()
        body = {"name": name, "version": len(known_rows), "digest": digest, "count": len(known_rows), "warnings": []}
        return _answer_json(201 if new_rows else 200, body)

    def _take_outcomes(self, request: Request) -> Answer:
        outcomes = json.loads(request.body or b"{}")["outcomes"]
        self.outcomes += outcomes
        return _answer_json(202, {"accepted": len(outcomes), "ignored": []})

    def _take_reports(self, request: Request) -> Answer:
        reports = json.loads(request.body or b"{}")["reports"]
        self.reports += reports
        return _answer_json(202, {"accepted": len(reports), "ignored": []})

    def _find(self, name: str, ref: str) -> dict[str, Any] | None:
        versions = self._versions.get(name, [])
        if ref.startswith("sha256:"):
            return next((version for version in versions if version["digest"] == ref), None)
        number = int(ref) if ref.isdigit() else self._labels.get((name, ref), len(versions) if ref == "latest" else 0)
        if not 0 < number <= len(versions):
            return None
        rollout = self._rollouts.get((name, ref))
        return versions[number - 1] | ({"rollout": rollout} if rollout else {})


class AsyncFakeTransport:
    """A `FakeTransport` for `AsyncPromptuary`: the same registry, answered asynchronously."""

    def __init__(self, registry: FakeTransport) -> None:
        self.registry = registry

    async def send(self, request: Request) -> Answer:
        """Answer as the registry would."""
        return self.registry.send(request)

    async def close(self) -> None:
        """Do nothing: there is nothing to close."""

    def blocking(self) -> FakeTransport:
        """Return the registry itself."""
        return self.registry


def _build_etag(version: Mapping[str, Any], ref: str) -> str:
    if is_pin(ref):
        return f'"{version["digest"]}"'
    rollout = version.get("rollout")
    share = f".{rollout['number']}.{rollout['share']}" if rollout else ""
    return f'"{version["version"]}.{version["digest"]}{share}"'


def _answer_json(status: int, body: Mapping[str, Any]) -> Answer:
    return Answer(status, {"content-type": "application/json"}, json.dumps(body).encode())


def _answer_problem(status: int, kind: str, detail: str) -> Answer:
    body = json.dumps({"type": kind, "title": kind, "status": status, "detail": detail})
    return Answer(status, {"content-type": "application/problem+json"}, body.encode())
