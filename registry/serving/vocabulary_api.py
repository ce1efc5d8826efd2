"""API of vocabularies: the data files that clients count tokens with, by digest."""

from collections.abc import Iterator
from pathlib import Path

from django.http import HttpResponse, StreamingHttpResponse
from django.http.response import HttpResponseBase
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.request import Request
from rest_framework.views import APIView

from registry.namespaces.authentication import identify_actor
from registry.rest import output_serializers
from registry.serving import vocabularies

__all__ = ["Vocabulary"]


CHUNK = 256 * 1024  # bytes read at a time


class Vocabulary(APIView):
    """The data file of a tokenizer's vocabulary."""

    @extend_schema(
        operation_id="fetchVocabulary",
        parameters=[
            OpenApiParameter(
                "digest", str, OpenApiParameter.PATH, description="`sha256:…` of the file, as a profile pins it."
            ),
            OpenApiParameter("If-None-Match", str, OpenApiParameter.HEADER),
        ],
        responses={
            (200, "application/octet-stream"): OpenApiTypes.BINARY,
            304: None,
            "4XX": output_serializers.ProblemOutput,
        },
    )
    def get(self, request: Request, digest: str) -> HttpResponseBase:
        """Download the vocabulary with this SHA-256. It never changes, and is sent as gzip if you accept that. For any
        key that may fetch or check.
        """
        vocabulary = vocabularies.find_vocabulary(
            actor=identify_actor(request),
            digest=digest,
            if_none_match=request.headers.get("If-None-Match", ""),
            accept_encoding=request.headers.get("Accept-Encoding", ""),
        )
        if vocabulary.path is None or request.method == "HEAD":
            body = b"" if request.method == "HEAD" else vocabulary.body or b""
            return HttpResponse(body, status=vocabulary.status, headers=vocabulary.headers)
        return StreamingHttpResponse(
            _read_chunks(vocabulary.path), status=vocabulary.status, headers=vocabulary.headers
        )


def _read_chunks(path: Path) -> Iterator[bytes]:
    """The file in chunks. It is opened with the first chunk, so that an unread response leaves no open file."""
    with path.open("rb") as file:
        while chunk := file.read(CHUNK):
            yield chunk
