"""Imports over the API: what prompts of other systems would become. Saving is `PUT` of a template, as ever."""

import base64
import binascii
from typing import Any

from django.utils.translation import gettext
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from registry.namespaces.authentication import identify_actor
from registry.namespaces.throttling import CallThrottle, RenderThrottle
from registry.rest.input_serializers import Input, Text, read_body
from registry.rest.output_serializers import Output, ProblemOutput
from registry.templates import imports

__all__ = ["ImportInput", "ImportOutput", "Imports"]


class FileInput(Input):
    """A file: its name, and its text or its bytes."""

    path = Text(help_text="The file's name, with folders where it has some.")
    text = Text(required=False)
    base64 = Text(required=False, help_text="The bytes in base64, for an archive.")

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        """The text or the bytes, and bytes that are base64."""
        if ("text" in attrs) == ("base64" in attrs):
            raise serializers.ValidationError({"text": [gettext("Give either text or base64.")]})
        try:
            content = base64.b64decode(attrs["base64"], validate=True) if "base64" in attrs else attrs["text"].encode()
        except (binascii.Error, ValueError):
            field = "base64" if "base64" in attrs else "text"
            raise serializers.ValidationError(
                {field: [gettext("This is no {field} that can be read.").format(field=field)]}
            ) from None
        return {"path": attrs["path"], "content": content}


class ImportInput(Input):
    """Files of other systems, and the namespace where their templates would go."""

    namespace = Text()
    files = FileInput(many=True)
    source_format = Text(
        required=False, default="", help_text="Their format or template language; recognised by the content if empty."
    )

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        """No two files of one name: one of them would be lost."""
        paths = [file["path"] for file in attrs["files"]]
        if len(set(paths)) < len(paths):
            raise serializers.ValidationError({"files": [gettext("Two files have one name.")]})
        return attrs


class ImportDifferenceOutput(Output):
    """One thing that is otherwise in the document than in the source."""

    message = serializers.CharField()
    line = serializers.IntegerField(allow_null=True)


class ImportedTemplateOutput(Output):
    """What a prompt would become, and where it would go."""

    name = serializers.CharField()
    state = serializers.ChoiceField(["new", "exists"], help_text="Whether a template of that name exists.")
    problem = serializers.CharField(help_text="Why the name gives no address; empty where it does.")
    format = serializers.CharField(help_text="The format that was read.")
    document = serializers.CharField()
    samples = serializers.DictField()
    differences = ImportDifferenceOutput(many=True)


class ImportedFileOutput(Output):
    """The result of one file."""

    path = serializers.CharField()
    refusal = serializers.CharField(help_text="Why it cannot be read; empty where it can.")
    line = serializers.IntegerField(allow_null=True, help_text="The line of the file that the refusal speaks of.")
    templates = ImportedTemplateOutput(many=True)


class ImportOutput(Output):
    """The result of each file. Nothing is stored."""

    files = ImportedFileOutput(many=True)


class Imports(APIView):
    """What prompts of other systems would become."""

    throttle_classes = (CallThrottle, RenderThrottle)

    @extend_schema(
        operation_id="previewImport", request=ImportInput, responses={200: ImportOutput, "4XX": ProblemOutput}
    )
    def post(self, request: Request) -> Response:
        """Preview an import: the templates that the files become, with every difference. Nothing is stored."""
        data = read_body(ImportInput, request)
        files = {file["path"]: file["content"] for file in data.pop("files")}
        results = imports.preview_import(actor=identify_actor(request), files=files, **data)
        return Response({"files": [_write_file(result) for result in results]})


def _write_file(result: imports.ImportedFile) -> dict[str, Any]:
    return {
        "path": result.path,
        "refusal": result.refusal,
        "line": result.line,
        "templates": [
            {
                "name": template.name,
                "state": template.state,
                "problem": template.problem,
                "format": template.imported.source_format,
                "document": template.imported.document,
                "samples": template.imported.samples,
                "differences": [
                    {"message": difference.message, "line": difference.line}
                    for difference in template.imported.differences
                ],
            }
            for template in result.templates
        ],
    }
