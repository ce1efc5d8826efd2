"""Samples of a template."""

from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from registry.namespaces.authentication import identify_actor
from registry.namespaces.throttling import CallThrottle, RenderThrottle
from registry.rest import output_serializers
from registry.rest.input_serializers import Input, read_body
from registry.templates import queries as template_queries
from registry.templates import samples as services
from registry.templates.models import SampleSet
from registry.templates.serializers import SamplesOutput

__all__ = ["Samples", "SamplesInput"]


class SamplesInput(Input):
    """All samples of a template: name to inputs."""

    samples = serializers.DictField(child=serializers.DictField())


class Samples(APIView):
    """The samples next to a template's document."""

    throttle_classes = (CallThrottle, RenderThrottle)

    @extend_schema(
        operation_id="getSamples",
        responses={200: SamplesOutput, "4XX": output_serializers.ProblemOutput},
    )
    def get(self, request: Request, name: str) -> Response:
        """Read the samples as last saved."""
        return Response(
            _describe_samples(name, template_queries.get_template(identify_actor(request), name).current_samples())
        )

    @extend_schema(
        operation_id="saveSamples",
        request=SamplesInput,
        responses={200: SamplesOutput, "4XX": output_serializers.ProblemOutput},
    )
    def put(self, request: Request, name: str) -> Response:
        """Replace the samples, checked against the latest version."""
        data = read_body(SamplesInput, request)
        return Response(
            _describe_samples(
                name, services.save_samples(actor=identify_actor(request), name=name, samples=data["samples"])
            )
        )


def _describe_samples(name: str, row: SampleSet | None) -> dict[str, Any]:
    return {"name": name, "samples": row.samples if row else {}}
