"""Changing a namespace's rules by API: it opens change requests if a label becomes protected."""

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from registry.changes import rule_effects, rules
from registry.namespaces import api as namespace_api
from registry.namespaces.api import NamespaceOutput, RulesInput, answer_namespace
from registry.namespaces.authentication import identify_actor
from registry.rest import output_serializers
from registry.rest.input_serializers import read_body
from registry.rest.output_serializers import Output

__all__ = ["OneNamespace", "PreviewRules"]


class OpenedOutput(Output):
    """A change request that was opened, since its label serves a version that was never approved for it."""

    number = serializers.IntegerField()
    template = serializers.CharField()
    label = serializers.CharField()  # type: ignore[assignment]  # the metaclass takes declared fields out of the class
    version = serializers.IntegerField()


class RuledOutput(NamespaceOutput):
    """The namespace after its rules were set."""

    opened = OpenedOutput(
        many=True, help_text="Change requests opened because a label that serves them is protected now."
    )


class OneNamespace(namespace_api.OneNamespace):
    """One namespace."""

    @extend_schema(
        operation_id="setRules",
        request=RulesInput,
        responses={200: RuledOutput, "4XX": output_serializers.ProblemOutput},
    )
    def patch(self, request: Request, namespace: str) -> Response:
        """Change rules. Open changes are checked against them immediately. For admins, not by key.

        `opened` lists the change requests that protecting a label opened: one for each template whose label serves a
        version that was never approved for it.
        """
        actor = identify_actor(request)
        ruled = rules.set_rules(actor=actor, namespace=namespace, **read_body(RulesInput, request))
        answer = answer_namespace(actor, ruled.namespace)
        answer.data["opened"] = [
            {"number": row.number, "template": row.template.name, "label": row.label, "version": row.version.number}
            for row in ruled.opened
        ]
        return answer


class FollowingServiceOutput(Output):
    """A service that fetched a label in the last 30 days."""

    service = serializers.CharField(source="name", help_text="The name of its key.")
    fetches_per_day = serializers.IntegerField(
        source="per_day", help_text="The mean of the last seven days, rounded up."
    )


class LabelEffectOutput(Output):
    """A label that becomes protected or unprotected."""

    label = serializers.CharField()  # type: ignore[assignment]  # the metaclass takes declared fields out of the class
    protected = serializers.BooleanField(source="is_protected")
    templates = serializers.IntegerField(help_text="How many have it.")
    services = FollowingServiceOutput(many=True)


class ServedOutput(Output):
    """What a label serves and never held by approval; a change request is opened for it."""

    template = serializers.CharField(source="template.name")
    # The metaclass takes declared fields out of the class.
    label = serializers.CharField(source="name")  # type: ignore[assignment]
    version = serializers.IntegerField(source="version.number")


class ChangeEffectOutput(Output):
    """An open request whose blockers change."""

    change = serializers.IntegerField(source="change.number")
    template = serializers.CharField(source="change.template.name")
    added = serializers.ListField(
        child=serializers.CharField(), source="added_causes", help_text="What blocks it then, and not before."
    )
    removed = serializers.ListField(
        child=serializers.CharField(), source="removed_causes", help_text="What blocked it before, and not then."
    )
    was_ready = serializers.BooleanField(help_text="Whether it could be published before.")
    is_ready = serializers.BooleanField(help_text="Whether it can be published then.")


class KeyEffectOutput(Output):
    """A key that gets approved versions only."""

    key = serializers.CharField(source="key.id")
    name = serializers.CharField(source="key.name")
    newly = serializers.BooleanField(help_text="Whether it got any version until now.")
    refused = serializers.ListField(
        child=serializers.CharField(), help_text="What it fetched in the last 30 days and will be refused."
    )


class NamedKeyOutput(Output):
    """A key."""

    key = serializers.CharField(source="id")
    name = serializers.CharField()


class RuleEffectsOutput(Output):
    """What follows from setting rules."""

    opened = ServedOutput(many=True, source="protection.serving")
    labels = LabelEffectOutput(many=True)
    changes = ChangeEffectOutput(many=True)
    blocked = serializers.IntegerField(help_text="Open changes that can't be published any more.")
    unblocked = serializers.IntegerField(help_text="Open changes that can be published then.")
    limited_keys = KeyEffectOutput(many=True, source="protection.keys")
    freed_keys = NamedKeyOutput(many=True, help_text="Keys that get any version then.")
    without_two_step = serializers.ListField(child=serializers.CharField(), help_text="Members who can only read then.")
    narrowed_keys = NamedKeyOutput(many=True, help_text="Keys of theirs, which can only read and fetch then.")


class PreviewRules(APIView):
    """What follows from rules."""

    @extend_schema(
        operation_id="previewRules",
        request=RulesInput,
        responses={200: RuleEffectsOutput, "4XX": output_serializers.ProblemOutput},
    )
    def post(self, request: Request, namespace: str) -> Response:
        """What setting these rules would change: labels, open requests, keys and people. Nothing is stored. For admins,
        not by key.
        """
        effects = rule_effects.find_rule_effects(identify_actor(request), namespace, read_body(RulesInput, request))
        return Response(RuleEffectsOutput.of(effects))
