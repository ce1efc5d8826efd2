"""Samples of a template."""

from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from registry.api import outputs
from registry.api.authentication import actor_of
from registry.api.serializers import Input, read
from registry.api.throttling import CallThrottle, RenderThrottle
from registry.models import SampleSet
from registry.queries import samples as queries
from registry.queries import templates
from registry.services import samples as services

__all__ = ["Samples", "SamplesInput"]


class SamplesInput(Input):
    """All samples of a template: name to inputs."""

    samples = serializers.DictField(child=serializers.DictField())


class Samples(APIView):
    """The samples beside a template's document."""

    throttle_classes = (CallThrottle, RenderThrottle)

    @extend_schema(operation_id="getSamples", responses={200: outputs.SamplesOutput, "4XX": outputs.ProblemOutput})
    def get(self, request: Request, name: str) -> Response:
        """The samples as last saved."""
        return Response(_shape(name, queries.current(templates.get(actor_of(request), name))))

    @extend_schema(
        operation_id="saveSamples",
        request=SamplesInput,
        responses={200: outputs.SamplesOutput, "4XX": outputs.ProblemOutput},
    )
    def put(self, request: Request, name: str) -> Response:
        """Replace the samples, checked against the latest version."""
        given = read(SamplesInput, request)
        return Response(_shape(name, services.save(actor=actor_of(request), name=name, samples=given["samples"])))


def _shape(name: str, row: SampleSet | None) -> dict[str, Any]:
    return {"name": name, "samples": row.samples if row else {}}
