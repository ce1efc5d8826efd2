"""Serializers of the threads of a change request."""

from rest_framework import serializers

from registry.rest.output_serializers import Moment, Output

__all__ = ["EarlierTextOutput", "ThreadList", "ThreadOutput"]


class EarlierTextOutput(Output):
    """Words that their writer replaced."""

    text = serializers.CharField()
    at = Moment()


class CommentOutput(Output):
    """A comment of a thread; without words and suggestion once its writer deleted it."""

    number = serializers.IntegerField(source="comment.number")
    person = serializers.CharField(source="comment.person.username")
    text = serializers.CharField(source="comment_text.text")
    suggestion = serializers.CharField(allow_null=True)
    created_at = Moment(source="comment.created_at")
    changed_at = Moment(
        allow_null=True, source="comment_text.changed_at", help_text="When it was edited last, or deleted."
    )
    deleted = serializers.BooleanField(source="comment_text.is_deleted")
    earlier = EarlierTextOutput(
        many=True, source="comment_text.earlier", help_text="What it said before, oldest first."
    )


class ThreadOutput(Output):
    """A thread of a request: the lines it was opened on, and where those are in the head."""

    number = serializers.IntegerField(source="thread.number")
    side = serializers.ChoiceField(["source", "rendered"], source="thread.side")
    version = serializers.IntegerField(source="thread.version.number")
    digest = serializers.CharField(source="thread.version.digest")
    line = serializers.IntegerField(source="thread.line")
    end_line = serializers.IntegerField(source="thread.end_line")
    sample = serializers.CharField(source="thread.sample")
    part = serializers.IntegerField(source="thread.part")
    quote = serializers.CharField(source="thread.quote")
    head_line = serializers.IntegerField(allow_null=True, source="line")
    head_end_line = serializers.IntegerField(allow_null=True, source="end_line")
    outdated = serializers.BooleanField(source="is_outdated")
    resolved = serializers.BooleanField(source="is_resolved")
    resolved_by = serializers.CharField(allow_null=True, source="thread.resolved_by.username")
    created_at = Moment(source="thread.created_at")
    comments = CommentOutput(many=True, source="read_comments")


class ThreadList(Output):
    """The threads of a request."""

    results = ThreadOutput(many=True)
