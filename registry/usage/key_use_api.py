"""What a key is used for, over the API: the figures of the panel before it is revoked. For people who signed in."""

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from registry.namespaces import key_queries
from registry.namespaces.authentication import identify_actor
from registry.rest.output_serializers import Moment, Output, ProblemOutput
from registry.usage import queries

__all__ = ["KeyUse"]


class FetchedTemplateOutput(Output):
    """A template that the key fetched."""

    template = serializers.CharField()
    fetches = serializers.IntegerField(help_text="In the last 30 days.")


class KeyUseOutput(Output):
    """What stops working when the key is revoked. Days are UTC, and the last seconds are missing yet."""

    key = serializers.CharField()
    name = serializers.CharField()
    person = serializers.CharField(help_text="Whom it acts for.")
    last_used_at = Moment(allow_null=True)
    fetches = serializers.IntegerField(help_text="In the last 30 days.")
    fetches_yesterday = serializers.IntegerField()
    fetches_per_day = serializers.IntegerField(help_text="The mean of the last seven days, rounded up.")
    templates = FetchedTemplateOutput(many=True)


class KeyUse(APIView):
    """What one key is used for."""

    @extend_schema(operation_id="getKeyUse", responses={200: KeyUseOutput, "4XX": ProblemOutput})
    def get(self, request: Request, key: str) -> Response:
        """What stops working if the key is revoked, judged by its fetches. For admins and the person it acts for, not
        by key.
        """
        row = key_queries.find_key(identify_actor(request), key)
        use = queries.find_use_of_key(row)
        facts = {
            "key": row.id,
            "name": row.name,
            "person": row.person.username,
            "last_used_at": row.last_used_at,
            "fetches": use.count,
            "fetches_yesterday": use.yesterday,
            "fetches_per_day": use.per_day,
            "templates": [{"template": name, "fetches": count} for name, count in use.templates],
        }
        return Response(KeyUseOutput.of(facts))
