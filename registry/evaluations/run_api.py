"""Runs: starting one, watching it, its rows, two side by side, exports."""

import tempfile
from pathlib import Path

from django.http import HttpResponse
from django.utils.translation import gettext
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers
from rest_framework.exceptions import ValidationError
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from registry.connections.endpoint import ECHO
from registry.evaluations import exports
from registry.evaluations import run_queries as queries
from registry.evaluations import start_runs as services
from registry.evaluations.dataset_api import read_number
from registry.evaluations.run_estimates import estimate_run
from registry.evaluations.run_serializers import (
    ComparedRuns,
    ComparisonOutput,
    RunEstimateOutput,
    RunList,
    RunOutput,
    RunPage,
    RunRowOutput,
    RunRowPage,
)
from registry.evaluations.start_together import MAX_COLUMNS, RunColumn, start_runs_together
from registry.idempotency.views import IdempotentView
from registry.namespaces.authentication import identify_actor
from registry.namespaces.throttling import CallThrottle, RenderThrottle
from registry.rest.input_serializers import Input, Integer, Text, read_body
from registry.rest.list_responses import answer_page, read_query
from registry.rest.output_serializers import ProblemOutput

__all__ = ["Cancel", "Compare", "Export", "Rerun", "Rows", "Run", "RunEstimate", "Runs", "RunsTogether", "StartInput"]

_FILTERS = ("namespace", "template", "dataset", "state")
_ANSWERS = {200: RunOutput, "4XX": ProblemOutput}


class StartInput(Input):
    """What to run: a version, rows, a model."""

    template = Text()
    ref = Text(required=False, default="latest")
    dataset = Text(required=False, allow_null=True, default=None, help_text="null: the template's samples")
    dataset_version = Integer(min_value=1, required=False, allow_null=True, default=None)
    model = Text(required=False, default=ECHO)
    metrics = serializers.ListField(child=Text(), required=False, default=list)
    judge = Text(required=False, allow_null=True, default=None, help_text="namespace/name@ref of a template")
    judge_model = Text(required=False, allow_null=True, default=None)
    judge_paths = serializers.DictField(child=Text(), required=False, default=dict)


class EstimateInput(Input):
    """What would be run: a version, rows, a model."""

    template = Text()
    ref = Text(required=False, default="latest")
    dataset = Text(required=False, allow_null=True, default=None, help_text="null: the template's samples")
    dataset_version = Integer(min_value=1, required=False, allow_null=True, default=None)
    model = Text(required=False, default=ECHO)
    judge = Text(required=False, allow_null=True, default=None, help_text="namespace/name@ref of a template")
    judge_model = Text(required=False, allow_null=True, default=None)
    judge_paths = serializers.DictField(child=Text(), required=False, default=dict)


class RunColumnInput(Input):
    """One of several runs: a version and a model."""

    ref = Text(required=False, default="latest")
    model = Text(required=False, default=ECHO)


class StartTogetherInput(Input):
    """The versions and models to run over the same rows."""

    template = Text()
    columns = RunColumnInput(many=True, help_text=f"1 to {MAX_COLUMNS} of them.")
    dataset = Text(required=False, allow_null=True, default=None, help_text="null: the template's samples")
    dataset_version = Integer(min_value=1, required=False, allow_null=True, default=None)
    metrics = serializers.ListField(child=Text(), required=False, default=list)
    judge = Text(required=False, allow_null=True, default=None, help_text="namespace/name@ref of a template")
    judge_model = Text(required=False, allow_null=True, default=None)
    judge_paths = serializers.DictField(child=Text(), required=False, default=dict)


class NoRunInput(Input):
    """An empty object, or no body."""


class Runs(IdempotentView):
    """All runs that the caller may read."""

    throttle_classes = (CallThrottle, RenderThrottle)

    @extend_schema(
        operation_id="listRuns",
        parameters=[OpenApiParameter(name, str) for name in (*_FILTERS, "cursor")] + [OpenApiParameter("limit", int)],
        responses={200: RunPage, "4XX": ProblemOutput},
    )
    def get(self, request: Request) -> Response:
        """List runs, newest first. `state` is queued, running, done, failed or cancelled."""
        page = queries.list_runs(identify_actor(request), **read_query(request, *_FILTERS))
        return answer_page(request, page, RunOutput.of)

    @extend_schema(operation_id="startRun", request=StartInput, responses={202: RunOutput, "4XX": ProblemOutput})
    def post(self, request: Request) -> Response:
        """Start a run: the worker asks a model for every row."""
        run = services.start_run(actor=identify_actor(request), **read_body(StartInput, request))
        return Response(RunOutput.of(run), 202, headers={"Location": f"/api/v1/runs/{run.number}"})


class RunEstimate(APIView):
    """What a run would cost."""

    throttle_classes = (CallThrottle, RenderThrottle)

    @extend_schema(
        operation_id="estimateRun",
        request=EstimateInput,
        responses={200: RunEstimateOutput, "4XX": ProblemOutput},
    )
    def post(self, request: Request) -> Response:
        """Estimate the tokens and the cost of a run. No model is called, nothing is stored."""
        estimate = estimate_run(actor=identify_actor(request), **read_body(EstimateInput, request))
        return Response(RunEstimateOutput.of(estimate))


