"""The preview of a label's move: its effects, before anything is proposed or moved."""

from typing import Any

from django.utils.translation import gettext
from drf_spectacular.utils import OpenApiParameter, extend_schema, extend_schema_field
from rest_framework import serializers
from rest_framework.exceptions import ValidationError
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from registry.changes import document_preview, label_preview, move_sizes, suggested_runs
from registry.changes.checks import Check
from registry.changes.label_preview import LabelPreview
from registry.changes.metric_serializers import MetricOutput
from registry.core.help_links import describe_problem
from registry.core.input_checks import parse_number
from registry.namespaces.authentication import identify_actor
from registry.namespaces.throttling import CallThrottle, RenderThrottle
from registry.rest.input_serializers import Input, Text, read_body
from registry.rest.list_responses import read_query
from registry.rest.output_serializers import (
    ExactDecimal,
    FoundProblem,
    MicrosecondMoment,
    Moment,
    Output,
    ProblemOutput,
)

__all__ = ["LabelPreviewOutput", "PreviewDocument", "PreviewLabel", "SizedPreviewOutput"]


class ServiceOutput(Output):
    """A service that fetched the template in the last thirty days."""

    service = serializers.CharField(source="fetches.service", help_text="The name of its key.")
    ref = serializers.CharField(source="fetches.ref", help_text="As it asks: a label, a number, a digest.")
    fetches_per_day = serializers.IntegerField(
        source="fetches.per_day", help_text="The mean of the last seven days, rounded up."
    )
    moves = serializers.BooleanField(help_text="Whether the label takes it along.")
    gets = serializers.IntegerField(help_text="The version that it is given after the move.")


class EvaluationOutput(Output):
    """The newest finished run of the version."""

    run = serializers.IntegerField(source="run.number")
    baseline_run = serializers.IntegerField(
        allow_null=True, source="baseline.number", help_text="The run of what is served now, over the same rows."
    )
    dataset = serializers.CharField(
        allow_null=True, source="run.dataset_version.dataset.name", help_text="null: the template's samples"
    )
    rows = serializers.IntegerField(source="run.total")
    worse_without_gate = serializers.IntegerField()
    metrics = MetricOutput(many=True)


class VersionCheckOutput(Output):
    """A check of the version: its newest result, whichever change it was run for."""

    name = serializers.CharField()
    state = serializers.SerializerMethodField()
    required = serializers.BooleanField(  # type: ignore[assignment]  # as above: no argument of the class
        source="is_required", help_text="Whether the rules ask that it passes."
    )
    summary = serializers.CharField()
    at = MicrosecondMoment(allow_null=True, help_text="When it was run.")

    @extend_schema_field(serializers.ChoiceField(["passed", "failed", "not_run"]))
    def get_state(self, check: Check) -> str:
        """Its result, or that it was never run."""
        return check.outcome or "not_run"


class OverlappingOutput(Output):
    """Another open request for the same label."""

    change = serializers.IntegerField(source="change.number")
    version = serializers.IntegerField(source="change.version.number")
    superseded = serializers.BooleanField(help_text="True: the version contains it. False: it has to be merged then.")


class InputChangesOutput(Output):
    """What callers have to send otherwise than before; both lists are empty if nothing changes for them."""

    added = serializers.ListField(child=serializers.CharField(), help_text="Inputs that they must send too.")
    narrowed = serializers.ListField(
        child=serializers.CharField(), help_text="Inputs of which some values are no longer accepted."
    )


class MoveSizeOutput(Output):
    """How much a move changes."""

    lines = serializers.IntegerField(help_text="Changed lines of the source.")
    sample = serializers.CharField(help_text="The first that the model reads otherwise; empty without samples.")
    tokens = serializers.IntegerField(
        allow_null=True, help_text="More or fewer tokens on the sample; null where a version does not render on it."
    )
    inputs = InputChangesOutput(allow_null=True, help_text="null: a version could not be read.")


class RollBackOutput(Output):
    """A roll back by which the label left the version."""

    by = serializers.CharField(source="person")
    at = Moment()
    reason = serializers.CharField(allow_blank=True)
    to = serializers.IntegerField(allow_null=True, help_text="The version that the label went back to.")


class StoppedRolloutOutput(Output):
    """A rollout of the version for the label that was stopped."""

    number = serializers.IntegerField()
    change = serializers.IntegerField()
    share = serializers.IntegerField(help_text="What it served then, in ten-thousandths of the callers.")
    at = Moment(source="ended_at")
    reason = serializers.CharField(allow_blank=True)


class OtherLabelOutput(Output):
    """Another label that serves the version already."""

    name = serializers.CharField()
    protected = serializers.BooleanField(source="is_protected")
    since = Moment()


class SuggestedRunOutput(Output):
    """What would evaluate a version that was never run."""

    dataset = serializers.CharField()
    model = serializers.CharField()
    rows = serializers.IntegerField(source="estimate.rows")
    cost = ExactDecimal(
        max_digits=None,
        decimal_places=None,
        allow_null=True,
        source="estimate.cost",
        help_text="null: the model has no price.",
    )
    currency = serializers.CharField(source="estimate.currency")
    seconds = serializers.FloatField(
        allow_null=True, source="estimate.seconds", help_text="At the pace of an earlier run; null without one."
    )


