"""Connections to models: listing, making, changing, trying and removing them, and the spending caps. For admins."""

from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from registry.connections import queries, services, spending
from registry.connections.models import Connection, SpendingCap
from registry.idempotency.views import IdempotentView
from registry.namespaces.authentication import identify_actor
from registry.rest.input_serializers import Input, Integer, Number, Text, read_body
from registry.rest.output_serializers import Answer, Moment, Output, ProblemOutput

__all__ = ["Connections", "OneConnection", "SpendingOfNamespace", "TryConnection"]

_AMOUNT = "A decimal number as text, as in 0.15; null: not known."  # no text: for the schema


class Amount(serializers.DecimalField):
    """A sum of money as text, without zeros at its end."""

    def __init__(self, **options: Any) -> None:
        super().__init__(20, 6, coerce_to_string=True, normalize_output=True, **options)


class ConnectionPatch(Input):
    """What is to change of a connection; what is absent stays."""

    name = Text(required=False, help_text="What people choose it by.")
    protocol = Text(required=False, help_text=f"One of {', '.join(Connection.PROTOCOLS)}.")
    base_url = Text(required=False, help_text="Up to and without /chat/completions, /responses or /messages.")
    model = Text(required=False, help_text="The provider's id of the model.")
    key = Text(required=False, help_text="Sealed, and never shown again; empty for none.")
    prompt_price = Text(required=False, allow_null=True, help_text=f"Of a million tokens. {_AMOUNT}")
    completion_price = Text(required=False, allow_null=True, help_text=f"Of a million tokens. {_AMOUNT}")
    currency = Text(required=False, help_text="Three capital letters.")
    timeout = Integer(required=False, help_text="Seconds a try.")
    concurrency = Integer(required=False, help_text="Calls at once of one evaluation run.")
    per_second = Number(required=False, allow_null=True, help_text="Most calls a second; null for no limit.")


class ConnectionInput(ConnectionPatch):
    """A model to connect."""

    name = Text(help_text="What people choose it by.")
    base_url = Text(help_text="Up to and without /chat/completions, /responses or /messages.")
    model = Text(help_text="The provider's id of the model.")


class ConnectionOutput(Output):
    """A connection without its key."""

    id = serializers.CharField()
    name = serializers.CharField()
    protocol = serializers.ChoiceField(Connection.PROTOCOLS)
    base_url = serializers.CharField()
    model = serializers.CharField()
    has_key = serializers.BooleanField()
    needs_key = serializers.BooleanField(help_text="Whether its key has to be entered again, after a restore.")
    prompt_price = Amount(allow_null=True)
    completion_price = Amount(allow_null=True)
    currency = serializers.CharField()
    timeout = serializers.IntegerField()
    concurrency = serializers.IntegerField()
    per_second = serializers.FloatField(allow_null=True)
    created_by = serializers.CharField(source="created_by.username")
    created_at = Moment()


class ConnectionList(Output):
    """The connections of a namespace."""

    results = ConnectionOutput(many=True)


class TryOutput(Output):
    """What the model answered to one short question."""

    text = serializers.CharField()
    milliseconds = serializers.IntegerField()
    prompt_tokens = serializers.IntegerField(allow_null=True)
    completion_tokens = serializers.IntegerField(allow_null=True)


class CapInput(Input):
    """The caps: both, each a decimal number as text or null for none."""

    person_day = Text(allow_null=True, help_text="Of one person in a day (UTC).")
    namespace_month = Text(allow_null=True, help_text="Of all in a month (UTC).")
    currency = Text(required=False, default="USD")


class ModelSpendingOutput(Output):
    """What the calls of one model cost."""

    model = serializers.CharField()
    currency = serializers.CharField(help_text="Empty where the model has no price.")
    calls = serializers.IntegerField()
    prompt_tokens = serializers.IntegerField()
    completion_tokens = serializers.IntegerField()
    cost = Amount()


class SpendingOutput(Output):
    """The caps, and what was spent since the first of the month (UTC)."""

    person_day = Amount(allow_null=True)
    namespace_month = Amount(allow_null=True)
    currency = serializers.CharField()
    month = ModelSpendingOutput(many=True)


class Connections(IdempotentView):
    """The connections of a namespace."""

    @extend_schema(operation_id="listConnections", responses={200: ConnectionList, "4XX": ProblemOutput})
    def get(self, request: Request, namespace: str) -> Response:
        """List the connections by name, without their keys."""
        rows = queries.list_connections(identify_actor(request), namespace)
        return Response({"results": [ConnectionOutput.of(row) for row in rows]})

    @extend_schema(
        operation_id="createConnection",
        request=ConnectionInput,
        responses={201: ConnectionOutput, "4XX": ProblemOutput},
    )
    def post(self, request: Request, namespace: str) -> Response:
        """Connect a model."""
        values = read_body(ConnectionInput, request)
        row = services.create_connection(actor=identify_actor(request), namespace=namespace, **values)
        return Response(ConnectionOutput.of(row), 201)


class OneConnection(APIView):
    """One connection."""

    @extend_schema(
        operation_id="changeConnection",
        request=ConnectionPatch,
        responses={200: ConnectionOutput, "4XX": ProblemOutput},
    )
    def patch(self, request: Request, connection: str) -> Response:
        """Change a connection. A new host without a new key removes the key."""
        values = read_body(ConnectionPatch, request)
        return Response(
            ConnectionOutput.of(
                services.change_connection(actor=identify_actor(request), connection_id=connection, **values)
            )
        )

    @extend_schema(operation_id="removeConnection", request=None, responses={204: None, "4XX": ProblemOutput})
    def delete(self, request: Request, connection: str) -> Response:
        """Remove a connection with its key; runs that it answered stay."""
        services.remove_connection(actor=identify_actor(request), connection_id=connection)
        return Response(status=204)


class TryConnection(APIView):
    """Try a connection."""

    @extend_schema(operation_id="tryConnection", request=None, responses={200: TryOutput, "4XX": ProblemOutput})
    def post(self, request: Request, connection: str) -> Response:
        """Ask the model for one word. 409 says what went wrong, 429 that a spending cap is reached."""
        result = services.try_connection(actor=identify_actor(request), connection_id=connection)
        return Response(TryOutput.of(result))


class SpendingOfNamespace(APIView):
    """What calls of models cost in a namespace, and its caps."""

    @extend_schema(operation_id="getSpending", responses={200: SpendingOutput, "4XX": ProblemOutput})
    def get(self, request: Request, namespace: str) -> Response:
        """Read the caps and this month's spending by model."""
        actor = identify_actor(request)
        return Response(
            _describe_spending(queries.find_spending_caps(actor, namespace), spending.list_spending(actor, namespace))
        )

    @extend_schema(
        operation_id="setSpendingCaps", request=CapInput, responses={200: SpendingOutput, "4XX": ProblemOutput}
    )
    def put(self, request: Request, namespace: str) -> Response:
        """Set the caps; they are checked before each call."""
        actor = identify_actor(request)
        cap = services.set_caps(actor=actor, namespace=namespace, **read_body(CapInput, request))
        return Response(_describe_spending(cap, spending.list_spending(actor, namespace)))


def _describe_spending(cap: SpendingCap, month: list[spending.ModelSpending]) -> Answer:
    caps = {"person_day": cap.person_day, "namespace_month": cap.namespace_month, "currency": cap.currency}
    return SpendingOutput.of({**caps, "month": month})
