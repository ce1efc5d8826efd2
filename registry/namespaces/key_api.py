"""Keys: listing, issuing, rotating and revoking them. For signed-in admins and the key's person, never by key."""

from datetime import datetime
from typing import Any

from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from registry.accounts.models import Key
from registry.core.timestamps import format_moment
from registry.idempotency.views import IdempotentView
from registry.journal import log
from registry.namespaces import key_queries as queries
from registry.namespaces import key_rights, revocations
from registry.namespaces import keys as services
from registry.namespaces.authentication import identify_actor
from registry.namespaces.unused_keys import is_key_unused
from registry.namespaces.verbs import KEY_VERBS
from registry.rest import output_serializers
from registry.rest.input_serializers import Flag, Input, Text, read_body
from registry.rest.list_responses import read_query

__all__ = ["IssueInput", "Keep", "Keys", "OneKey", "OwnKeys", "Rotate", "RotateInput"]


class IssueInput(Input):
    """A service and what it may: a scope or verbs; without either it may fetch only."""

    name = Text(help_text="Which service it is for.")
    scope = Text(
        required=False,
        default="",
        help_text="read, or write, which is all but rolling back; or give verbs. Neither: fetch.",
    )
    verbs = serializers.ListField(
        child=Text(),
        required=False,
        default=list,
        help_text=f"Some of {', '.join(KEY_VERBS)}, instead of a scope; roll_back only so.",
    )
    labels = serializers.ListField(
        child=Text(), required=False, default=list, help_text="The only labels it acts on; fetches what they serve now."
    )
    person = Text(required=False, allow_null=True, default=None, help_text="Whom it acts for; by default you.")
    expires_at = serializers.DateTimeField(
        required=False,
        allow_null=True,
        default=services.find_default_end,
        help_text=f"When it ends; left out: in {services.DEFAULT_DAYS} days; null: never.",
    )
    approved_only = Flag(required=False, allow_null=True, default=None, help_text="null: as the namespace's rules say.")
    addresses = serializers.ListField(
        child=Text(),
        required=False,
        default=list,
        help_text="The only IP addresses and networks it is used from, such as 203.0.113.0/24; empty: any.",
    )


class AddressesInput(Input):
    """The network addresses that a key is limited to."""

    addresses = serializers.ListField(
        child=Text(), help_text="The only IP addresses and networks, such as 203.0.113.0/24; empty: any."
    )


class RotateInput(Input):
    """How long the old key goes on, and when the new one ends."""

    keep_until = serializers.DateTimeField(
        required=False, allow_null=True, default=None, help_text="Until when the old key holds; null: it ends now."
    )
    expires_at = serializers.DateTimeField(
        required=False, allow_null=True, default=None, help_text="null: after as long a life as the old one was given."
    )


class RevokeParameters(Input):
    """Why a key ends, and when."""

    reason = Text(required=False, default="")
    keep_until = serializers.DateTimeField(required=False, allow_null=True, default=None)


class KeyOutput(output_serializers.Output):
    id = serializers.CharField()
    name = serializers.CharField()
    scope = serializers.ChoiceField(Key.SCOPES)
    verbs = serializers.ListField(child=serializers.CharField())
    labels = serializers.ListField(child=serializers.CharField())
    addresses = serializers.ListField(
        child=serializers.CharField(), help_text="The only networks it is used from; empty: any."
    )
    approved_only = serializers.BooleanField(allow_null=True)
    person = serializers.CharField()
    created_by = serializers.CharField()
    created_at = serializers.DateTimeField()
    expires_at = serializers.DateTimeField(allow_null=True)
    revoked_at = serializers.DateTimeField(allow_null=True)
    last_used_at = serializers.DateTimeField(allow_null=True)
    is_unused = serializers.BooleanField(help_text="Whether it still holds and nobody used it for long.")
    replaces = serializers.CharField(allow_null=True)


class KeyList(output_serializers.Output):
    results = KeyOutput(many=True)


class IssuedOutput(KeyOutput):
    secret = serializers.CharField(help_text="The whole key, shown this once.")


class Keys(IdempotentView):
    """The keys of a namespace."""

    @extend_schema(operation_id="listKeys", responses={200: KeyList, "4XX": output_serializers.ProblemOutput})
    def get(self, request: Request, namespace: str) -> Response:
        """List the keys of a namespace, including ended ones, newest first, without their secrets. For admins."""
        return Response(
            {"results": [_describe_key(key) for key in queries.list_keys(identify_actor(request), namespace)]}
        )

    @extend_schema(
        operation_id="issueKey",
        request=IssueInput,
        responses={201: IssuedOutput, "4XX": output_serializers.ProblemOutput},
    )
    def post(self, request: Request, namespace: str) -> Response:
        """Issue a key. Only this answer contains its secret. For admins."""
        issued = services.issue_key(
            actor=identify_actor(request), namespace=namespace, **read_body(IssueInput, request)
        )
        return _answer(issued)


