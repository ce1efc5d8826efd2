"""Datasets: the listing, one of them, its rows and versions, saving."""

import json

from django.utils.translation import gettext
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers
from rest_framework.exceptions import ValidationError
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from registry.core.input_checks import parse_number
from registry.evaluations import dataset_queries as queries
from registry.evaluations import datasets as services
from registry.evaluations.dataset_additions import MAX_ADDED, add_dataset_rows
from registry.evaluations.dataset_archive import archive_dataset, unarchive_dataset
from registry.evaluations.dataset_difference import diff_dataset_versions
from registry.evaluations.dataset_serializers import (
    DatasetDifference,
    DatasetDifferenceOutput,
    DatasetOutput,
    DatasetPage,
    DatasetRowPage,
    DatasetSaveOutput,
    DatasetVersionPage,
    SavedDatasetOutput,
    describe_placed_row,
)
from registry.idempotency.views import IdempotentView
from registry.namespaces.authentication import identify_actor
from registry.namespaces.throttling import CallThrottle, RenderThrottle
from registry.rest.input_serializers import Input, Text, read_body
from registry.rest.list_responses import answer_page, read_query
from registry.rest.output_serializers import ProblemOutput
from registry.rest.parsers import LargeJSONParser
from registry.rest.preconditions import read_base

__all__ = [
    "ArchiveDataset",
    "Dataset",
    "Datasets",
    "Difference",
    "Rows",
    "SaveDatasetInput",
    "UnarchiveDataset",
    "Versions",
    "read_number",
]

_NUMBERS = [
    OpenApiParameter("from", int, required=True),
    OpenApiParameter("to", int, description="The latest without it."),
]


class SaveDatasetInput(Input):
    """Rows to save: as a text in one of the forms, or as a list."""

    text = Text(required=False)
    form = serializers.ChoiceField(list(services.FORMS), required=False, default="jsonl")
    rows = serializers.ListField(child=serializers.DictField(), required=False)
    message = Text(required=False, default="")
    template = Text(required=False, allow_null=True, default=None, help_text="Whose inputs the rows must fit.")


class Datasets(APIView):
    """All datasets that the caller may read."""

    @extend_schema(
        operation_id="listDatasets",
        parameters=[OpenApiParameter(name, str) for name in ("search", "namespace", "cursor")]
        + [OpenApiParameter("limit", int), OpenApiParameter("archived", str, enum=["true", "false"])],
        responses={200: DatasetPage, "4XX": ProblemOutput},
    )
    def get(self, request: Request) -> Response:
        """List datasets by name. `search`: words that occur in the name; `archived=true`: those that are archived."""
        filters = read_query(request, "search", "namespace", "archived")
        archived = filters.pop("archived", "false")
        if archived not in ("true", "false"):
            raise ValidationError({"archived": [gettext("Give true or false.")]})
        page = queries.list_datasets(
            identify_actor(request), q=filters.pop("search", ""), archived=archived == "true", **filters
        )
        return answer_page(request, page, DatasetOutput.of)


class ArchiveDatasetInput(Input):
    """Why it is put away."""

    reason = Text(required=False, default="")


class ArchiveDataset(IdempotentView):
    """Putting a dataset away."""

    @extend_schema(
        operation_id="archiveDataset",
        request=ArchiveDatasetInput,
        responses={200: DatasetOutput, "4XX": ProblemOutput},
    )
    def post(self, request: Request, name: str) -> Response:
        """Archive a dataset: lists leave it out, and no rows can be added. For admins; refused while an attached
        evaluation uses it.
        """
        fields = read_body(ArchiveDatasetInput, request)
        return Response(DatasetOutput.of(archive_dataset(actor=identify_actor(request), name=name, **fields)))


class UnarchiveDataset(IdempotentView):
    """Bringing a dataset back."""

    @extend_schema(operation_id="unarchiveDataset", request=None, responses={200: DatasetOutput, "4XX": ProblemOutput})
    def post(self, request: Request, name: str) -> Response:
        """Restore an archived dataset. For admins."""
        return Response(DatasetOutput.of(unarchive_dataset(actor=identify_actor(request), name=name)))


