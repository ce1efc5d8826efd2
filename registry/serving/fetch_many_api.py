"""Fetching many versions in one request, for services that start cold."""

import json

from django.http import HttpResponse
from django.utils.translation import gettext
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.views import APIView

from registry.core.client_address import read_client_address
from registry.core.errors import PromptuaryError, TooLarge
from registry.core.problem_details import describe_error
from registry.namespaces.authentication import identify_actor
from registry.rest import output_serializers
from registry.rest.input_serializers import Input, Text, read_body
from registry.serving.fetcher import get_fetcher
from registry.serving.responses import APPROVAL, Answer
from registry.serving.serializers import FetchedList

__all__ = ["MAX_BYTES", "MAX_REFS", "FetchMany"]

MAX_REFS = 500
MAX_BYTES = 32 * 1024 * 1024  # of the whole response, which is built in memory


class RefsInput(Input):
    """What to fetch."""

    refs = serializers.ListField(child=Text(max_length=700), max_length=MAX_REFS, help_text="Each <name>@<ref>.")


class FetchMany(APIView):
    """Many versions at once, each as the fetch of one gives it."""

    @extend_schema(
        operation_id="fetchVersions",
        request=RefsInput,
        responses={200: FetchedList, "4XX": output_serializers.ProblemOutput},
    )
    def post(self, request: Request) -> HttpResponse:
        """Fetch up to 500 refs. The answer has a version or a problem for each, in the order of the request."""
        refs: list[str] = read_body(RefsInput, request)["refs"]
        get_fetcher().follower.mark_due()
        results, size = [], 0
        for ref in refs:
            results.append(_join_result(ref, _answer(request, ref)))
            size += len(results[-1])
            if size > MAX_BYTES:
                raise TooLarge(
                    gettext("The answer would have more than {most} bytes: request fewer refs.").format(most=MAX_BYTES),
                    limit=MAX_BYTES,
                )
        headers = {"Cache-Control": "private, no-store", "Vary": "Authorization, Cookie"}
        return HttpResponse(
            b'{"results":[' + b",".join(results) + b"]}", content_type="application/json", headers=headers
        )


def _answer(request: Request, ref: str) -> Answer | PromptuaryError:
    actor = identify_actor(request)
    if actor.key is not None:
        return get_fetcher().answer(request.META["HTTP_AUTHORIZATION"], ref, address=read_client_address(request.META))
    try:
        return get_fetcher().answer_person(actor.person, ref)
    except PromptuaryError as error:
        return error


def _join_result(ref: str, answer: Answer | PromptuaryError) -> bytes:
    """Join the cached bytes of each fetch; nothing is parsed or serialized again."""
    if isinstance(answer, PromptuaryError):
        problem = describe_error(answer)
        status, etag, body = problem.status, None, problem.to_bytes()
        approval = None
    else:
        headers = dict(answer.headers)
        status, etag, body = answer.status, headers.get("ETag"), answer.body
        approval = headers.get(APPROVAL)
    kind = "found" if status == 200 else "problem"
    facts = {"ref": ref, "status": status, "etag": etag, **({"approval": approval} if approval else {})}
    head = json.dumps(facts, ensure_ascii=False).encode()
    return head[:-1] + f', "{kind}": '.encode() + body + b"}"
