"""The journal of a namespace: pages of events, all of them as lines, and whether its chain holds."""

import csv
import io
import json
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from typing import Any

from django.http import StreamingHttpResponse
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers
from rest_framework.exceptions import ValidationError
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from registry.api import outputs
from registry.api.authentication import actor_of
from registry.api.pages import answer_page, read_query
from registry.api.shapes import moment
from registry.models import Event
from registry.queries import events as queries
from registry.queries import namespaces
from registry.queries.events import Sought
from registry.services import audits

__all__ = ["ChainState", "Events", "Export", "write"]

FILTERS = ("kind", "person", "key", "template", "since", "until")
COLUMNS = ("number", "at", "kind", "person", "key", "template", "version", "change", "body", "hash")
_FORMULA = ("=", "+", "-", "@", "\t", "\r")
PARAMETERS = [OpenApiParameter(name, str) for name in FILTERS[:4]] + [
    OpenApiParameter(name, OpenApiTypes.DATETIME) for name in FILTERS[4:]
]


class EventOutput(outputs.Output):
    number = serializers.IntegerField()
    at = serializers.DateTimeField()
    kind = serializers.CharField()
    person = serializers.CharField()
    key = serializers.CharField(allow_null=True)
    namespace = serializers.CharField()
    template = serializers.CharField(allow_null=True)
    version = serializers.IntegerField(allow_null=True)
    change = serializers.IntegerField(allow_null=True)
    body = serializers.DictField()
    previous = serializers.CharField(allow_null=True)
    hash = serializers.CharField()


class EventPage(outputs.Output):
    results = EventOutput(many=True)
    next = serializers.CharField(allow_null=True)


class ChainOutput(outputs.Output):
    verified = serializers.IntegerField(allow_null=True, help_text="The last event that the last check reached.")
    fault = serializers.CharField(allow_null=True, help_text="What it found wrong.")
    at = serializers.DateTimeField(allow_null=True)
    running = serializers.BooleanField()


class Events(APIView):
    """What happened in a namespace."""

    @extend_schema(
        operation_id="listEvents",
        parameters=[*PARAMETERS, OpenApiParameter("cursor", str), OpenApiParameter("limit", int)],
        responses={200: EventPage, "4XX": outputs.ProblemOutput},
    )
    def get(self, request: Request, namespace: str) -> Response:
        """Its events, newest first. For members; `since` is included, `until` is not."""
        asked = read_query(request, *FILTERS)
        places = {name: asked.pop(name) for name in ("cursor", "limit") if name in asked}
        page = queries.page(actor_of(request), namespace, sought=_read(asked), **places)
        return answer_page(request, page, _shape)


class Export(APIView):
    """All events of a namespace, in one answer."""

    @extend_schema(
        operation_id="exportEvents",
        parameters=[*PARAMETERS, OpenApiParameter("format", str, enum=["csv", "jsonl"], required=True)],
        responses={(200, "text/csv"): str, (200, "application/x-ndjson"): str, "4XX": outputs.ProblemOutput},
    )
    def get(self, request: Request, namespace: str) -> StreamingHttpResponse:
        """All that meet the filters, oldest first, streamed as CSV or JSON lines. For members."""
        asked = read_query(request, *FILTERS, "format")
        form = asked.pop("format", "")
        asked.pop("limit")
        if form not in _WRITERS:
            raise ValidationError({"format": [f"One of {', '.join(_WRITERS)}."]})
        return write(form, namespace, queries.stream(actor_of(request), namespace, _read(asked)))


class ChainState(APIView):
    """Whether the journal's chain of hashes holds; it is one for all namespaces."""

    @extend_schema(operation_id="getChain", responses={200: ChainOutput, "4XX": outputs.ProblemOutput})
    def get(self, request: Request, namespace: str) -> Response:
        """What the last check found. For members."""
        namespaces.get(actor_of(request), namespace)
        return Response(_state())

    @extend_schema(operation_id="checkChain", request=None, responses={202: ChainOutput, "4XX": outputs.ProblemOutput})
    def post(self, request: Request, namespace: str) -> Response:
        """Have every event checked by the worker. For admins, not by key."""
        audits.check_chain(actor=actor_of(request), namespace=namespace)
        return Response(_state(), 202)


def write(form: str, namespace: str, events: Iterable[Event]) -> StreamingHttpResponse:
    """The events as a file to keep: `csv` or `jsonl`, written while it is read."""
    kind, lines = _WRITERS[form]
    headers = {
        "Content-Disposition": f'attachment; filename="{namespace}-events.{form}"',
        "Cache-Control": "private, no-store",
    }
    return StreamingHttpResponse(lines(events), content_type=kind, headers=headers)


def _lines_of_json(events: Iterable[Event]) -> Iterator[str]:
    for event in events:
        yield json.dumps(_shape(event), ensure_ascii=False) + "\n"


def _lines_of_csv(events: Iterable[Event]) -> Iterator[str]:
    buffer = io.StringIO()
    writer = csv.writer(buffer)
    writer.writerow(COLUMNS)
    for event in events:
        facts = _shape(event)
        facts["body"] = json.dumps(facts["body"], ensure_ascii=False)
        writer.writerow([_harmless(facts[name]) for name in COLUMNS])
        yield buffer.getvalue()
        buffer.seek(0)
        buffer.truncate()
    yield buffer.getvalue()


_WRITERS = {
    "csv": ("text/csv; charset=utf-8", _lines_of_csv),
    "jsonl": ("application/x-ndjson; charset=utf-8", _lines_of_json),
}


def _harmless(value: Any) -> Any:
    """Text that a spreadsheet would run as a formula gets an apostrophe in front, as spreadsheets themselves write it."""
    return f"'{value}" if isinstance(value, str) and value.startswith(_FORMULA) else value


def _shape(event: Event) -> dict[str, Any]:
    facts = json.loads(event.text)
    return {
        "number": event.number,
        "at": moment(datetime.fromtimestamp(event.at // 1_000_000, UTC).replace(microsecond=event.at % 1_000_000)),
        "kind": event.kind,
        "person": event.person,
        "key": event.key or None,
        "namespace": event.namespace,
        "template": event.template or None,
        "version": event.version,
        "change": event.change,
        "body": facts["body"],
        "previous": facts["previous"],
        "hash": event.hash,
    }


def _read(asked: dict[str, Any]) -> Sought:
    faults: dict[str, Any] = {}
    for name in ("since", "until"):
        if name in asked:
            try:
                asked[name] = serializers.DateTimeField().to_internal_value(asked[name])
            except ValidationError as error:
                faults[name] = error.detail
    if faults:
        raise ValidationError(faults)
    return Sought(**asked)


def _state() -> dict[str, Any]:
    chain = queries.chain()
    return {
        "verified": chain.verified,
        "fault": chain.fault or None,
        "at": moment(chain.at),
        "running": chain.is_running,
    }
