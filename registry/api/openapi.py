"""The OpenAPI schema, and a page that shows it."""

from functools import cache
from typing import Any

from django.http import HttpResponse
from django.shortcuts import render
from drf_spectacular.generators import SchemaGenerator
from drf_spectacular.utils import extend_schema
from drf_spectacular.views import SpectacularJSONAPIView
from rest_framework.permissions import AllowAny
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from registry.core import problem_details

__all__ = ["Docs", "Schema", "declare_problem_type"]

_PROBLEM = "#/components/schemas/ProblemOutput"


def declare_problem_type(result: dict[str, Any], **_more: Any) -> dict[str, Any]:
    """A hook of drf-spectacular: errors have the media type that they are served with.

    Without it the schema has application/json, the parsers' type, for every response.
    """
    for methods in result["paths"].values():
        for operation in methods.values():
            for response in operation.get("responses", {}).values():
                content = response.get("content", {})
                if content.get("application/json", {}).get("schema", {}).get("$ref") == _PROBLEM:
                    content[problem_details.CONTENT_TYPE] = content.pop("application/json")
    return result


@cache
def _build_schema() -> dict[str, Any]:
    """The schema, which is the same for every caller; building it takes about half a second of processor time."""
    generator: Any = SchemaGenerator()  # type: ignore[no-untyped-call]  # the package leaves it untyped
    schema: dict[str, Any] = generator.get_schema(request=None, public=True)
    return schema


@extend_schema(exclude=True)
class Schema(SpectacularJSONAPIView):
    """OpenAPI 3.1 as JSON, for anyone: it holds nothing but the form of the API."""

    authentication_classes = ()
    permission_classes = (AllowAny,)

    def get(self, request: Request) -> Response:
        """The schema, in any media type of OpenAPI's JSON."""
        return Response(_build_schema(), headers={"Content-Disposition": 'inline; filename="promptuary-openapi.json"'})


@extend_schema(exclude=True)
class Docs(APIView):
    """A page made from the schema alone; nothing on it comes from elsewhere."""

    authentication_classes = ()
    permission_classes = (AllowAny,)

    def get(self, request: Request) -> HttpResponse:
        """List every operation with its parameters, body and answers."""
        schema = _build_schema()
        return render(
            request._request, "registry/api.html", {"operations": list(_list_operations(schema)), "schema": schema}
        )


def _list_operations(schema: dict[str, Any]) -> Any:
    for path, methods in schema["paths"].items():
        for method, operation in methods.items():
            body = operation.get("requestBody", {}).get("content", {}).get("application/json", {}).get("schema", {})
            yield {
                "method": method.upper(),
                "path": path,
                "summary": operation.get("summary", ""),
                "description": operation.get("description", ""),
                "parameters": operation.get("parameters", []),
                "body": _list_fields(schema, body),
                "answers": sorted(operation.get("responses", {})),
            }


def _list_fields(schema: dict[str, Any], body: dict[str, Any]) -> list[dict[str, Any]]:
    name = body.get("$ref", "").rpartition("/")[2]
    component = schema["components"]["schemas"].get(name, {})
    required = component.get("required", [])
    return [
        {"name": field, "type": facts.get("type", "any"), "required": field in required}
        for field, facts in component.get("properties", {}).items()
    ]