class Dataset(APIView):
    """One dataset."""

    parser_classes = (LargeJSONParser,)
    throttle_classes = (CallThrottle, RenderThrottle)

    @extend_schema(operation_id="getDataset", responses={200: DatasetOutput, "4XX": ProblemOutput})
    def get(self, request: Request, name: str) -> Response:
        """Read a dataset without its rows, which come from `-/rows`."""
        return Response(DatasetOutput.of(queries.read_dataset(identify_actor(request), name)))

    @extend_schema(
        operation_id="saveDataset",
        request=SaveDatasetInput,
        parameters=[
            OpenApiParameter("If-Match", str, OpenApiParameter.HEADER, description="Digest this was made from.")
        ],
        responses={200: DatasetSaveOutput, 201: DatasetSaveOutput, "4XX": ProblemOutput},
    )
    def put(self, request: Request, name: str) -> Response:
        """Save a version. Nothing is saved if the rows equal the latest ones or if one of them doesn't fit."""
        fields = read_body(SaveDatasetInput, request)
        rows, text = fields.pop("rows", None), fields.pop("text", None)
        if (rows is None) == (text is None):
            raise ValidationError({"text": [gettext("Give either a text or rows.")]})
        if rows is not None:
            fields["form"], text = "jsonl", "".join(json.dumps(row) + "\n" for row in rows)
        version = services.save_dataset(
            actor=identify_actor(request), name=name, base=read_base(request), text=text, **fields
        )
        return _answer_save(name, version)


class Versions(APIView):
    """The versions of a dataset."""

    @extend_schema(
        operation_id="listDatasetVersions",
        parameters=[OpenApiParameter("cursor", str), OpenApiParameter("limit", int)],
        responses={200: DatasetVersionPage, "4XX": ProblemOutput},
    )
    def get(self, request: Request, name: str) -> Response:
        """List the versions of a dataset, newest first."""
        page = queries.list_dataset_versions(identify_actor(request), name, **read_query(request))
        return answer_page(request, page, SavedDatasetOutput.of)


class AddRowsInput(Input):
    """Rows to add below those of the latest version."""

    rows = serializers.ListField(
        child=serializers.DictField(),
        help_text=f"1 to {MAX_ADDED}, each with inputs, and expected, id and tags if wished; id may be a trace id.",
    )
    message = Text(required=False, default="")
    template = Text(required=False, allow_null=True, default=None, help_text="Whose inputs the rows must fit.")


class Rows(IdempotentView):
    """The rows of a dataset."""

    parser_classes = (LargeJSONParser,)
    throttle_classes = (CallThrottle, RenderThrottle)

    @extend_schema(
        operation_id="listDatasetRows",
        parameters=[
            OpenApiParameter("version", int, description="The latest without it."),
            OpenApiParameter("tag", str, description="Only rows with this tag."),
            OpenApiParameter("cursor", str),
            OpenApiParameter("limit", int),
        ],
        responses={200: DatasetRowPage, "4XX": ProblemOutput},
    )
    def get(self, request: Request, name: str) -> Response:
        """Read the rows of a version in their order."""
        filters = read_query(request, "version", "tag")
        version = queries.read_dataset_version(
            identify_actor(request), name, read_number("version", filters.pop("version", None))
        )
        return answer_page(
            request, queries.list_dataset_rows(version, **filters), lambda pair: describe_placed_row(*pair)
        )

    @extend_schema(
        operation_id="addDatasetRows",
        request=AddRowsInput,
        responses={200: DatasetSaveOutput, 201: DatasetSaveOutput, "4XX": ProblemOutput},
    )
    def post(self, request: Request, name: str) -> Response:
        """Save a version with these rows added to the latest ones. A row whose name and content exist already is
        skipped.
        """
        fields = read_body(AddRowsInput, request)
        return _answer_save(name, add_dataset_rows(actor=identify_actor(request), name=name, **fields))


class Difference(APIView):
    """What changed between two versions of a dataset."""

    @extend_schema(
        operation_id="diffDataset",
        parameters=_NUMBERS,
        responses={200: DatasetDifferenceOutput, "4XX": ProblemOutput},
    )
    def get(self, request: Request, name: str) -> Response:
        """Compare two versions row by row. A row with an id is matched by it alone. A row without one is matched by
        its inputs, else by a value that no other row has, else by its position. Without `to`, the latest version is
        compared.
        """
        filters, actor = read_query(request, "from", "to"), identify_actor(request)
        before = queries.read_dataset_version(actor, name, read_number("from", filters.get("from"), needed=True))
        after = queries.read_dataset_version(actor, name, read_number("to", filters.get("to")))
        return Response(
            DatasetDifferenceOutput.of(DatasetDifference(before, after, diff_dataset_versions(before, after)))
        )


def _answer_save(name: str, saved: services.SavedDataset) -> Response:
    headers = {"ETag": f'"{saved.version.digest}"', "Location": f"/api/v1/datasets/{name}"}
    body = SavedDatasetOutput.of(saved.version) | {"warnings": list(saved.warnings)}
    return Response(body, 201 if saved.created else 200, headers=headers)


def read_number(name: str, text: str | None, *, needed: bool = False) -> int | None:
    """A number of the query, or None if it was not given. Raises ValidationError otherwise."""
    if text is None and not needed:
        return None
    number = parse_number(text or "")
    if number is None:
        raise ValidationError({name: [gettext("Give a whole number.")]})
    return number
