"""The pages' labels of service fields, for a refusal that isn't shown at its field."""

import re
from collections.abc import Collection, Mapping
from typing import Any

from django.utils.translation import gettext_lazy

from registry.core.errors import Invalid

__all__ = ["capitalise_sentence", "describe_refusal"]

_FIRST_WORD = re.compile(r"[^\s,;:]+")

_LABELS: Mapping[str, Any] = {
    "comment": gettext_lazy("Comment"),
    "description": gettext_lazy("Description"),
    "from_label": gettext_lazy("From"),
    "goes_live_at": gettext_lazy("Goes live"),
    "hours": gettext_lazy("Hours a step lasts"),
    "label": gettext_lazy("Label"),
    "message": gettext_lazy("Why"),
    "planned_rollout": gettext_lazy("Goes live"),
    "reason": gettext_lazy("Reason"),
    "reviewers": gettext_lazy("Reviewers"),
    "sample": gettext_lazy("Sample"),
    "shares": gettext_lazy("Shares in %"),
    "steps": gettext_lazy("Steps"),
    "stop_rule": gettext_lazy("Stop and roll back"),
    "suggestion": gettext_lazy("Suggestion"),
    "template": gettext_lazy("Template"),
    "templates": gettext_lazy("Templates"),
    "text": gettext_lazy("Comment"),
    "title": gettext_lazy("Title"),
    "version": gettext_lazy("Version"),
    "versions": gettext_lazy("Versions"),
}


def describe_refusal(error: object) -> str:
    """The messages of a refusal, each preceded by the page's label of its field, if it has one. A refusal without
    fields, or a plain string, is returned unchanged.
    """
    if not isinstance(error, Invalid) or not error.fields:
        return str(error)
    return " ".join(_describe(field, sentence) for field, sentence in error.fields.items())


def _describe(field: str, sentence: str) -> str:
    label = _LABELS.get(field)
    return f"{label}: {sentence}" if label else capitalise_sentence(sentence)


def capitalise_sentence(sentence: str, names: Collection[str] = ()) -> str:
    """Capitalize the sentence, unless it begins with one of the names, or with something that isn't a word, such as a
    URL or a template's name.
    """
    first = _FIRST_WORD.match(sentence)
    if first is None or not first[0].isalpha() or first[0] in names:
        return sentence
    return sentence[:1].upper() + sentence[1:]
