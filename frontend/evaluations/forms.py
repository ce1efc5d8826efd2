"""Forms of datasets and runs. A form validates its input; the service decides whether the action is permitted."""

from collections.abc import Sequence
from typing import Any

from django import forms
from django.utils.translation import gettext

__all__ = ["FORMS", "DatasetForm", "RunForm"]

FORMS = (("jsonl", "JSON lines"), ("csv", "CSV"), ("yml", "YAML"))
_ENDINGS = {".jsonl": "jsonl", ".csv": "csv", ".yml": "yml", ".yaml": "yml"}
MAX_BYTES = 8 * 1024 * 1024


class DatasetForm(forms.Form):
    """Rows as text or as a file, and where they are saved. `base` is the digest that the page started from."""

    namespace = forms.ChoiceField(required=False)
    path = forms.CharField(max_length=460, required=False)
    form = forms.ChoiceField(choices=FORMS, initial="jsonl")
    text = forms.CharField(required=False, strip=False, widget=forms.Textarea)
    file = forms.FileField(required=False)
    template = forms.CharField(required=False, max_length=520)
    message = forms.CharField(required=False, max_length=10_000)
    base = forms.CharField(required=False, widget=forms.HiddenInput)

    def __init__(self, *args: Any, namespaces: Sequence[str] = (), **options: Any) -> None:
        super().__init__(*args, **options)
        field = self.fields["namespace"]
        if isinstance(field, forms.ChoiceField):
            field.choices = [(name, name) for name in namespaces]

    def clean(self) -> dict[str, Any]:
        """Convert the rows to one text; a file's extension determines its format."""
        data = super().clean() or self.cleaned_data
        file = data.get("file")
        if file is not None:
            if file.size > MAX_BYTES:
                self.add_error("file", gettext("The file is larger than 8 MB."))
                return data
            try:
                data["text"] = file.read().decode("utf-8-sig")
            except UnicodeDecodeError as error:
                self.add_error("file", gettext("The file is not UTF-8 (byte {place}).").format(place=error.start))
                return data
            ending = file.name[file.name.rfind(".") :].lower() if "." in file.name else ""
            data["form"] = _ENDINGS.get(ending, data.get("form", "jsonl"))
        data["text"] = (data.get("text") or "").replace("\r\n", "\n").replace("\r", "\n")
        if not data["text"].strip() and not self.errors:
            self.add_error("text", gettext("There are no rows yet: choose a file, or write them here."))
        return data


class RunForm(forms.Form):
    """The settings of a run: version, rows, model and metrics, the run to compare with, and the judge.

    `documents` and `question` are the inputs of the template that the judge reads as these.
    """

    ref = forms.CharField(max_length=80)
    dataset = forms.ChoiceField(required=False)
    model = forms.ChoiceField()
    metrics = forms.MultipleChoiceField(required=False)
    against = forms.ChoiceField(required=False)
    judge = forms.ChoiceField(required=False)
    judge_model = forms.ChoiceField(required=False)
    documents = forms.ChoiceField(required=False)
    question = forms.ChoiceField(required=False)

    def __init__(
        self,
        *args: Any,
        datasets: Sequence[tuple[str, str]],
        models: Sequence[tuple[str, str]],
        metrics: Sequence[tuple[str, str]],
        against: Sequence[tuple[str, str]],
        judges: Sequence[tuple[str, str]],
        inputs: Sequence[tuple[str, str]],
        **options: Any,
    ) -> None:
        super().__init__(*args, **options)
        choices = {"dataset": datasets, "model": models, "metrics": metrics, "against": against}
        choices |= {"judge": judges, "judge_model": models, "documents": inputs, "question": inputs}
        for name, names in choices.items():
            field = self.fields[name]
            if isinstance(field, forms.ChoiceField):
                field.choices = list(names)