class OwnKeyOutput(KeyOutput):
    namespace = serializers.CharField()
    may = serializers.CharField(help_text="What it may do, in words.")


class OwnKeyList(output_serializers.Output):
    results = OwnKeyOutput(many=True)


class OwnKeys(APIView):
    """The keys that act for the caller."""

    @extend_schema(operation_id="listOwnKeys", responses={200: OwnKeyList, "4XX": output_serializers.ProblemOutput})
    def get(self, request: Request) -> Response:
        """List the keys that act for you in any namespace, including ended ones, newest first. For people who signed
        in.
        """
        rows = queries.list_own_keys(identify_actor(request))
        entries = [
            {**_describe_key(key), "namespace": key.namespace.name, "may": queries.describe_key(key)} for key in rows
        ]
        return Response({"results": entries})


class OneKey(APIView):
    """One key."""

    @extend_schema(
        operation_id="changeKey",
        request=AddressesInput,
        responses={200: KeyOutput, "4XX": output_serializers.ProblemOutput},
    )
    def patch(self, request: Request, key: str) -> Response:
        """Set the network addresses that a key can be used from; they apply within a second. For admins, not by key."""
        key_row = services.set_key_addresses(
            actor=identify_actor(request), key_id=key, **read_body(AddressesInput, request)
        )
        return Response(_describe_key(key_row))

    @extend_schema(
        operation_id="revokeKey",
        parameters=[
            OpenApiParameter("reason", str, description="Why; it goes into the audit."),
            OpenApiParameter("keep_until", datetime, description="When the key ends; left out: now."),
        ],
        request=None,
        responses={200: KeyOutput, "4XX": output_serializers.ProblemOutput},
    )
    def delete(self, request: Request, key: str) -> Response:
        """Revoke a key; it stops working everywhere within a second. For admins and the person it acts for, not by
        key."""
        query = read_query(request, "reason", "keep_until")
        parameters = RevokeParameters(data={name: query[name] for name in ("reason", "keep_until") if name in query})
        parameters.is_valid(raise_exception=True)
        revoked = services.revoke_key(actor=identify_actor(request), key_id=key, **parameters.validated_data)
        return Response(_describe_key(revoked))


class Keep(IdempotentView):
    """A key whose revocation was set for later."""

    @extend_schema(
        operation_id="keepKey", request=None, responses={200: KeyOutput, "4XX": output_serializers.ProblemOutput}
    )
    def post(self, request: Request, key: str) -> Response:
        """Cancel a revocation that was set for later: the key ends when it did before. For admins, and for the person
        it acts for who set it. Not by key."""
        return Response(_describe_key(revocations.keep_key(actor=identify_actor(request), key_id=key)))


class Rotate(IdempotentView):
    """Replacing a key with a new one of the same rights."""

    @extend_schema(
        operation_id="rotateKey",
        request=RotateInput,
        responses={201: IssuedOutput, "4XX": output_serializers.ProblemOutput},
    )
    def post(self, request: Request, key: str) -> Response:
        """Make a key with the same rights; the old one works until `keep_until`. For admins."""
        return _answer(
            services.rotate_key(actor=identify_actor(request), key_id=key, **read_body(RotateInput, request))
        )


def _answer(issued: services.IssuedKey) -> Response:
    headers = {"Cache-Control": "no-store"}
    return Response({**_describe_key(issued.key), "secret": issued.secret}, 201, headers=headers)


def _describe_key(key: Key) -> dict[str, Any]:
    moments = ("created_at", "expires_at", "revoked_at", "last_used_at")
    return {
        "id": key.id,
        "name": key.name,
        "scope": key.scope,
        "verbs": [verb.value for verb in KEY_VERBS if verb in key_rights.list_key_verbs(key)],
        "labels": key.labels,
        "addresses": key.addresses,
        "approved_only": key.approved_only,
        "person": key.person.username,
        "created_by": key.created_by.username,
        **{name: format_moment(getattr(key, name)) for name in moments},
        "is_unused": is_key_unused(key, log.now()),
        "replaces": key.replaces_id,
    }
