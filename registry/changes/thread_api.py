"""Threads of a change request: comments on lines, and suggestions that become its next version."""

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from registry.changes import queries as change_queries
from registry.changes import suggestions, thread_queries
from registry.changes import threads as services
from registry.changes.api import show_change
from registry.changes.serializers import ChangeOutput
from registry.changes.thread_models import Thread
from registry.changes.thread_serializers import ThreadList, ThreadOutput
from registry.changes.threads import Place
from registry.idempotency.views import IdempotentView
from registry.namespaces.authentication import identify_actor
from registry.namespaces.throttling import CallThrottle, RenderThrottle
from registry.namespaces.verbs import Verb
from registry.rest import output_serializers
from registry.rest.input_serializers import Choice, Flag, Input, Integer, Text, read_body

__all__ = ["Replies", "Resolve", "Suggestions", "Threads"]


class ReplyInput(Input):
    """Words, or other lines to put in the place of those the thread is about, or both."""

    text = Text(required=False, default="")
    suggestion = Text(
        required=False,
        allow_null=True,
        default=None,
        help_text="New text of the lines; a reply to a thread on rendered lines can't have one.",
    )


class ThreadInput(ReplyInput):
    """The lines that somebody wants to talk about, and the first comment."""

    version = Integer(min_value=1)
    line = Integer(min_value=1)
    end_line = Integer(required=False, min_value=1, allow_null=True, default=None, help_text="The last line, included.")
    side = Choice(Thread.SIDES, required=False, default=Thread.SOURCE)
    sample = Text(required=False, default="", help_text="Of a rendered line: the sample's name.")
    part = Integer(required=False, min_value=0, default=0, help_text="Of a rendered line: the part's index, from 0.")


class ResolveInput(Input):
    """Whether the thread is closed."""

    resolved = Flag(required=False, default=True)


class SuggestionInput(Input):
    """One comment that suggests something."""

    thread = Integer(min_value=1)
    comment = Integer(min_value=1)


class SuggestionsInput(Input):
    """What to apply in one go."""

    comments = SuggestionInput(many=True)
    message = Text(required=False, default="")
    confirm = Flag(required=False, default=False, help_text="Apply them although nobody is left then who may approve.")


class Threads(IdempotentView):
    """The threads of a change request."""

    throttle_classes = (CallThrottle, RenderThrottle)

    @extend_schema(
        operation_id="listThreads",
        responses={200: ThreadList, "4XX": output_serializers.ProblemOutput},
    )
    def get(self, request: Request, number: int) -> Response:
        """List the threads of a change request in the order they were opened, each with its comments."""
        placed = thread_queries.list_threads(change_queries.get_change(identify_actor(request), number))
        return Response({"results": [ThreadOutput.of(one) for one in placed]})

    @extend_schema(
        operation_id="openThread",
        request=ThreadInput,
        responses={201: ThreadOutput, "4XX": output_serializers.ProblemOutput},
    )
    def post(self, request: Request, number: int) -> Response:
        """Begin a thread on lines of a version: of its document, or of one part of what a sample renders to.

        A suggestion on rendered lines becomes one on the lines of the document that they come from: the thread in the
        answer is on those. It is refused, with the reason, if the lines do not come from the document's own text.
        """
        data = read_body(ThreadInput, request)
        words = {name: data.pop(name) for name in ("text", "suggestion")}
        row = services.open_thread(actor=identify_actor(request), number=number, place=Place(**data), **words)
        return _show(request, number, row.number, 201)


class Replies(IdempotentView):
    """The comments of a thread."""

    @extend_schema(
        operation_id="replyToThread",
        request=ReplyInput,
        responses={201: ThreadOutput, "4XX": output_serializers.ProblemOutput},
    )
    def post(self, request: Request, number: int, thread: int) -> Response:
        """Answer in a thread; a resolved one is opened again."""
        services.reply_to_thread(
            actor=identify_actor(request), number=number, thread=thread, **read_body(ReplyInput, request)
        )
        return _show(request, number, thread, 201)


class Resolve(IdempotentView):
    """Whether a thread is closed."""

    @extend_schema(
        operation_id="resolveThread",
        request=ResolveInput,
        responses={200: ThreadOutput, "4XX": output_serializers.ProblemOutput},
    )
    def post(self, request: Request, number: int, thread: int) -> Response:
        """Resolve a thread, or with `"resolved": false` open it again."""
        services.resolve_thread(
            actor=identify_actor(request), number=number, thread=thread, **read_body(ResolveInput, request)
        )
        return _show(request, number, thread)


class Suggestions(IdempotentView):
    """Suggestions that become the next version."""

    throttle_classes = (CallThrottle, RenderThrottle)

    @extend_schema(
        operation_id="applySuggestions",
        request=SuggestionsInput,
        responses={200: ChangeOutput, "4XX": output_serializers.ProblemOutput},
    )
    def post(self, request: Request, number: int) -> Response:
        """Save a version with these suggestions and propose it. Earlier approvals no longer count; the threads are
        resolved.
        """
        data = read_body(SuggestionsInput, request)
        comments = [(one["thread"], one["comment"]) for one in data["comments"]]
        options = {"message": data["message"], "confirm": data["confirm"]}
        suggestions.apply_suggestions(actor=identify_actor(request), number=number, comments=comments, **options)
        return show_change(request, number, Verb.SAVE)


def _show(request: Request, number: int, thread: int, status: int = 200) -> Response:
    placed = thread_queries.list_threads(change_queries.get_change(identify_actor(request), number))
    return Response(next(ThreadOutput.of(one) for one in placed if one.thread.number == thread), status)
