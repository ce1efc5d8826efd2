"""Templates, their immutable versions, samples and drafts."""

import json
from datetime import datetime
from typing import Any

from django.db import models
from django.utils.translation import gettext

from registry.accounts.models import User
from registry.core.errors import Gone
from registry.core.timestamps import format_moment
from registry.namespaces.models import Namespace

__all__ = [
    "TOMBSTONE",
    "Draft",
    "Inclusion",
    "Redaction",
    "Rendering",
    "SampleSet",
    "Tag",
    "Template",
    "Version",
]


class Template(models.Model):
    """A named prompt in a namespace, with the fields of its latest version that lists and search need."""

    namespace = models.ForeignKey(Namespace, on_delete=models.PROTECT, related_name="templates")
    name = models.CharField(max_length=520, unique=True, help_text="with the namespace: support/refunds/reply")
    description = models.TextField(default="", blank=True)
    format = models.CharField(max_length=16, default="parts")
    latest = models.ForeignKey(
        "registry.Version",
        on_delete=models.PROTECT,
        related_name="+",
        null=True,
        help_text="null only while it is made",
    )
    copied_from = models.CharField(max_length=600, default="", blank=True, help_text="name@number of the origin")
    created_by = models.ForeignKey(User, on_delete=models.PROTECT, related_name="+")
    created_at = models.DateTimeField()
    updated_at = models.DateTimeField()
    archived_at = models.DateTimeField(null=True)
    renamed_at = models.DateTimeField(null=True, help_text="last; null: it has no former name")

    class Meta:
        indexes = [models.Index(fields=["namespace", "name"], name="template_by_namespace")]

    def __str__(self) -> str:
        return self.name

    @property
    def path(self) -> str:
        """The name inside the namespace, for example `refunds/reply`."""
        return self.name.split("/", 1)[1]

    @property
    def folder(self) -> str:
        """The folders inside the namespace, for example `refunds`; empty at the top level."""
        return self.path.rpartition("/")[0]

    def current_samples(self) -> "SampleSet | None":
        """The samples as last saved, or None if none were ever saved."""
        return self.sample_sets.order_by("-number").first()


class Tag(models.Model):
    """A word in the `tags` of the latest document."""

    template = models.ForeignKey(Template, on_delete=models.CASCADE, related_name="tags")
    name = models.CharField(max_length=64)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["template", "name"], name="tag_once")]
        indexes = [models.Index(fields=["name"], name="tag_by_name")]

    def __str__(self) -> str:
        return self.name


TOMBSTONE = '{"redacted":true}'  # the `bundle` of a redacted version; the database's triggers repeat this literal


class Version(models.Model):
    """One saved document of a template. Never deleted; the only change allowed is redacting its text."""

    template = models.ForeignKey(Template, on_delete=models.PROTECT, related_name="versions")
    number = models.PositiveIntegerField()
    digest = models.CharField(max_length=71, help_text="sha256:… over the bundle")
    bundle = models.TextField(help_text="canonical JSON of engine, document, fragments and profile")
    settings = models.TextField(default="{}", help_text="canonical JSON of the document's settings")
    problems = models.TextField(default="[]", help_text="canonical JSON: warnings and notes found at save")
    base = models.ForeignKey("self", on_delete=models.PROTECT, related_name="successors", null=True)
    author = models.ForeignKey(User, on_delete=models.PROTECT, related_name="+")
    key = models.ForeignKey("registry.Key", on_delete=models.PROTECT, related_name="+", null=True)
    message = models.TextField(default="", blank=True)
    created_at = models.DateTimeField()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["template", "number"], name="version_number_once"),
            models.CheckConstraint(condition=models.Q(number__gte=1), name="version_number_from_one"),
        ]
        indexes = [models.Index(fields=["template", "digest"], name="version_by_digest")]

    def __str__(self) -> str:
        return f"{self.template_id}@{self.number}"

    @property
    def is_redacted(self) -> bool:
        """Whether the text was permanently removed."""
        return self.bundle == TOMBSTONE

    @property
    def tombstone(self) -> "Redaction | None":
        """The record of when, by whom and why the text was redacted, or None."""
        return getattr(self, "redaction", None)

    def require_text(self) -> None:
        """Raise Gone if the text was redacted, saying when, by whom and why."""
        if self.is_redacted:
            raise self._build_gone()

    def unpacked(self) -> dict[str, Any]:
        """The bundle as a mapping: engine, document, fragments, profile. Raises Gone if it was redacted."""
        self.require_text()
        bundle: dict[str, Any] = json.loads(self.bundle)
        return bundle

    def _build_gone(self) -> Gone:
        redaction, at = self.redaction, self.redaction.created_at
        return Gone(
            gettext("{name}@{number} was redacted on {at:%Y-%m-%d} by {username}: {reason}").format(
                name=self.template.name,
                number=self.number,
                at=at,
                username=redaction.person.username,
                reason=redaction.reason,
            ),
            version=self.number,
            digest=self.digest,
            redacted_at=format_moment(at),
            redacted_by=redaction.person.username,
            reason=redaction.reason,
        )

    @property
    def document(self) -> str:
        """The document's text, with its original newlines. Raises Gone if it was redacted."""
        return str(self.unpacked()["document"])

    @property
    def remaining(self) -> str:
        """The document, or an empty string after a redaction. For comparisons and new drafts."""
        return "" if self.is_redacted else self.document


