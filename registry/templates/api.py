"""Templates: the listing, one of them, and saving a version."""

from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from registry.accounts.actor import Actor
from registry.idempotency.views import IdempotentView
from registry.namespaces import key_rights
from registry.namespaces.authentication import identify_actor
from registry.namespaces.throttling import CallThrottle, RenderThrottle
from registry.namespaces.verbs import Verb
from registry.rest import output_serializers
from registry.rest.input_serializers import Flag, Input, Integer, NoInput, Text, read_body
from registry.rest.list_responses import answer_page, read_query
from registry.rest.preconditions import read_base
from registry.templates import archive, label_queries, limited_key_view, queries, restore
from registry.templates import save as services
from registry.templates.label_moves import find_approvals_of_labels
from registry.templates.models import Template as TemplateRow
from registry.templates.search_entries import FILTER_KINDS
from registry.templates.serializers import SavedOutput, SavedVersion, TemplateFacts, TemplateOutput, TemplatePage

__all__ = ["Archive", "Restore", "SaveInput", "Template", "Templates", "Unarchive"]

_FILTERS = ("search", "namespace", "folder", *FILTER_KINDS, "sort")


class SaveInput(Input):
    """A document to save."""

    document = Text()
    message = Text(help_text="What changed, for the history; may be empty.")
    samples = serializers.DictField(child=serializers.DictField(), required=False, allow_null=True, default=None)
    parallel = Flag(required=False, default=False)


class RestoreInput(Input):
    """Which version's text becomes the newest version."""

    version = Integer(min_value=1)
    message = Text(required=False, default="", help_text='What the history says; "Restore v3" if it is empty.')


class ArchiveInput(Input):
    """Why a template is put away, and whether even if a protected label points to it."""

    reason = Text(required=False, default="")
    force = Flag(required=False, default=False)


class Templates(APIView):
    """All templates that the caller may read."""

    @extend_schema(
        operation_id="listTemplates",
        parameters=[OpenApiParameter(name, str) for name in (*_FILTERS, "cursor")] + [OpenApiParameter("limit", int)],
        responses={200: TemplatePage, "4XX": output_serializers.ProblemOutput},
    )
    def get(self, request: Request) -> Response:
        """Find templates by words and filters, by name or, with `sort=changed`, the last change first.

        A key limited to approved versions or to labels searches only names and what its labels serve, and the answer
        describes those versions.
        """
        parameters = read_query(request, *_FILTERS)
        actor = identify_actor(request)
        page = limited_key_view.search_visible(actor, q=parameters.pop("search", ""), **parameters)
        numbers, approvals = label_queries.map_label_numbers(page.items), find_approvals_of_labels(page.items)
        visible_templates = limited_key_view.list_visible_templates(actor, page.items)
        return answer_page(
            request,
            page,
            lambda row: TemplateOutput.of(
                TemplateFacts(row, numbers[row.pk], visible_templates[row.pk], approvals[row.pk])
            ),
        )


class Template(APIView):
    """One template."""

    throttle_classes = (CallThrottle, RenderThrottle)

    @extend_schema(
        operation_id="getTemplate",
        responses={200: TemplateOutput, "4XX": output_serializers.ProblemOutput},
    )
    def get(self, request: Request, name: str) -> Response:
        """Read a template: its facts and where its labels point. Fetch the document with `<name>@<ref>`.

        For a limited key, `latest` is the newest version that its labels serve, or null.
        """
        actor = identify_actor(request)
        return _answer(actor, queries.find_template(actor, Verb.BROWSE, name))

    @extend_schema(
        operation_id="saveTemplate",
        request=SaveInput,
        parameters=[
            OpenApiParameter("If-Match", str, OpenApiParameter.HEADER, description="Digest this was made from.")
        ],
        responses={
            200: SavedOutput,
            201: SavedOutput,
            "4XX": output_serializers.ProblemOutput,
        },
    )
    def put(self, request: Request, name: str) -> Response:
        """Save a version: checked, numbered, immutable. If the document has an error, nothing is stored."""
        data = read_body(SaveInput, request)
        actor = identify_actor(request)
        return _answer_saved(actor, services.save_version(actor=actor, name=name, base=read_base(request), **data))


class Restore(IdempotentView):
    """Save an older version's text as a new version."""

    throttle_classes = (CallThrottle, RenderThrottle)

    @extend_schema(
        operation_id="restoreVersion",
        request=RestoreInput,
        parameters=[
            OpenApiParameter("If-Match", str, OpenApiParameter.HEADER, description="Digest of the newest version.")
        ],
        responses={201: SavedOutput, "4XX": output_serializers.ProblemOutput},
    )
    def post(self, request: Request, name: str) -> Response:
        """Save an older version's text as the newest version; labels and samples stay as they are."""
        data = read_body(RestoreInput, request)
        actor = identify_actor(request)
        saved = restore.restore_version(
            actor=actor, name=name, ref=str(data["version"]), base=read_base(request), message=data["message"]
        )
        return _answer_saved(actor, saved)


class Archive(IdempotentView):
    """Archive a template."""

    @extend_schema(
        operation_id="archiveTemplate",
        request=ArchiveInput,
        responses={200: TemplateOutput, "4XX": output_serializers.ProblemOutput},
    )
    def post(self, request: Request, name: str) -> Response:
        """Archive a template: it can be fetched as before, but not changed. For admins; a protected label needs `force`
        and a reason.
        """
        actor = identify_actor(request)
        return _answer(actor, archive.archive_template(actor=actor, name=name, **read_body(ArchiveInput, request)))


class Unarchive(IdempotentView):
    """Take a template out of the archive."""

    @extend_schema(
        operation_id="unarchiveTemplate",
        request=NoInput,
        responses={200: TemplateOutput, "4XX": output_serializers.ProblemOutput},
    )
    def post(self, request: Request, name: str) -> Response:
        """Restore an archived template. For admins."""
        read_body(NoInput, request)
        actor = identify_actor(request)
        return _answer(actor, archive.unarchive_template(actor=actor, name=name))


def _answer_saved(actor: Actor, saved: services.SavedVersion) -> Response:
    problems = [problem.to_dict() for problem in saved.problems]
    # If these bytes were saved before, the existing version's message may be another author's.
    hides_message = not saved.created and actor.key is not None and key_rights.is_narrow(actor.key)
    message = "" if hides_message else saved.version.message
    body = SavedOutput.of(SavedVersion(saved.template.name, saved.version, message, problems))
    headers = {
        "ETag": f'"{saved.version.digest}"',
        "Location": f"/api/v1/templates/{saved.template.name}@{saved.version.number}",
    }
    return Response(body, 201 if saved.created else 200, headers=headers)


def _answer(actor: Actor, row: TemplateRow) -> Response:
    approval = find_approvals_of_labels([row])[row.pk]
    facts = TemplateFacts(
        row, label_queries.read_label_numbers(row), limited_key_view.find_visible_template(actor, row), approval
    )
    return Response(TemplateOutput.of(facts))
