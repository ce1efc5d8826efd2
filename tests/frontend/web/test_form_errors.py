"""The first word of a refusal at its field: a word gets a capital, a name keeps its letters."""

import pytest
from django import forms
from django.http import QueryDict

from frontend.web.field_labels import describe_refusal
from frontend.web.forms import add_errors
from registry.core.errors import Conflict, Invalid


class LabelForm(forms.Form):
    """A label and a reason."""

    label = forms.CharField()
    reason = forms.CharField()


def error_of(sentence: str) -> str:
    form = LabelForm(QueryDict("label=production&reason=one+more+try"))
    add_errors(form, Invalid(fields={"label": sentence}))
    return str(form.errors["label"][0])


@pytest.mark.parametrize(
    ("sentence", "shown"),
    [
        ("production is not protected in support.", "production is not protected in support."),
        ("production: not a label.", "production: not a label."),
        ("a@shop.example is no mail address.", "a@shop.example is no mail address."),
        ("refunds/gold is archived.", "refunds/gold is archived."),
        ("say why.", "Say why."),
        ("one of read, write.", "One of read, write."),
    ],
)
def test_a_name_at_the_start_keeps_its_letters(sentence, shown):
    assert error_of(sentence) == shown


def test_a_refusal_apart_from_its_field_calls_it_as_the_page_does():
    assert (
        describe_refusal(Invalid(fields={"goes_live_at": "this is in the past."})) == "Goes live: this is in the past."
    )
    assert describe_refusal(Invalid(fields={"digests": "choose one."})) == "Choose one."


def test_a_refusal_without_fields_stays_as_it_is():
    assert describe_refusal(Conflict("The change is closed.")) == "The change is closed."
