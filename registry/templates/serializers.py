"""Serializers of templates, versions, labels and renderings: the API's answers, and their schema."""

import functools
import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from rest_framework import serializers

from registry.core.names import LATEST
from registry.rest.input_serializers import Integer
from registry.rest.output_serializers import FoundProblem, Moment, Output
from registry.templates.label_models import Label
from registry.templates.label_moves import Approval, find_approval_of_label
from registry.templates.limited_key_view import VisibleTemplate
from registry.templates.models import Template, Version

__all__ = [
    "APPROVALS",
    "CheckOutput",
    "ExpectedNumber",
    "FetchOutput",
    "HistoryItem",
    "HistoryPage",
    "LabelMoveOutput",
    "LabelMovePage",
    "LabelOutput",
    "RenderOutput",
    "SamplesOutput",
    "SavedOutput",
    "SavedVersion",
    "TemplateFacts",
    "TemplateOutput",
    "TemplatePage",
]

APPROVALS = ["approved", "emergency", "never_approved"]


class LabelApproval(serializers.ChoiceField):
    """How a protected label came to what it serves; read from the label."""

    def to_representation(self, value: Any) -> Any:
        """How it got there, or None if the label is not protected."""
        label: Label = value
        approval = find_approval_of_label(label.template, label.name)
        return approval.value if approval else None


class Latest(Output):
    """The newest version that the caller may know of."""

    version = serializers.IntegerField(source="number")
    digest = serializers.CharField()


@dataclass(frozen=True)
class TemplateFacts:
    """A template with its labels' numbers, what the caller may see, and how protected labels got their versions."""

    row: Template
    numbers: Mapping[str, int]
    visible: VisibleTemplate
    approvals: Mapping[str, Approval]

    @property
    def labels(self) -> dict[str, int]:
        """The labels that people move; `latest` is a separate field of a response."""
        return {label: number for label, number in self.numbers.items() if label != LATEST}


class TemplateOutput(Output):
    """A template without its document."""

    name = serializers.CharField(source="row.name")
    description = serializers.CharField(source="visible.description")
    tags = serializers.ListField(child=serializers.CharField(), source="visible.tags")
    format = serializers.CharField(source="visible.format")
    labels = serializers.DictField(child=serializers.IntegerField())
    approval = serializers.DictField(
        child=serializers.ChoiceField(APPROVALS),
        source="approvals",
        help_text="Protected label to how it came to what it serves.",
    )
    latest = Latest(source="visible.version", allow_null=True)
    archived_at = Moment(source="row.archived_at", allow_null=True)


class TemplatePage(Output):
    """A page of templates."""

    results = TemplateOutput(many=True)
    next = serializers.CharField(allow_null=True)


class ServedRolloutOutput(Output):
    """The rollout that divides a label's callers."""

    number = serializers.IntegerField()
    salt = serializers.CharField(help_text="Chooses the callers, with their bucket.")
    share = serializers.IntegerField(help_text="In ten-thousandths of the callers.")
    version = serializers.IntegerField(help_text="Of the candidate, which these callers get.")
    digest = serializers.CharField(help_text="Of the candidate.")


class FetchOutput(Output):
    """A version with all that rendering it needs."""

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
    created_at = Moment()
    rollout = ServedRolloutOutput(required=False, help_text="Of a label only, while a rollout divides it.")


@dataclass(frozen=True)
class SavedVersion:
    """A version as it was saved, with the warnings and notes about it as plain JSON."""

    name: str
    row: Version
    message: str
    problems: list[dict[str, Any]]

    @functools.cached_property
    def bundle(self) -> Mapping[str, Any]:
        """The content that the digest covers."""
        return self.row.unpacked()

    @property
    def settings(self) -> Any:
        """The settings of the model call."""
        return json.loads(self.row.settings)


