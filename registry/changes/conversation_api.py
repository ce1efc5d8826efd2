"""API of a change request's conversation: requesting reviews, and editing or deleting one's own comments."""

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from registry.changes import review_requests, revisions
from registry.changes.api import show_change
from registry.changes.serializers import ChangeOutput
from registry.idempotency.views import IdempotentView
from registry.namespaces.authentication import identify_actor
from registry.namespaces.verbs import Verb
from registry.rest import output_serializers
from registry.rest.input_serializers import Input, Text, read_body

__all__ = ["ReviewRequests", "ThreadComment", "WordsOfDecision"]

_ANSWERS = {200: ChangeOutput, "4XX": output_serializers.ProblemOutput}


class ReviewRequestInput(Input):
    """Who is asked for a review."""

    person = Text(help_text="The username of somebody whose approval would count.")


class CommentTextInput(Input):
    """What a comment is to say."""

    text = Text(required=False, default="")


class ReviewRequests(IdempotentView):
    """Reviewers who are asked by name."""

    @extend_schema(
        operation_id="askForReview",
        request=ReviewRequestInput,
        responses={201: ChangeOutput, "4XX": output_serializers.ProblemOutput},
    )
    def post(self, request: Request, number: int) -> Response:
        """Ask a reviewer for a review, or remind them: they are notified. Each person at most once in 24 hours."""
        review_requests.ask_for_review(
            actor=identify_actor(request), number=number, **read_body(ReviewRequestInput, request)
        )
        return show_change(request, number, Verb.COMMENT, 201)


class ThreadComment(APIView):
    """A comment of a thread, for its writer."""

    @extend_schema(operation_id="editComment", request=CommentTextInput, responses=_ANSWERS)
    def patch(self, request: Request, number: int, thread: int, comment: int) -> Response:
        """Edit your own comment; the earlier ones stay readable."""
        text = read_body(CommentTextInput, request)["text"]
        revisions.edit_comment(actor=identify_actor(request), number=number, thread=thread, comment=comment, text=text)
        return show_change(request, number, Verb.COMMENT)

    @extend_schema(operation_id="deleteComment", request=None, responses=_ANSWERS)
    def delete(self, request: Request, number: int, thread: int, comment: int) -> Response:
        """Delete your own comment; its place stays."""
        revisions.delete_comment(actor=identify_actor(request), number=number, thread=thread, comment=comment)
        return show_change(request, number, Verb.COMMENT)


class WordsOfDecision(APIView):
    """The words that came with a decision, for who wrote them."""

    @extend_schema(operation_id="editDecisionText", request=CommentTextInput, responses=_ANSWERS)
    def patch(self, request: Request, number: int, decision: int) -> Response:
        """Edit the comment of your decision. The decision stays, and the earlier comment stays readable."""
        text = read_body(CommentTextInput, request)["text"]
        revisions.edit_comment(actor=identify_actor(request), number=number, thread=0, comment=decision, text=text)
        return show_change(request, number, Verb.COMMENT)

    @extend_schema(operation_id="deleteDecisionText", request=None, responses=_ANSWERS)
    def delete(self, request: Request, number: int, decision: int) -> Response:
        """Delete the comment of your decision. The decision stays."""
        revisions.delete_comment(actor=identify_actor(request), number=number, thread=0, comment=decision)
        return show_change(request, number, Verb.COMMENT)
