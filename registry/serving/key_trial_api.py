"""What a key can do, over the API: in sentences, and one act tried as that key. For people who signed in."""

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from registry.namespaces.authentication import identify_actor
from registry.rest.input_serializers import Input, Text, read_body
from registry.rest.output_serializers import Output, ProblemOutput
from registry.serving import key_trial

__all__ = ["KeyAbilities", "KeyTrials"]


class TrialInput(Input):
    """What to try as the key."""

    act = Text(help_text=f"One of {', '.join(key_trial.ACTS)}.")
    template = Text()
    ref = Text(required=False, default="", help_text="The version or label to fetch, or the label of an act.")
    address = Text(
        required=False, default="", help_text="The IP address that the key is used from; empty: one that it is for."
    )


class AbilityOutput(Output):
    """One sentence."""

    is_allowed = serializers.BooleanField()
    verb = serializers.CharField(help_text="Its beginning: Can fetch.")
    rest = serializers.CharField(source="description")


class AbilityList(Output):
    """What a key can do and what not."""

    results = AbilityOutput(many=True)


class TrialOutput(Output):
    """What the server would answer the key."""

    is_allowed = serializers.BooleanField()
    status = serializers.IntegerField(help_text="The HTTP status that the key would get.")
    sentence = serializers.CharField(help_text="Why it is refused, or what else is needed; may be empty.")
    number = serializers.IntegerField(allow_null=True, help_text="The version that a fetch would give.")
    digest = serializers.CharField()


class KeyAbilities(APIView):
    """What a key can do."""

    @extend_schema(operation_id="describeKey", responses={200: AbilityList, "4XX": ProblemOutput})
    def get(self, request: Request, key: str) -> Response:
        """Describe in sentences what a key may do, by the rules that apply to its calls. For admins and the person it
        acts for, not by key.
        """
        rows = key_trial.describe_abilities(identify_actor(request), key)
        return Response({"results": [AbilityOutput.of(row) for row in rows]})


class KeyTrials(APIView):
    """Trials of a key."""

    @extend_schema(operation_id="tryKey", request=TrialInput, responses={200: TrialOutput, "4XX": ProblemOutput})
    def post(self, request: Request, key: str) -> Response:
        """Try a call as this key: what the server would answer. Nothing is changed or counted. For admins and the
        person it acts for, not by key.
        """
        trial = key_trial.try_key(actor=identify_actor(request), key_id=key, **read_body(TrialInput, request))
        return Response(TrialOutput.of(trial))