class RunsTogether(IdempotentView):
    """Several runs over the same rows."""

    throttle_classes = (CallThrottle, RenderThrottle)

    @extend_schema(
        operation_id="startRunsTogether",
        request=StartTogetherInput,
        responses={202: RunList, "4XX": ProblemOutput},
    )
    def post(self, request: Request) -> Response:
        """Start a run for each version and model, or none. The worker asks the model for every row."""
        fields = read_body(StartTogetherInput, request)
        columns = [RunColumn(**column) for column in fields.pop("columns")]
        judge = {name: fields.pop(name) for name in ("judge", "judge_model", "judge_paths")}
        runs = start_runs_together(actor=identify_actor(request), columns=columns, judge=judge, **fields)
        return Response({"results": [RunOutput.of(run) for run in runs]}, 202)


class Run(APIView):
    """One run."""

    @extend_schema(operation_id="getRun", responses=_ANSWERS)
    def get(self, request: Request, number: int) -> Response:
        """Read a run: its progress, and its scores once it is done."""
        return Response(RunOutput.of(queries.read_run(identify_actor(request), number)))


class Rows(APIView):
    """The rows of a run."""

    @extend_schema(
        operation_id="listRunRows",
        parameters=[
            OpenApiParameter("only", str, description="failed, or worst:<metric> <target>"),
            OpenApiParameter("cursor", str),
            OpenApiParameter("limit", int),
        ],
        responses={200: RunRowPage, "4XX": ProblemOutput},
    )
    def get(self, request: Request, number: int) -> Response:
        """Read the rows of a run with prompt, reply and scores, also while it is under way."""
        filters = read_query(request, "only")
        return answer_page(
            request,
            queries.list_run_rows(queries.read_run(identify_actor(request), number), **filters),
            RunRowOutput.of,
        )


class Cancel(IdempotentView):
    """Ending a run."""

    @extend_schema(operation_id="cancelRun", request=NoRunInput, responses=_ANSWERS)
    def post(self, request: Request, number: int) -> Response:
        """Cancel the run; replies so far are kept."""
        read_body(NoRunInput, request)
        return Response(RunOutput.of(services.cancel_run(actor=identify_actor(request), number=number)))


class Rerun(IdempotentView):
    """Taking up a run again."""

    @extend_schema(operation_id="rerunFailures", request=NoRunInput, responses={202: RunOutput, "4XX": ProblemOutput})
    def post(self, request: Request, number: int) -> Response:
        """Run the failed rows again, and those that a cancelled run left out."""
        read_body(NoRunInput, request)
        return Response(RunOutput.of(services.rerun_failures(actor=identify_actor(request), number=number)), 202)


class Compare(APIView):
    """A run against another one over the same rows."""

    @extend_schema(
        operation_id="compareRuns",
        parameters=[
            OpenApiParameter("with", int, required=True, description="The run before this one."),
            OpenApiParameter("metric", str, required=True),
            OpenApiParameter("target", str, description="An output; `answer` without it."),
        ],
        responses={200: ComparisonOutput, "4XX": ProblemOutput},
    )
    def get(self, request: Request, number: int) -> Response:
        """Compare two runs: rows that got better and worse, the interval of the difference, the worst regressions
        first.
        """
        filters, actor = read_query(request, "with", "metric", "target"), identify_actor(request)
        if "metric" not in filters:
            raise ValidationError({"metric": [gettext("Name a metric that both runs have.")]})
        other = read_number("with", filters.get("with"), needed=True)
        before, after = queries.read_run(actor, other or 0), queries.read_run(actor, number)
        comparison = queries.compare_runs(before, after, filters["metric"], filters.get("target", "answer"))
        return Response(ComparisonOutput.of(ComparedRuns(before, after, comparison)))


class Export(APIView):
    """A run as a file."""

    @extend_schema(
        operation_id="exportRun",
        parameters=[
            OpenApiParameter("form", str, enum=list(exports.FORMS), description="`jsonl` without it."),
            OpenApiParameter("with", int, description="Of a report: the run it is set against."),
        ],
        responses={
            (200, "application/x-ndjson"): str,
            (200, "application/json"): OpenApiTypes.ANY,
            (200, "text/csv"): str,
            (200, "text/html"): str,
            "4XX": ProblemOutput,
        },
    )
    def get(self, request: Request, number: int) -> HttpResponse:
        """Export a run. csv and json: one row a line with its scores; jsonl: the result that the evaluation package
        reads; html: a report.
        """
        filters, actor = read_query(request, "form", "with"), identify_actor(request)
        run, form = queries.read_run(actor, number), filters.get("form", "jsonl")
        other = read_number("with", filters.get("with"))
        before = queries.read_run(actor, other) if other is not None else None
        with tempfile.TemporaryDirectory(prefix="promptuary-export-") as folder:
            path = exports.write_export(run, form, Path(folder), before)
            content = path.read_bytes()
        headers = {"Content-Disposition": f'attachment; filename="{path.name}"', "Cache-Control": "private, no-store"}
        return HttpResponse(content, content_type=exports.FORMS[form], headers=headers)
