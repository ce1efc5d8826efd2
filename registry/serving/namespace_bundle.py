"""The bundle of a label: every version that it serves in a namespace, in one answer."""

import hashlib
import json
from typing import Any

import rfc8785
from django.utils.translation import gettext

from registry.core import metrics
from registry.core.errors import NotFound, PromptuaryError, TooLarge
from registry.core.names import LATEST, check_label
from registry.serving.credentials import Caller
from registry.serving.fetcher import Fetcher
from registry.serving.responses import Answer, ServedVersion, make_answer, matches_etag
from registry.templates.label_moves import Approval
from registry.templates.models import Template
from registry.usage import recorder

__all__ = ["MAX_BYTES", "answer_bundle"]

MAX_BYTES = 32 * 1024 * 1024  # of the whole response, which is built in memory


def answer_bundle(fetches: Fetcher, caller: Caller, namespace: str, label: str, if_none_match: str = "") -> Answer:
    """The bundle of a label, or 304 if the client has it. Raises PromptuaryError.

    The caller is authenticated: a key's, or a person's with a role in the namespace. Templates that a limited key may
    not fetch are omitted and listed. The digest covers name, version and digest of each entry, ordered by name.
    """
    if caller.namespace != namespace:
        raise NotFound(
            gettext("There is no namespace {name}, or you don't have access to it.").format(name=namespace[:100])
        )
    if label != LATEST:
        check_label(label)
    entries, omitted = _gather(fetches, caller, _list_labelled(namespace, label), label)
    contents: list[Any] = [[name, version.number, version.digest] for name, version in entries]
    digest = "sha256:" + hashlib.sha256(rfc8785.dumps(contents)).hexdigest()
    for _, version in entries if caller.key else ():
        recorder.note_fetch(caller.key, version.version, label)
    tag = _tag(digest, entries)
    headers = {"ETag": f'"{tag}"', "Cache-Control": "private, max-age=0, must-revalidate", "Vary": "Authorization"}
    status = 304 if if_none_match and matches_etag(if_none_match, f'"{tag}"') else 200
    metrics.count_fetch(status)
    if status == 304:
        return make_answer(304, b"", "", headers)
    head: dict[str, object] = {"namespace": namespace, "label": label, "digest": digest, "omitted": omitted}
    return make_answer(200, _build_body(head, label, entries), "application/json", headers)


def _list_labelled(namespace: str, label: str) -> list[tuple[str, int]]:
    """Name and number of every template that has the label, sorted by the name's code points."""
    rows = Template.objects.filter(namespace__name=namespace, archived_at=None)
    if label == LATEST:
        names = rows.filter(latest__isnull=False).values_list("name", "latest__number")
    else:
        names = rows.filter(labels__name=label).values_list("name", "labels__version__number")
    return sorted(names)


def _gather(
    fetches: Fetcher, caller: Caller, named_versions: list[tuple[str, int]], label: str
) -> tuple[list[tuple[str, ServedVersion]], list[dict[str, object]]]:
    fetches.load_label([name for name, _ in named_versions], label)
    entries: list[tuple[str, ServedVersion]] = []
    omitted: list[dict[str, object]] = []
    size = 0
    for name, number in named_versions:
        try:
            version = fetches.find_version(caller, f"{name}@{label}")
        except NotFound:  # removed concurrently
            continue
        except PromptuaryError as error:
            omitted.append({"name": name, "version": number, "reason": error.message})
            continue
        entries.append((name, version))
        size += len(version.answer.body)
        if size > MAX_BYTES:
            raise TooLarge(
                gettext("The answer would have more than {most} bytes: fetch many refs instead.").format(
                    most=MAX_BYTES
                ),
                limit=MAX_BYTES,
            )
    return entries, omitted


def _tag(digest: str, entries: list[tuple[str, ServedVersion]]) -> str:
    """An entity tag of the digest and the response's other facts: a protected label may serve what it never held by
    approval, or be divided by a rollout.
    """
    missing_rows: list[Any] = [
        [name, version.approval.value]
        for name, version in entries
        if version.approval and version.approval != Approval.APPROVED
    ]
    rollouts = [(name, version.rollout) for name, version in entries if version.rollout is not None]
    missing_rows += [[name, rollout.number, rollout.share] for name, rollout in rollouts]
    return f"{digest}.{hashlib.sha256(rfc8785.dumps(missing_rows)).hexdigest()[:16]}" if missing_rows else digest


def _build_body(head: dict[str, object], label: str, versions: list[tuple[str, ServedVersion]]) -> bytes:
    """The body, assembled from the cached bytes of each fetch."""
    entries = []
    for name, version in versions:
        facts = {"ref": f"{name}@{label}", "etag": version.etag}
        if version.approval:
            facts["approval"] = version.approval.value
        entry = json.dumps(facts).encode()
        entries.append(entry[:-1] + b', "found": ' + version.answer.body + b"}")
    return json.dumps(head, ensure_ascii=False).encode()[:-1] + b', "entries": [' + b",".join(entries) + b"]}"
