"""API of renaming: one template, or all of a folder."""

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from registry.idempotency.views import IdempotentView
from registry.namespaces.authentication import identify_actor
from registry.rest.input_serializers import Input, Text, read_body
from registry.rest.output_serializers import Output, ProblemOutput
from registry.templates import rename

__all__ = ["Rename", "RenameFolder"]


class RenameInput(Input):
    """The new name, and why."""

    to = Text(max_length=520, help_text="With the namespace in front, which stays the same.")
    reason = Text(required=False, default="", max_length=10_000)
    confirmed = Text(
        required=False, default="", help_text="The `seal` of what is lost by it; only needed where something is."
    )


class RenamedOutput(Output):
    """A template that has another name now."""

    name = serializers.CharField()
    former_name = serializers.CharField(help_text="It leads to the template from now on.")


class RenamedList(Output):
    """All that a folder held."""

    results = RenamedOutput(many=True)


class Rename(IdempotentView):
    """Renaming one template."""

    @extend_schema(
        operation_id="renameTemplate",
        request=RenameInput,
        responses={200: RenamedOutput, "4XX": ProblemOutput},
    )
    def post(self, request: Request, name: str) -> Response:
        """Rename a template within its namespace. Its former name leads to it for good. For admins. Where
        something that goes by name is lost, such as an approval or an evaluation, 409 names it as `losses` with their
        `seal`; with it as `confirmed` it is done.
        """
        template = rename.rename_template(actor=identify_actor(request), name=name, **read_body(RenameInput, request))
        return Response({"name": template.name, "former_name": name})


class RenameFolder(IdempotentView):
    """Renaming all templates of a folder."""

    @extend_schema(
        operation_id="renameFolder",
        request=RenameInput,
        responses={200: RenamedList, "4XX": ProblemOutput},
    )
    def post(self, request: Request, folder: str) -> Response:
        """Rename a folder within its namespace: all its templates are renamed, or none. For admins. 409 names what is
        lost by it, as for a template.
        """
        data = read_body(RenameInput, request)
        templates = rename.rename_folder(actor=identify_actor(request), folder=folder, **data)
        to = data["to"]
        results = [{"name": row.name, "former_name": folder + row.name.removeprefix(to)} for row in templates]
        return Response({"results": results})
