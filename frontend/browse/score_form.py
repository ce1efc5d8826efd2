"""The form in which a user scores a reply that a service received in production."""

from collections.abc import Mapping, Sequence
from typing import Any

from django import forms

from frontend.web.forms import add_errors, list_version_choices, set_choices
from registry.accounts.actor import Actor
from registry.core.errors import Invalid
from registry.templates import version_queries
from registry.templates.models import Template
from registry.usage import outcomes
from registry.usage.outcome_queries import ScoreChange
from registry.usage.outcomes import LARGEST_VALUE, MAX_ID_LENGTH, OutcomeEntry

__all__ = ["ReplyScoreForm", "choose_first_values", "save_reply_score"]

_USUAL_NAME = "helpful"


class ReplyScoreForm(forms.Form):
    """A score of one reply: the version, the metric name, and the trace id if the reply has one."""

    version = forms.TypedChoiceField(coerce=int)
    name = forms.CharField(max_length=60)
    value = forms.FloatField(min_value=-LARGEST_VALUE, max_value=LARGEST_VALUE)
    trace_id = forms.CharField(max_length=MAX_ID_LENGTH, required=False)

    def __init__(self, *args: Any, newest: int, labels: Mapping[str, int], **options: Any) -> None:
        super().__init__(*args, **options)
        set_choices(self, "version", list_version_choices(newest, labels))


def choose_first_values(
    parameters: Mapping[str, str], live: int | None, scores: Mapping[int, Sequence[ScoreChange]]
) -> dict[str, Any]:
    """Initial values of the form: those in the URL, else the live version and the most used name."""
    counts: dict[str, int] = {}
    for changes in scores.values():
        for change in changes:
            counts[change.score.name] = counts.get(change.score.name, 0) + change.score.count
    usual_name = max(counts, key=lambda name: counts[name]) if counts else _USUAL_NAME
    return {
        "version": parameters.get("version") or live or "",
        "name": parameters.get("score") or usual_name,
        "trace_id": parameters.get("trace", "")[:MAX_ID_LENGTH],
    }


def save_reply_score(actor: Actor, template: Template, form: ReplyScoreForm) -> bool:
    """Save the score as a human one; False if it was refused, with the reason in the form."""
    if not form.is_valid():
        return False
    fields = form.cleaned_data
    version = version_queries.resolve_version(actor, template.name, str(fields["version"]))
    entry = OutcomeEntry(template.name, version.digest, fields["name"], fields["value"], fields["trace_id"])
    try:
        ignored = outcomes.add_outcomes(actor=actor, entries=[entry])
    except Invalid as error:
        add_errors(form, error)
        return False
    for outcome in ignored:
        form.add_error(None, outcome.reason)
    return not ignored
