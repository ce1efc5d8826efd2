"""The conversation about a release as a whole: commenting, and editing or deleting one's own comments."""

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from registry.accounts.actor import Actor
from registry.idempotency.views import IdempotentView
from registry.namespaces.authentication import identify_actor
from registry.namespaces.verbs import Verb
from registry.releases import comments, queries
from registry.releases.api import show_release
from registry.releases.serializers import ReleaseOutput
from registry.rest import output_serializers
from registry.rest.input_serializers import Input, Text, read_body

__all__ = ["Comments", "OneComment"]

_ANSWERS = {200: ReleaseOutput, "4XX": output_serializers.ProblemOutput}


class CommentInput(Input):
    """Words about the release as a whole."""

    text = Text(help_text="Markdown; `@name` of a member or a group tells them.")


class Comments(IdempotentView):
    """The conversation about the release as a whole."""

    @extend_schema(
        operation_id="commentOnRelease",
        request=CommentInput,
        responses={201: ReleaseOutput, "4XX": output_serializers.ProblemOutput},
    )
    def post(self, request: Request, namespace: str, number: int) -> Response:
        """Comment on the whole release. Comments on lines belong to the threads of its changes."""
        body, actor = read_body(CommentInput, request), identify_actor(request)
        _require_release(actor, namespace, number)
        comments.comment_on_release(actor=actor, number=number, text=body["text"])
        return show_release(request, namespace, number, Verb.COMMENT, 201)


class OneComment(APIView):
    """A comment on a release, for its writer."""

    @extend_schema(operation_id="editReleaseComment", request=CommentInput, responses=_ANSWERS)
    def patch(self, request: Request, namespace: str, number: int, comment: int) -> Response:
        """Edit your own comment; the earlier ones stay readable."""
        body, actor = read_body(CommentInput, request), identify_actor(request)
        _require_release(actor, namespace, number)
        comments.edit_release_comment(actor=actor, number=number, comment=comment, text=body["text"])
        return show_release(request, namespace, number, Verb.COMMENT)

    @extend_schema(operation_id="deleteReleaseComment", request=None, responses=_ANSWERS)
    def delete(self, request: Request, namespace: str, number: int, comment: int) -> Response:
        """Delete your own comment; its place stays."""
        actor = identify_actor(request)
        _require_release(actor, namespace, number)
        comments.delete_release_comment(actor=actor, number=number, comment=comment)
        return show_release(request, namespace, number, Verb.COMMENT)


def _require_release(actor: Actor, namespace: str, number: int) -> None:
    """Raise NotFound if the release belongs to another namespace than the one in the address."""
    queries.find_release(actor, Verb.COMMENT, number, namespace)
