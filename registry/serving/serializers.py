"""Serializers of fetches: the OpenAPI schema of answers that are cached as bytes."""

from rest_framework import serializers

from registry.rest.output_serializers import Output, ProblemOutput
from registry.templates.serializers import APPROVALS, FetchOutput

__all__ = ["BundleOutput", "FetchedList", "MovesOutput"]

_APPROVAL_HELP = "Of a protected label only: how it came to what it serves."  # no text: for the schema


class FetchedOutput(Output):
    """One of many fetches in a request."""

    ref = serializers.CharField()
    status = serializers.IntegerField()
    etag = serializers.CharField(allow_null=True)
    approval = serializers.ChoiceField(APPROVALS, required=False, help_text=_APPROVAL_HELP)
    found = FetchOutput(required=False)
    problem = ProblemOutput(required=False)


class FetchedList(Output):
    """Many fetches in one request."""

    results = FetchedOutput(many=True)


class BundleEntry(Output):
    """One template of a namespace's bundle."""

    ref = serializers.CharField()
    etag = serializers.CharField()
    approval = serializers.ChoiceField(APPROVALS, required=False, help_text=_APPROVAL_HELP)
    found = FetchOutput()


class OmittedOutput(Output):
    """A template that a bundle leaves out."""

    name = serializers.CharField()
    version = serializers.IntegerField()
    reason = serializers.CharField()


class BundleOutput(Output):
    """All that a label holds in a namespace."""

    namespace = serializers.CharField()
    label = serializers.CharField()  # type: ignore[assignment]  # the metaclass takes declared fields out of the class
    digest = serializers.CharField()
    omitted = OmittedOutput(many=True)
    entries = BundleEntry(many=True)


class MoveOutput(Output):
    """Where a label points now."""

    name = serializers.CharField()
    label = serializers.CharField()  # type: ignore[assignment]  # as above
    version = serializers.IntegerField(allow_null=True)
    digest = serializers.CharField(allow_null=True)
    rollout = serializers.IntegerField(
        required=False, help_text="The rollout that changed here; version and digest are of its stable version."
    )


class MovesOutput(Output):
    """Labels that moved since a cursor."""

    moves = MoveOutput(many=True)
    cursor = serializers.CharField()
    again = serializers.FloatField()
    reset = serializers.BooleanField()
