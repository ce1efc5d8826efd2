"""Listings: query parameters in, {results, next} out, and a Link header for clients that use those."""

from collections.abc import Callable
from typing import Any, TypeVar

from django.utils.translation import gettext
from rest_framework.exceptions import ValidationError
from rest_framework.request import Request
from rest_framework.response import Response

from registry.core.input_checks import parse_number
from registry.core.pagination import Page
from registry.rest.input_serializers import list_unknown_names

__all__ = ["answer_page", "read_query"]

Item = TypeVar("Item")


def read_query(request: Request, *names: str) -> dict[str, Any]:
    """The query's parameters among `names`, `cursor` and `limit`. Unknown and repeated ones are refused."""
    known_names = (*names, "cursor", "limit")
    unknown = [name for name in request.query_params if name not in known_names]
    faults = list_unknown_names(unknown, "parameter", known_names) if unknown else {}
    values: dict[str, Any] = {}
    for name, texts in request.query_params.lists():
        if name not in known_names:
            continue
        if len(texts) > 1:
            faults[name] = [gettext("Give it once.")]
        elif "\0" in texts[0]:
            faults[name] = [gettext("It contains a NUL character.")]
        elif texts[0]:
            values[name] = texts[0]
    limit = parse_number(values.get("limit", "50"), digits=4)
    if limit is None:
        faults["limit"] = [gettext("This is not a whole number.")]
    if faults:
        raise ValidationError(faults)
    values["limit"] = limit
    return values


def answer_page(request: Request, page: Page[Item], shape: Callable[[Item], dict[str, Any]]) -> Response:
    """One page; `next` is the cursor of the page after it, null at the end."""
    headers = {}
    if page.next:
        query = request.query_params.copy()
        query["cursor"] = page.next
        headers["Link"] = f'<{request.build_absolute_uri(request.path)}?{query.urlencode()}>; rel="next"'
    return Response({"results": [shape(item) for item in page.items], "next": page.next}, headers=headers)
