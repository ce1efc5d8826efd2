"""Bulk fetches: many templates in one request. Does no I/O."""

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any
from urllib.parse import urlencode

from promptuary import bundles
from promptuary._fetching import (
    ClientState,
    Fetched,
    from_local,
    from_memory,
    make_answer_error,
    remember_confirmed,
    serve_stale_or_raise,
)
from promptuary._transport import Answer, Flow, Request
from promptuary.bundles import decode_object
from promptuary.errors import BadAnswer, DigestMismatch, PromptuaryError, Unavailable
from promptuary.renderer.digest import encode_canonical_json

__all__ = ["MAX_REFS", "fetch_many", "fetch_namespace"]

MAX_REFS = 500  # the registry's limit per request
Target = tuple[str, str]


def fetch_many(state: ClientState, targets: Sequence[Target]) -> Flow[list[Fetched]]:
    """Find these templates, fetching those that aren't available locally in batches.

    If some are refused, the others are still cached before the first refusal is raised.
    """
    fetched: dict[Target, Fetched] = {}
    for name, ref in targets:
        local_copy = from_memory(state, name, ref) or from_local(state, name, ref)
        if local_copy is not None:
            fetched[name, ref] = local_copy
    missing = [target for target in dict.fromkeys(targets) if target not in fetched]
    refusals: list[PromptuaryError] = []
    outage: Unavailable | None = None
    for start in range(0, len(missing), MAX_REFS):
        some = missing[start : start + MAX_REFS]
        try:
            if outage is not None:
                raise outage  # don't wait for it twice
            answers = _read_results((yield _ask_for(state, some)), some)
        except Unavailable as error:
            outage = error
            fetched.update({target: serve_stale_or_raise(state, *target, None, error) for target in some})
            continue
        for target, answer in zip(some, answers, strict=True):
            try:
                fetched[target] = _take(state, *target, answer)
            except PromptuaryError as error:
                refusals.append(error)
    if refusals:
        raise refusals[0]
    return [fetched[target] for target in targets]


def fetch_namespace(state: ClientState, namespace: str, label: str) -> Flow[list[Fetched]]:
    """Fetch everything in a namespace that carries a label. Raises PromptuaryError."""
    path = f"/api/v1/namespaces/{namespace}/bundle?{urlencode({'label': label})}"
    answer = yield Request("GET", path, state.timeout, {"Accept": "application/json"})
    if answer.status != 200:
        raise make_answer_error(answer)
    answer_fields = decode_object(answer.body, "the registry")
    try:
        entries = [(str(entry["found"]["name"]), entry) for entry in answer_fields["entries"]]
        rows = [[name, entry["found"]["version"], entry["found"]["digest"]] for name, entry in entries]
        expected = str(answer_fields["digest"])
    except (KeyError, TypeError):
        raise BadAnswer("the registry: this isn't a bundle of a namespace") from None
    actual = "sha256:" + hashlib.sha256(encode_canonical_json(rows)).hexdigest()
    if actual != expected:
        raise DigestMismatch(f"the bundle of {namespace}@{label}", expected=expected, actual=actual)
    return [_take(state, name, label, entry) for name, entry in entries]


def _ask_for(state: ClientState, targets: Iterable[Target]) -> Request:
    body = json.dumps({"refs": [f"{name}@{ref}" for name, ref in targets]}).encode()
    headers = {"Accept": "application/json", "Content-Type": "application/json"}
    return Request("POST", "/api/v1/fetch", state.timeout, headers, body)


def _read_results(answer: Answer, targets: Sequence[Target]) -> list[Mapping[str, Any]]:
    if answer.status != 200:
        raise make_answer_error(answer)
    results = decode_object(answer.body, "the registry").get("results")
    if not isinstance(results, list) or len(results) != len(targets) or not all(isinstance(r, dict) for r in results):
        raise BadAnswer(f"the registry: these aren't answers to {len(targets)} refs")
    return results


def _take(state: ClientState, name: str, ref: str, result: Mapping[str, Any]) -> Fetched:
    fields, etag = result.get("found"), str(result.get("etag") or "")
    if not isinstance(fields, dict):
        status, problem = result.get("status"), result.get("problem")
        raise make_answer_error(Answer(status if isinstance(status, int) else 502, {}, json.dumps(problem).encode()))
    bundle = bundles.build_bundle(fields, name, ref, where="the registry")
    if state.disk is not None:
        state.disk.keep(name, ref, json.dumps(fields, ensure_ascii=False).encode(), etag)
    return remember_confirmed(state, ref, bundle, etag, used_at=state.clock())
