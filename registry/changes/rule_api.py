"""Changing a namespace's rules by API: it opens change requests where a label becomes protected."""

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from registry.changes import rules
from registry.namespaces import api as namespace_api
from registry.namespaces.api import NamespaceOutput, RulesInput, answer_namespace
from registry.namespaces.authentication import actor_of
from registry.rest import output_serializers
from registry.rest.input_serializers import read
from registry.rest.output_serializers import Output

__all__ = ["OneNamespace"]


class OpenedOutput(Output):
    number = serializers.IntegerField()
    template = serializers.CharField()
    label = serializers.CharField()  # type: ignore[assignment]  # the metaclass takes declared fields out of the class
    version = serializers.IntegerField()


class RuledOutput(NamespaceOutput):
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
        """Change rules; pending requests are weighed by them at once. For admins, not by key.

        `opened` lists the change requests that protecting a label opened: one for each template where the label serves
        what it never held by approval.
        """
        actor = actor_of(request)
        ruled = rules.set_rules(actor=actor, namespace=namespace, **read(RulesInput, request))
        answer = answer_namespace(actor, ruled.namespace)
        answer.data["opened"] = [
            {"number": row.number, "template": row.template.name, "label": row.label, "version": row.version.number}
            for row in ruled.opened
        ]
        return answer