class SavedOutput(FetchOutput):
    """A version as it was saved."""

    version = serializers.IntegerField(source="row.number")
    digest = serializers.CharField(source="row.digest")
    engine = serializers.IntegerField(source="bundle.engine")
    document = serializers.CharField(source="bundle.document")
    fragments = serializers.DictField(child=serializers.CharField(), source="bundle.fragments")
    profile = serializers.DictField(allow_null=True, source="bundle.profile")
    author = serializers.CharField(source="row.author.username")
    created_at = Moment(source="row.created_at")
    base = serializers.IntegerField(allow_null=True, source="row.base.number")
    problems = FoundProblem(many=True)


class RedactedOutput(Output):
    """What is left of a version whose text was taken away."""

    at = Moment(source="created_at")
    by = serializers.CharField(source="person.username")
    reason = serializers.CharField()


class HistoryItem(Output):
    """One version in a history."""

    version = serializers.IntegerField(source="version.number")
    digest = serializers.CharField(source="version.digest")
    author = serializers.CharField(source="version.author.username")
    message = serializers.CharField(source="version.message")
    created_at = Moment(source="version.created_at")
    base = serializers.IntegerField(allow_null=True, source="version.base.number")
    commit = serializers.CharField(allow_null=True)
    labels = serializers.ListField(child=serializers.CharField())
    redacted = RedactedOutput(
        allow_null=True,
        source="version.tombstone",
        help_text="Set where the version's text was removed for good.",
    )


class HistoryPage(Output):
    """A page of a history."""

    results = HistoryItem(many=True)
    next = serializers.CharField(allow_null=True)


class SamplesOutput(Output):
    """The samples of a template."""

    name = serializers.CharField()
    samples = serializers.DictField(child=serializers.DictField())


class ExpectedNumber(Integer):
    """The number of the version that a label served when the caller looked; left out if nobody looked."""

    def __init__(self, **options: Any) -> None:
        # no text: for the schema
        sentence = "The number that the label serves as you saw it, 0 for none: 409 where it moved since. null: any."
        super().__init__(
            **{"min_value": 0, "required": False, "allow_null": True, "default": None, "help_text": sentence, **options}
        )


class LabelOutput(Output):
    """Which version a label points to."""

    template = serializers.CharField(source="template.name")
    # The metaclass removes declared fields from the class.
    label = serializers.CharField(source="name")  # type: ignore[assignment]
    version = serializers.IntegerField(source="version.number")
    digest = serializers.CharField(source="version.digest")
    approval = LabelApproval(
        APPROVALS,
        source="*",
        allow_null=True,
        help_text="How the protected label came to what it serves; null where it is not protected or not set.",
    )


class LabelMoveOutput(Output):
    """One move of a label, in its history."""

    label = serializers.CharField()  # type: ignore[assignment]  # as above
    before = serializers.IntegerField(allow_null=True, source="before.number")
    after = serializers.IntegerField(allow_null=True, source="after.number")
    how = serializers.ChoiceField(["moved", "published", "rolled_back", "removed", "broke_glass"])
    protected = serializers.BooleanField(help_text="Whether the label was protected when it moved.")
    reason = serializers.CharField()
    change = serializers.IntegerField(allow_null=True, source="change.number")
    person = serializers.CharField(source="person.username")
    created_at = Moment()


class LabelMovePage(Output):
    """A page of a label's moves."""

    results = LabelMoveOutput(many=True)
    next = serializers.CharField(allow_null=True)


class UndeclaredInputOutput(Output):
    """An input that a text uses and does not declare."""

    name = serializers.CharField()
    schema = serializers.DictField(help_text="The JSON Schema that fits its uses.")
    reason = serializers.CharField(help_text="Why it is taken for that type.")
    line = serializers.IntegerField()
    column = serializers.IntegerField()


class UndeclaredOutput(Output):
    """All inputs that a text uses and does not declare, and the edit that declares them."""

    inputs = UndeclaredInputOutput(many=True)
    fix = serializers.DictField(allow_null=True, help_text="Title and edits, as in a problem.")


class CheckOutput(Output):
    """What was found about a document that is not stored."""

    problems = FoundProblem(many=True)
    digest = serializers.CharField(help_text="That a version of it would have; empty where it can't be read.")
    undeclared = UndeclaredOutput(required=False)


class RenderOutput(Output):
    """A prompt rendered on the server."""

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
