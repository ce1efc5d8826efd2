"""The editor's state: a text, its samples and inputs, and the version it is based on."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from django.utils.translation import gettext

from frontend.editor.sample_edits import Samples, order_samples, set_values
from frontend.editor.undeclared_values import take_typed_values
from registry.accounts.actor import Actor
from registry.core import names
from registry.core.errors import Invalid, NotFound
from registry.core.input_checks import BadJson, parse_json, parse_number
from registry.namespaces import path_permissions
from registry.namespaces.models import Namespace
from registry.namespaces.verbs import Verb
from registry.templates import queries as template_queries
from registry.templates import version_queries
from registry.templates.models import Draft, Template, Version

__all__ = [
    "STARTER",
    "STARTER_SAMPLES",
    "EditorState",
    "keep_unsaved_text",
    "load_state",
    "read_posted_state",
    "read_revision",
    "read_samples",
    "receive_samples",
]

STARTER = """\
---
description: What this prompt is for
format: parts
inputs:
  question: {type: string, maxLength: 4000, untrusted: true}
---
- name: instructions
  role: system
  content: |
    You answer questions in one short paragraph.
- name: question
  content: |
    {{ question }}
"""
STARTER_SAMPLES: Samples = {"first sample": {"question": "What is a promptuary?"}}  # no text: a sample's value


@dataclass
class EditorState:
    """The object being edited, as stored or as posted by a form.

    `base` is the version the text is based on (None for a template that doesn't exist yet), `latest` the newest
    version. `data` are the inputs of the preview, `target` is `messages` or `text`, `prompt` the index if the inputs
    produce several prompts; `data_text` is the text of the inputs, which may not be valid JSON yet. `discarded` is a
    draft that can be restored. `draft_name` is the name of the user's draft, empty for the default one. `revision` is
    the draft revision that the client last read, None if it didn't send one.
    """

    name: str
    namespace: Namespace
    template: Template | None
    base: Version | None
    latest: Version | None
    draft: Draft | None
    document: str
    samples: Samples
    kept_samples: Samples
    sample: str = ""
    data: dict[str, Any] = field(default_factory=dict)
    data_text: str = ""
    message: str = ""
    target: str = "messages"
    prompt: int = 0
    discarded: Draft | None = None
    draft_name: str = ""
    revision: int | None = None

    @property
    def path(self) -> str:
        return self.name.split("/", 1)[1]

    @property
    def page_revision(self) -> int:
        """The draft revision that the page shows, even if a newer one was written elsewhere since."""
        if self.revision is not None:
            return self.revision
        return self.draft.revision if self.draft else 0

    @property
    def next_number(self) -> int:
        """The number that the next version gets."""
        return self.latest.number + 1 if self.latest else 1

    @property
    def stale(self) -> bool:
        """Whether a version was saved since this text was based on one."""
        return self.latest is not None and (self.base is None or self.base.number != self.latest.number)

    @property
    def samples_to_save(self) -> Samples | None:
        """The samples if they differ from the stored ones, else None."""
        return None if _is_same_samples(self.samples, self.kept_samples) else self.samples


def load_state(actor: Actor, name: str, sample: str = "", *, draft_name: str = "") -> EditorState:
    """The stored state: the user's draft, else the latest version, else a starter text for a new template.

    draft_name: which of the user's drafts, empty for the default one. A named draft is kept even if it equals the saved
    version.

    Raises NotFound for users without access and NotAllowed, naming the role, for those who may only read.
    """
    template, namespace = _find(actor, name)
    latest = template.latest if template else None
    sample_set = template.current_samples() if template else None
    stored: Samples = sample_set.samples if sample_set else {}
    draft_name = names.check_draft_name(draft_name)
    draft = template_queries.find_draft(actor, name, draft_name)
    if draft and latest and not draft_name and _is_unchanged(draft, latest, stored):
        draft = None  # everything in it is already saved
    state = EditorState(
        name=name,
        namespace=namespace,
        template=template,
        base=draft.base if draft else latest,
        latest=latest,
        draft=draft,
        document=draft.document if draft else latest.remaining if latest else STARTER,
        samples=read_samples(draft.samples, stored) if draft else stored if latest else STARTER_SAMPLES,
        kept_samples=stored,
        message=draft.message if draft else "",
        discarded=template_queries.find_discarded_draft(actor, name),
        draft_name=draft_name,
    )
    select_sample(state, sample)
    return state


def _is_unchanged(draft: Draft, latest: Version, stored: Samples) -> bool:
    is_same_text = draft.document == latest.remaining
    is_same = is_same_text and not draft.message.strip()
    return is_same and _is_same_samples(read_samples(draft.samples, stored), stored)


def _is_same_samples(samples: Samples, others: Samples) -> bool:
    """Whether these are the same samples in the same order."""
    return samples == others and list(samples) == list(others)


def read_posted_state(actor: Actor, name: str, fields: Mapping[str, Any], draft_name: str = "") -> EditorState:
    """The state posted by a form or a script. Raises Invalid if the inputs or samples aren't JSON objects."""
    state = load_state(actor, name, draft_name=draft_name)
    state.document = _convert_to_lf(str(fields.get("document", state.document)))
    state.message = str(fields.get("message", state.message)).strip()
    state.revision = read_revision(fields)
    state.target = "text" if fields.get("target") == "text" else "messages"
    index = str(fields.get("prompt", "0"))
    state.prompt = parse_number(index, digits=4) or 0
    if "base" in fields:
        state.base = _find_base(actor, name, str(fields["base"]))
    if isinstance(fields.get("samples"), dict):
        state.samples = receive_samples(fields)
    select_sample(state, str(fields.get("sample", "")))
    data = fields.get("data")
    if isinstance(data, str):
        data = _parse(data) if data.strip() else {}
    if data is not None:
        if not isinstance(data, dict):
            raise Invalid(fields={"data": gettext('The values must be one JSON object, like {"question": "…"}.')})
        _take_values(state, take_typed_values(data, fields), fields)
    return state


def _take_values(state: EditorState, data: dict[str, Any], fields: Mapping[str, Any]) -> None:
    """Store the values beside the preview in the sample they were shown for; without a sample's name they are only
    rendered.
    """
    if "sample" not in fields:
        state.data, state.data_text = data, json.dumps(data, ensure_ascii=False, indent=2)
        return
    chosen = str(fields["sample"])
    # A plain form posts the values of the sample that it showed, even if another one was selected since.
    shown_sample = str(fields.get("shown_sample", chosen))
    state.samples, written = set_values(state.samples, shown_sample, data)
    select_sample(state, written if chosen == shown_sample else chosen)


def keep_unsaved_text(actor: Actor, name: str, fields: Mapping[str, Any], draft_name: str = "") -> EditorState:
    """The state with all posted text, for a request that `read_posted_state` refused, so that no input is lost."""
    state = load_state(actor, name, draft_name=draft_name)
    state.document = _convert_to_lf(str(fields.get("document", state.document)))
    state.message = str(fields.get("message", ""))
    revision = fields.get("revision")
    state.revision = revision if type(revision) is int else None
    select_sample(state, str(fields.get("sample", "")))
    if isinstance(fields.get("data"), str):
        state.data_text = fields["data"]
    return state


def select_sample(state: EditorState, sample: str) -> None:
    """Use the data of a sample as inputs: the one with this name, else the first."""
    state.sample = sample if sample in state.samples else next(iter(state.samples), "")
    state.data = state.samples.get(state.sample, {})
    state.data_text = json.dumps(state.data, ensure_ascii=False, indent=2)


def _find(actor: Actor, name: str) -> tuple[Template | None, Namespace]:
    """The template, if the user may save it; None before its first save, if the user may write in the namespace."""
    try:
        template = template_queries.find_template(actor, Verb.SAVE, name)
    except NotFound:
        space, _, path = name.partition("/")
        return None, path_permissions.find_namespace_for_draft(actor, Verb.SAVE, space, path)
    return template, template.namespace


def _find_base(actor: Actor, name: str, number: str) -> Version | None:
    if not number:
        return None
    version = parse_number(number)
    if version is None:
        raise Invalid(fields={"base": gettext("{text} is not a version number.").format(text=repr(number[:20]))})
    return version_queries.get_version(actor, name, version)


def _convert_to_lf(text: str) -> str:
    """Browsers post form fields with CRLF; a document has LF."""
    return text.replace("\r\n", "\n").replace("\r", "\n")


def _parse(text: str) -> Any:
    try:
        return parse_json(text.encode("utf-8", "replace"))
    except BadJson as error:
        raise Invalid(fields={"data": error.message}) from error


def read_revision(fields: Mapping[str, Any]) -> int | None:
    """The draft revision that the client last read; None if it wasn't sent. Raises Invalid."""
    if "revision" not in fields:
        return None
    revision = fields["revision"]
    if type(revision) is not int or revision < 0:
        raise Invalid(fields={"revision": gettext("this must be a whole number.")})
    return revision


def read_samples(text: str, stored: Samples) -> Samples:
    """Parse the samples of a draft; invalid JSON falls back to the stored samples."""
    try:
        return _check_samples(parse_json(text.encode())) if text.strip() else stored
    except (BadJson, Invalid):
        return stored


def receive_samples(fields: Mapping[str, Any]) -> Samples:
    """The samples sent by a script, in the order of `sampleOrder`. Raises Invalid if one isn't an object."""
    samples, order = _check_samples(fields.get("samples") or {}), fields.get("sampleOrder")
    return order_samples(samples, order) if isinstance(order, list) else samples


def _check_samples(value: Any) -> Samples:
    if not isinstance(value, dict) or not all(isinstance(data, dict) for data in value.values()):
        sentence = gettext("Samples are one JSON object: each name with an object of inputs.")
        raise Invalid(fields={"samples": sentence})
    return value
