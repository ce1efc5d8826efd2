"""Checking and rendering, with nothing stored."""

from typing import Any

from django.utils.translation import gettext
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from registry.core.help_links import describe_problem
from registry.namespaces.authentication import identify_actor
from registry.namespaces.throttling import CallThrottle, RenderThrottle
from registry.rest import output_serializers
from registry.rest.input_serializers import Choice, Input, Integer, Text, read_body
from registry.templates import document_check, preview
from registry.templates.serializers import CheckOutput, RenderOutput

__all__ = ["Check", "CheckInput", "Render", "RenderInput"]


class CheckInput(Input):
    """A document, samples to try it with, and the name by which it would be saved."""

    document = Text()
    samples = serializers.DictField(child=serializers.DictField(), required=False, allow_null=True, default=None)
    template = Text(
        required=False,
        allow_null=True,
        default=None,
        help_text="`namespace/name`: checks the standards of the namespace too. The template need not exist.",
    )


class RenderInput(Input):
    """A stored template at a ref, or a document; data; what to render to."""

    template = Text(required=False)
    ref = Text(required=False)
    document = Text(required=False)
    data = serializers.DictField(  # type: ignore[assignment]  # the metaclass takes declared fields out of the class
        required=False, default=dict
    )
    target = Choice(["messages", "text", "tokens"], required=False, default="messages")
    prompt = Text(required=False, help_text="A body to try in the place of the document's; inputs and shapers stay.")
    index = Integer(required=False, min_value=0, help_text="Which prompt, where the document makes several.")

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        """Either a template or a document, never both."""
        if ("template" in attrs) == ("document" in attrs):
            raise serializers.ValidationError({"template": [gettext("Give either template (and ref) or document.")]})
        if "document" in attrs and "ref" in attrs:
            raise serializers.ValidationError({"ref": [gettext("A document has no ref.")]})
        return attrs


class Check(APIView):
    """Check a document."""

    throttle_classes = (CallThrottle, RenderThrottle)

    @extend_schema(
        operation_id="checkDocument",
        request=CheckInput,
        responses={200: CheckOutput, "4XX": output_serializers.ProblemOutput},
    )
    def post(self, request: Request) -> Response:
        """Check a document and samples. The answer lists the problems; finding some is not an error.

        `undeclared` are the inputs that the text uses and does not declare, with the edit that declares them all;
        absent if there are none.
        """
        checked = document_check.check_for_caller(actor=identify_actor(request), **read_body(CheckInput, request))
        problems = [describe_problem(problem) for problem in checked.problems]
        undeclared = {"undeclared": checked.undeclared.to_dict()} if checked.undeclared.inputs else {}
        return Response({"problems": problems, "digest": checked.digest, **undeclared})


class Render(APIView):
    """Render a prompt on the server."""

    throttle_classes = (CallThrottle, RenderThrottle)

    @extend_schema(
        operation_id="render",
        request=RenderInput,
        responses={200: RenderOutput, "4XX": output_serializers.ProblemOutput},
    )
    def post(self, request: Request) -> Response:
        """Render a stored template or a document with data."""
        data = read_body(RenderInput, request)
        name = data.pop("template", None)
        if name is not None:
            data.setdefault("ref", "production")
        return Response(preview.render_prompt(actor=identify_actor(request), name=name, **data))
