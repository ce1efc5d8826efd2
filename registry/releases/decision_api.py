"""Decisions on several changes of a release together: approvals, and requests for edits."""

from collections.abc import Mapping
from typing import Any

from django.utils.translation import gettext
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from registry.idempotency.views import IdempotentView
from registry.namespaces.authentication import identify_actor
from registry.namespaces.verbs import Verb
from registry.releases import queries, services
from registry.releases.api import MADE, show_release
from registry.rest.input_serializers import Input, Text, read_body

__all__ = ["Approvals", "EditRequests"]


class ApprovalsInput(Input):
    """What is approved."""

    digests = serializers.DictField(child=Text(), help_text="The digest that was looked at, by change request.")
    text = Text(required=False, default="")


class EditRequestsInput(Input):
    """What is to be edited, and why."""

    digests = serializers.DictField(child=Text(), help_text="The digest that was looked at, by change request.")
    text = Text(help_text="What to edit. It is said in each of these changes.")


class Approvals(IdempotentView):
    """Approvals of several members."""

    @extend_schema(operation_id="approveRelease", request=ApprovalsInput, responses=MADE)
    def post(self, request: Request, namespace: str, number: int) -> Response:
        """Approve these change requests of the release on these digests: all of them, or none."""
        body, actor = read_body(ApprovalsInput, request), identify_actor(request)
        queries.find_release(actor, Verb.APPROVE, number, namespace)
        services.approve_release(actor=actor, number=number, digests=_read_digests(body), text=body["text"])
        return show_release(request, namespace, number, Verb.COMMENT, 201)


class EditRequests(IdempotentView):
    """Requests for edits of several members."""

    @extend_schema(operation_id="askForReleaseEdits", request=EditRequestsInput, responses=MADE)
    def post(self, request: Request, namespace: str, number: int) -> Response:
        """Ask for edits of these change requests on these digests, with a reason: of all of them, or of none."""
        body, actor = read_body(EditRequestsInput, request), identify_actor(request)
        queries.find_release(actor, Verb.APPROVE, number, namespace)
        services.ask_for_release_edits(actor=actor, number=number, digests=_read_digests(body), text=body["text"])
        return show_release(request, namespace, number, Verb.COMMENT, 201)


def _read_digests(body: Mapping[str, Any]) -> dict[int, str]:
    return {_read_number(change): digest for change, digest in body["digests"].items()}


def _read_number(change: str) -> int:
    if not change.isascii() or not change.isdecimal() or len(change) > 9:
        text = gettext("{value} is not the number of a change.").format(value=repr(change[:40]))
        raise serializers.ValidationError({"digests": [text]})
    return int(change)
