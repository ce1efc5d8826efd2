"""The API's answers as the schema describes them. They carry no code: `shapes` makes the answers, tests compare."""

from rest_framework import serializers

from registry.rest.output_serializers import FoundProblem, Output, ProblemOutput

__all__ = [
    "BundleOutput",
    "CheckOutput",
    "FetchOutput",
    "FetchedList",
    "HistoryPage",
    "LabelMovePage",
    "LabelOutput",
    "MovesOutput",
    "RenderOutput",
    "ReportOutput",
    "SamplesOutput",
    "SavedOutput",
    "TemplateOutput",
    "TemplatePage",
]


_APPROVALS = ["approved", "emergency", "never_approved"]
_APPROVAL_HELP = "How the protected label came to what it serves; null where it is not protected or not set."


class Latest(Output):
    version = serializers.IntegerField()
    digest = serializers.CharField()


class TemplateOutput(Output):
    name = serializers.CharField()
    description = serializers.CharField()
    tags = serializers.ListField(child=serializers.CharField())
    format = serializers.CharField()
    labels = serializers.DictField(child=serializers.IntegerField())
    approval = serializers.DictField(
        child=serializers.ChoiceField(_APPROVALS), help_text="Protected label to how it came to what it serves."
    )
    latest = Latest(allow_null=True)
    archived_at = serializers.DateTimeField(allow_null=True)


class TemplatePage(Output):
    results = TemplateOutput(many=True)
    next = serializers.CharField(allow_null=True)


class FetchOutput(Output):
    name = serializers.CharField()
    version = serializers.IntegerField()
    digest = serializers.CharField()
    engine = serializers.IntegerField()
    document = serializers.CharField()
    fragments = serializers.DictField(child=serializers.CharField())
    profile = serializers.DictField(allow_null=True)
    settings = serializers.JSONField()
    author = serializers.CharField()
    message = serializers.CharField()
    created_at = serializers.DateTimeField()


class SavedOutput(FetchOutput):
    base = serializers.IntegerField(allow_null=True)
    problems = FoundProblem(many=True)


class RedactedOutput(Output):
    at = serializers.DateTimeField()
    by = serializers.CharField()
    reason = serializers.CharField()


class HistoryItem(Output):
    version = serializers.IntegerField()
    digest = serializers.CharField()
    author = serializers.CharField()
    message = serializers.CharField()
    created_at = serializers.DateTimeField()
    base = serializers.IntegerField(allow_null=True)
    commit = serializers.CharField(allow_null=True)
    labels = serializers.ListField(child=serializers.CharField())
    redacted = RedactedOutput(allow_null=True, help_text="Set where the version's text was taken away for good.")


class HistoryPage(Output):
    results = HistoryItem(many=True)
    next = serializers.CharField(allow_null=True)


class SamplesOutput(Output):
    name = serializers.CharField()
    samples = serializers.DictField(child=serializers.DictField())


class LabelOutput(Output):
    template = serializers.CharField()
    label = serializers.CharField()  # type: ignore[assignment]  # the metaclass takes declared fields out of the class
    version = serializers.IntegerField()
    digest = serializers.CharField()
    approval = serializers.ChoiceField(_APPROVALS, allow_null=True, help_text=_APPROVAL_HELP)


class LabelMoveOutput(Output):
    label = serializers.CharField()  # type: ignore[assignment]  # the metaclass takes declared fields out of the class
    before = serializers.IntegerField(allow_null=True)
    after = serializers.IntegerField(allow_null=True)
    how = serializers.ChoiceField(["moved", "published", "rolled_back", "removed", "broke_glass"])
    protected = serializers.BooleanField(help_text="Whether the label was protected when it moved.")
    reason = serializers.CharField()
    change = serializers.IntegerField(allow_null=True)
    person = serializers.CharField()
    created_at = serializers.DateTimeField()


class LabelMovePage(Output):
    results = LabelMoveOutput(many=True)
    next = serializers.CharField(allow_null=True)


class CheckOutput(Output):
    problems = FoundProblem(many=True)


class RenderOutput(Output):
    version = serializers.IntegerField(allow_null=True)
    digest = serializers.CharField(allow_null=True)
    overridden = serializers.BooleanField()
    target = serializers.ChoiceField(["messages", "text", "tokens"])
    messages = serializers.ListField(child=serializers.DictField(), required=False)
    text = serializers.CharField(required=False)
    tokens = serializers.ListField(child=serializers.IntegerField(), required=False)
    parts = serializers.ListField(child=serializers.DictField())
    token_count = serializers.IntegerField(
        allow_null=True, help_text="null where the prompt fits and the server lacks the vocabulary to count it"
    )
    cut = serializers.ListField(child=serializers.DictField())


class FetchedOutput(Output):
    ref = serializers.CharField()
    status = serializers.IntegerField()
    etag = serializers.CharField(allow_null=True)
    approval = serializers.ChoiceField(
        _APPROVALS, required=False, help_text="Of a protected label only: how it came to what it serves."
    )
    found = FetchOutput(required=False)
    problem = ProblemOutput(required=False)


class FetchedList(Output):
    results = FetchedOutput(many=True)


class BundleEntry(Output):
    ref = serializers.CharField()
    etag = serializers.CharField()
    approval = serializers.ChoiceField(
        _APPROVALS, required=False, help_text="Of a protected label only: how it came to what it serves."
    )
    found = FetchOutput()


class OmittedOutput(Output):
    name = serializers.CharField()
    version = serializers.IntegerField()
    reason = serializers.CharField()


class BundleOutput(Output):
    namespace = serializers.CharField()
    label = serializers.CharField()  # type: ignore[assignment]  # the metaclass takes declared fields out of the class
    digest = serializers.CharField()
    omitted = OmittedOutput(many=True)
    entries = BundleEntry(many=True)


class MoveOutput(Output):
    name = serializers.CharField()
    label = serializers.CharField()  # type: ignore[assignment]  # as above
    version = serializers.IntegerField(allow_null=True)
    digest = serializers.CharField(allow_null=True)


class MovesOutput(Output):
    moves = MoveOutput(many=True)
    cursor = serializers.CharField()
    again = serializers.FloatField()
    reset = serializers.BooleanField()


class IgnoredReport(Output):
    name = serializers.CharField()
    digest = serializers.CharField()
    reason = serializers.CharField()


class ReportOutput(Output):
    accepted = serializers.IntegerField()
    ignored = IgnoredReport(many=True)