class Redaction(models.Model):
    """The tombstone of one version. The database allows the version's text to be removed only while this row exists."""

    version = models.OneToOneField(Version, on_delete=models.PROTECT, related_name="redaction")
    reason = models.TextField()
    person = models.ForeignKey(User, on_delete=models.PROTECT, related_name="+")
    created_at = models.DateTimeField()

    def __str__(self) -> str:
        return f"redaction of {self.version_id}"


class Inclusion(models.Model):
    """A direct reference in the latest document of a template; nested ones are not stored."""

    template = models.ForeignKey(Template, on_delete=models.CASCADE, related_name="inclusions")
    fragment = models.CharField(max_length=520, help_text="the name of the template that is included")
    ref = models.CharField(max_length=600, help_text="as written: name@number or name@sha256:…")

    class Meta:
        constraints = [models.UniqueConstraint(fields=["template", "ref"], name="inclusion_once")]
        indexes = [models.Index(fields=["fragment"], name="inclusion_by_fragment")]

    def __str__(self) -> str:
        return self.ref


class Rendering(models.Model):
    """The rendering of one bundle with one sample. A cache: any row may be deleted at any time."""

    digest = models.CharField(max_length=71, help_text="of the bundle")
    data = models.CharField(max_length=71, help_text="sha256:… over the canonical text of the sample's values")
    text = models.TextField(help_text="JSON: the renderer's prompt, or the problem it met")
    is_problem = models.BooleanField()
    created_at = models.DateTimeField()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["digest", "data"], name="rendering_once")]

    def __str__(self) -> str:
        return f"{self.digest} with {self.data}"

    @property
    def value(self) -> dict[str, Any]:
        """The prompt, or the problem, as plain JSON types."""
        value: dict[str, Any] = json.loads(self.text)
        return value


class SampleSet(models.Model):
    """All samples of a template as they were after one save; the highest number is current."""

    template = models.ForeignKey(Template, on_delete=models.PROTECT, related_name="sample_sets")
    number = models.PositiveIntegerField()
    digest = models.CharField(max_length=71, help_text="sha256:… over the text")
    text = models.TextField(help_text='JSON of the samples in their order: {"sample name": {"input": value}}')
    author = models.ForeignKey(User, on_delete=models.PROTECT, related_name="+")
    key = models.ForeignKey("registry.Key", on_delete=models.PROTECT, related_name="+", null=True)
    created_at = models.DateTimeField()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["template", "number"], name="sample_set_number_once")]

    def __str__(self) -> str:
        return f"samples {self.number} of {self.template_id}"

    @property
    def samples(self) -> dict[str, dict[str, Any]]:
        """Sample name to input values."""
        samples: dict[str, dict[str, Any]] = json.loads(self.text)
        return samples


class CurrentDrafts(models.Manager["Draft"]):
    """Drafts that were not discarded."""

    def get_queryset(self) -> "models.QuerySet[Draft]":
        return super().get_queryset().filter(discarded_at=None)

    def end(self, person: User, version: Version, name: str, revision: int | None, at: datetime) -> None:
        """End the draft of a saved version. If its text differs from the saved one it can be restored, unless the saved
        text was based on this revision.
        """
        template = version.template
        rows = self.filter(person=person, namespace=template.namespace, path=template.path, name=name)
        draft = rows.first()
        if draft and (draft.revision == revision or draft.document == version.remaining):
            draft.delete()
        else:
            Draft.put_aside(rows, at)


class Draft(models.Model):
    """What a person's editor contains for one path; `path` is empty until the new template has a name.

    A person has one unnamed draft of a template, and any number of named ones up to a limit. A discarded draft is kept
    for a while, so that it can be restored. `revision` counts the writes, so that a tab with an older one is warned.
    """

    person = models.ForeignKey(User, on_delete=models.CASCADE, related_name="drafts")
    namespace = models.ForeignKey(Namespace, on_delete=models.CASCADE, related_name="drafts")
    path = models.CharField(max_length=460, default="", blank=True)
    name = models.CharField(max_length=60, default="", blank=True, help_text="empty for the first draft")
    document = models.TextField()
    samples = models.TextField(default="", blank=True, help_text="as the editor shows them, maybe not yet well-formed")
    base = models.ForeignKey(Version, on_delete=models.PROTECT, related_name="+", null=True)
    message = models.TextField(default="", blank=True)
    updated_at = models.DateTimeField()
    revision = models.PositiveIntegerField(default=1)
    discarded_at = models.DateTimeField(null=True)
    share_token = models.CharField(max_length=43, default="", blank=True, help_text="the end of its link")
    shared_at = models.DateTimeField(null=True)

    objects = CurrentDrafts()
    everything = models.Manager["Draft"]()

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["person", "namespace", "path", "name"],
                condition=models.Q(discarded_at=None),
                name="draft_once_unless_discarded",
            ),
            models.UniqueConstraint(
                fields=["share_token"], condition=~models.Q(share_token=""), name="draft_share_token_once"
            ),
        ]

    def __str__(self) -> str:
        return f"draft of {self.person_id} for {self.path}"

    @staticmethod
    def put_aside(rows: "models.QuerySet[Draft]", at: datetime) -> None:
        """Discard drafts and end their sharing links."""
        rows.update(discarded_at=at, share_token="", shared_at=None)
