"""The fieldset of a namespace's standards: a form for admins, plain words for everyone else."""

from collections.abc import Iterator, Mapping
from typing import Any

from django import forms
from django.utils.formats import number_format
from django.utils.translation import gettext, gettext_lazy, ngettext

from frontend.web.field_labels import capitalise_sentence
from promptuary.renderer.validation.standards import Standards
from promptuary.renderer.validation.standards_reader import SEVERITIES
from registry.core.errors import Invalid

__all__ = ["StandardsForm", "add_standards_errors", "describe_standards"]

PREFIX = "standards"
_SEVERITIES_IN_WORDS = {"error": gettext_lazy("refuses the save"), "warning": gettext_lazy("is a warning")}
_MAX_CHARACTERS = 25_000  # of a list as typed


def _make_severity_field() -> forms.ChoiceField:
    choices = [(severity, _SEVERITIES_IN_WORDS[severity]) for severity in SEVERITIES]
    return forms.ChoiceField(choices=choices, required=False)


def _make_lines_field() -> forms.CharField:
    return forms.CharField(max_length=_MAX_CHARACTERS, required=False, widget=forms.Textarea)


class StandardsForm(forms.Form):
    """All standards of a namespace. An empty field requires nothing.

    `shown` means that the form included these fields: a form from before they existed leaves the standards unchanged.
    """

    shown = forms.BooleanField(required=False)
    description = forms.BooleanField(required=False)
    description_severity = _make_severity_field()
    tags_least = forms.IntegerField(required=False)
    tags_allowed = forms.CharField(max_length=_MAX_CHARACTERS, required=False)
    tags_severity = _make_severity_field()
    samples_least = forms.IntegerField(required=False)
    samples_severity = _make_severity_field()
    name_pattern = forms.CharField(max_length=500, required=False)
    name_severity = _make_severity_field()
    size_most = forms.IntegerField(required=False)
    size_severity = _make_severity_field()
    banned_words = _make_lines_field()
    banned_words_severity = _make_severity_field()
    required_words = _make_lines_field()
    required_words_severity = _make_severity_field()
    models_allowed = forms.CharField(max_length=_MAX_CHARACTERS, required=False)
    models_severity = _make_severity_field()

    def __init__(self, data: Mapping[str, Any] | None, standards: Standards) -> None:
        super().__init__(data, prefix=PREFIX, initial=_build_initial(standards))

    def read_fields(self) -> dict[str, Any] | None:
        """The input, as taken by `registry.changes.rules.set_rules`; None if the fields weren't shown."""
        if not self.cleaned_data["shown"]:
            return None
        typed = {
            "description": {} if self.cleaned_data["description"] else None,
            "tags": self._read_settings(
                least=self.cleaned_data["tags_least"], allowed=_split(self.cleaned_data["tags_allowed"], ",")
            ),
            "samples": self._read_settings(least=self.cleaned_data["samples_least"]),
            "name": self._read_settings(pattern=self.cleaned_data["name_pattern"]),
            "size": self._read_settings(most=self.cleaned_data["size_most"]),
            "banned_words": self._read_settings(words=_split(self.cleaned_data["banned_words"], "\n")),
            "required_words": self._read_settings(words=_split(self.cleaned_data["required_words"], "\n")),
            "models": self._read_settings(allowed=_split(self.cleaned_data["models_allowed"], ",")),
        }
        return {
            name: {"severity": self.cleaned_data[f"{name}_severity"] or SEVERITIES[0], **settings}
            for name, settings in typed.items()
            if settings is not None
        }

    @staticmethod
    def _read_settings(**values: Any) -> dict[str, Any] | None:
        """The typed settings; None if there aren't any."""
        return {name: value for name, value in values.items() if value not in (None, "", [])} or None


def add_standards_errors(form: StandardsForm, error: Invalid) -> Invalid | None:
    """Put the errors of the standards at their fields, and return the other errors, or None."""
    others: dict[str, str] = {}
    for path, sentence in error.fields.items():
        rule, _, setting = path.partition(".")
        if rule != PREFIX:
            others[path] = sentence
            continue
        name = setting.replace(".", "_")
        fields = [field for field in (name, setting.partition(".")[0]) if field in form.fields]
        form.add_error(fields[0] if fields else None, capitalise_sentence(sentence))
    return Invalid(fields=others) if others or not error.fields else None


def describe_standards(standards: Standards) -> list[str]:
    """A line for each requirement on a document."""
    return [
        gettext("{sentence} (warning)").format(sentence=sentence) if standard.severity == "warning" else sentence
        for name, standard in standards.each()
        for sentence in _list_sentences(name, standards)
    ]


def _list_sentences(name: str, standards: Standards) -> Iterator[str]:
    settings = standards.to_dict()[name]
    listing = ", ".join(settings.get("allowed") or settings.get("words") or [])
    least = settings.get("least", 0)
    if name == "tags":
        if least:
            yield ngettext("at least {count} tag", "at least {count} tags", least).format(count=least)
        if listing:
            yield gettext("only these tags: {names}").format(names=listing)
        return
    most = settings.get("most", 0)
    yield {
        "description": gettext("a description"),
        "samples": ngettext("at least {count} sample", "at least {count} samples", least).format(count=least),
        "name": gettext("names of new templates that match {pattern}").format(pattern=settings.get("pattern")),
        "size": gettext("at most {count} characters").format(count=number_format(most, force_grouping=True)),
        "banned_words": gettext("none of these words: {names}").format(names=listing),
        "required_words": gettext("all of these words: {names}").format(names=listing),
        "models": gettext("only these models: {names}").format(names=listing),
    }[name]


def _build_initial(standards: Standards) -> dict[str, Any]:
    """The standards as initial values: short lists on one line, words one per line."""
    settings = standards.to_dict()
    initial: dict[str, Any] = {f"{name}_severity": values["severity"] for name, values in settings.items()}
    initial |= {f"{name}_{key}": value for name, values in settings.items() for key, value in values.items()}
    for name in ("tags_allowed", "models_allowed"):
        initial[name] = ", ".join(initial.get(name, []))
    for name in ("banned_words", "required_words"):
        initial[name] = "\n".join(initial.pop(f"{name}_words", []))
    return {**initial, "description": standards.description is not None}


def _split(text: str, separator: str) -> list[str]:
    return [item.strip() for item in text.split(separator) if item.strip()]
