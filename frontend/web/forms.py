"""Forms check the shape of what was typed; whether it may be done is the services' word."""

from collections.abc import Mapping, Sequence
from typing import Any

from django import forms

from registry.accounts.models import Key
from registry.core.errors import Invalid, PromptuaryError
from registry.namespaces.permissions import KEY_VERBS, Role

__all__ = ["KeyForm", "LabelForm", "MemberForm", "NewForm", "ProposeForm", "RotateForm", "SamplesForm", "add_errors"]

# A select with more rows than this is no help; the rest is reached from the history.
MOST_VERSIONS = 200
VERSIONS_OF_KEYS = [("", "as the namespace's rules say"), ("approved", "approved ones only"), ("any", "any version")]


def add_errors(form: forms.Form, error: PromptuaryError) -> None:
    """Put a service's refusal where it belongs: at its field, or above the form."""
    told = error.fields if isinstance(error, Invalid) else {}
    for field, sentence in told.items():
        form.add_error(field if field in form.fields else None, sentence[:1].upper() + sentence[1:])
    if not told:
        form.add_error(None, error.message)


class _Lines(forms.CharField):
    """Text of several lines: browsers post CRLF, a document has LF; spaces at its ends are the author's."""

    widget = forms.Textarea

    def __init__(self, **options: Any) -> None:
        super().__init__(strip=False, **options)

    def to_python(self, value: Any) -> str | None:
        text = super().to_python(value)
        return text.replace("\r\n", "\n").replace("\r", "\n") if text else text


class ProposeForm(forms.Form):
    """A protected label, a version, and why."""

    label = forms.ChoiceField()
    version = forms.TypedChoiceField(coerce=int)
    message = _Lines(required=False, max_length=10_000)

    def __init__(
        self, *args: Any, labels: Sequence[str], newest: int, standing: Mapping[str, int], **options: Any
    ) -> None:
        super().__init__(*args, **options)
        _choices(self, "label", [(label, label) for label in labels])
        _choices(self, "version", _versions(newest, standing))


class LabelForm(forms.Form):
    """Where an unprotected label goes, or a protected one goes back to. `expected` is where the page saw it stand."""

    label = forms.CharField(max_length=36)
    version = forms.TypedChoiceField(coerce=int)
    expected = forms.IntegerField(required=False, widget=forms.HiddenInput)
    reason = _Lines(required=False, max_length=10_000)

    def __init__(self, *args: Any, newest: int, standing: Mapping[str, int], **options: Any) -> None:
        super().__init__(*args, **options)
        _choices(self, "version", _versions(newest, standing))


class SamplesForm(forms.Form):
    """All samples of a template as one JSON object."""

    samples = _Lines(required=False)


class KeyForm(forms.Form):
    """A service, whom it acts for, and what it may."""

    name = forms.CharField(max_length=100)
    person = forms.ChoiceField()
    scope = forms.ChoiceField(
        choices=[
            (Key.READ, "read"),
            (Key.WRITE, "write, which includes read, but not rolling back"),
            (Key.CHOSEN, "only what is chosen below"),
        ]
    )
    verbs = forms.MultipleChoiceField(
        choices=[(verb.value, verb.value) for verb in KEY_VERBS], required=False, widget=forms.CheckboxSelectMultiple
    )
    labels = forms.CharField(max_length=800, required=False)
    versions = forms.ChoiceField(choices=VERSIONS_OF_KEYS, required=False)
    days = forms.TypedChoiceField(
        coerce=int, choices=[(0, "until it is revoked"), (30, "30 days"), (90, "90 days"), (365, "a year")], initial=0
    )

    def __init__(self, *args: Any, people: Sequence[str], **options: Any) -> None:
        super().__init__(*args, **options)
        _choices(self, "person", [(person, person) for person in people])

    def clean_labels(self) -> list[str]:
        return [label for label in self.cleaned_data["labels"].replace(",", " ").split() if label]

    def clean_versions(self) -> bool | None:
        return {"approved": True, "any": False}.get(self.cleaned_data["versions"])


class RotateForm(forms.Form):
    """Which key, and for how many hours the old secret goes on beside the new one."""

    key = forms.CharField(max_length=20)
    hours = forms.TypedChoiceField(
        coerce=int,
        choices=[
            (0, "ends at once"),
            (1, "goes on for an hour"),
            (24, "goes on for a day"),
            (168, "goes on for a week"),
        ],
        initial=24,
    )


class MemberForm(forms.Form):
    """An account and its role; no role takes the membership away."""

    username = forms.CharField(max_length=150)
    role = forms.ChoiceField(choices=[(role.value, role.value) for role in Role] + [("", "no member")], required=False)


class NewForm(forms.Form):
    """Where a new template goes and what it starts from."""

    namespace = forms.ChoiceField()
    path = forms.CharField(max_length=460)
    start = forms.ChoiceField()

    def __init__(self, *args: Any, namespaces: Sequence[str], starts: Sequence[str], **options: Any) -> None:
        super().__init__(*args, **options)
        _choices(self, "namespace", [(name, name) for name in namespaces])
        _choices(self, "start", [(start, start) for start in starts])

    def clean_path(self) -> str:
        return str(self.cleaned_data["path"]).strip().strip("/")


def _choices(form: forms.Form, name: str, choices: Sequence[tuple[Any, str]]) -> None:
    field = form.fields[name]
    if isinstance(field, forms.ChoiceField):
        field.choices = list(choices)


def _versions(newest: int, standing: Mapping[str, int]) -> list[tuple[int, str]]:
    """The newest versions, and every one a label stands on, each with its labels."""
    return [
        (number, ", ".join([f"v{number}", *(label for label, at in standing.items() if at == number)]))
        for number in sorted({*range(max(1, newest - MOST_VERSIONS), newest + 1), *standing.values()}, reverse=True)
    ]