class LabelPreviewOutput(Output):
    """What follows from moving a label of a template to a version."""

    template = serializers.CharField(source="template.name")
    label = serializers.CharField()  # type: ignore[assignment]  # the metaclass takes declared fields out of the class
    protected = serializers.BooleanField(source="is_protected")
    version = serializers.IntegerField(source="version.number")
    digest = serializers.CharField(source="version.digest")
    serves = serializers.IntegerField(allow_null=True, source="serves.number")
    serves_since = Moment(allow_null=True)
    state = serializers.ChoiceField(
        ["new", "equal", "ahead", "back", "superseded", "diverged"],
        help_text="How the version stands to what the label serves.",
    )
    refusal = serializers.CharField(
        help_text="Why the version can't be proposed, if what the protected label serves contains it; otherwise empty."
    )
    included = serializers.ListField(
        child=serializers.IntegerField(), help_text="Other versions that go live along with it."
    )
    approvals_needed = serializers.IntegerField()
    groups = serializers.ListField(
        child=serializers.CharField(), help_text="The titles of the groups that an approval is needed from."
    )
    owners = serializers.ListField(child=serializers.CharField())
    services = ServiceOutput(many=True)
    fetches_moving = serializers.IntegerField(help_text="Fetches a day that get this version.")
    fetches_staying = serializers.IntegerField(help_text="Fetches a day that stay where they are.")
    evaluation = EvaluationOutput(allow_null=True)
    checks = VersionCheckOutput(many=True)
    requested_by = serializers.IntegerField(
        allow_null=True, source="same.number", help_text="The open request that proposes exactly this."
    )
    overlapping = OverlappingOutput(many=True)
    served_by = OtherLabelOutput(
        many=True, help_text="The other labels that serve the version already, the earliest first."
    )
    rolled_back = RollBackOutput(
        allow_null=True, help_text="null: the label never left it by a roll back, or came to it again since."
    )
    stopped_rollout = StoppedRolloutOutput(
        allow_null=True,
        source="stopped",
        help_text="null: no rollout of the version for the label was stopped, or the label moved to it since.",
    )
    undo = serializers.ChoiceField(["roll_back", "move", "remove", "none"])
    undo_version = serializers.IntegerField(allow_null=True)


class SizedPreviewOutput(LabelPreviewOutput):
    """What follows from moving a label, with how much it changes."""

    size = serializers.SerializerMethodField()

    @extend_schema_field(MoveSizeOutput(allow_null=True))
    def get_size(self, preview: LabelPreview) -> Any:
        """The size of the move; null if the text of a version was redacted, and for limited keys."""
        size = move_sizes.find_move_size(preview)
        return MoveSizeOutput.of(size) if size else None


class SuggestingPreviewOutput(SizedPreviewOutput):
    """What follows from moving a label, with how much it changes and what would evaluate the version."""

    suggested_run = SuggestedRunOutput(
        allow_null=True, help_text="null: the version was run, nothing measures it, or the caller may not run it."
    )


class PreviewLabel(APIView):
    """What follows from a move of a label."""

    @extend_schema(
        operation_id="previewLabel",
        parameters=[OpenApiParameter("version", int, required=True, description="Where the label would go.")],
        responses={200: SuggestingPreviewOutput, "4XX": ProblemOutput},
    )
    def get(self, request: Request, name: str, label: str) -> Response:
        """Preview a move: how much changes, who gets it, how it scored, what overlaps, and how it is undone. Nothing is
        stored.
        """
        number = parse_number(read_query(request, "version").get("version", ""), digits=7)
        if not number:
            raise ValidationError({"version": [gettext("Give the number of a version.")]})
        actor = identify_actor(request)
        preview = label_preview.find_preview(actor, name, label, number)
        run = suggested_runs.find_suggested_run(actor, preview)
        suggested = SuggestedRunOutput.of(run) if run else None
        return Response({**SizedPreviewOutput.of(preview), "suggested_run": suggested})


class DocumentInput(Input):
    """A document that isn't saved."""

    document = Text()


class DocumentPreviewOutput(SizedPreviewOutput):
    """What follows from saving a document and proposing it."""

    problems = FoundProblem(many=True, help_text="Of the document. With an error it can't be saved.")


class PreviewDocument(APIView):
    """What follows from proposing a document that isn't saved."""

    throttle_classes = (CallThrottle, RenderThrottle)

    @extend_schema(
        operation_id="previewDocument",
        request=DocumentInput,
        responses={200: DocumentPreviewOutput, "4XX": ProblemOutput},
    )
    def post(self, request: Request, name: str, label: str) -> Response:
        """Preview saving a document as the next version and proposing it for a label, as previewLabel does for a saved
        version: its checks are run now, apart from evaluations. The template need not exist. Nothing is stored.
        """
        fields = read_body(DocumentInput, request)
        preview = document_preview.preview_document(actor=identify_actor(request), name=name, label=label, **fields)
        problems = [describe_problem(problem) for problem in preview.problems]
        return Response({**SizedPreviewOutput.of(preview.move), "problems": problems})
