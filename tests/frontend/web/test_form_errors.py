"""The first word of a field error: a word is capitalised, a name is left unchanged."""

from urllib.parse import urlencode

import pytest
from django import forms
from django.http import QueryDict
from django.template.loader import render_to_string

from frontend.web.field_labels import capitalise_sentence, describe_refusal
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
    ("sentence", "expected_text"),
    [
        ("production is not protected in support.", "production is not protected in support."),
        ("production: not a label.", "production: not a label."),
        ("a@shop.example is not a mail address.", "a@shop.example is not a mail address."),
        ("refunds/gold is archived.", "refunds/gold is archived."),
        ("say why.", "Say why."),
        ("one of read, write.", "One of read, write."),
    ],
)
def test_a_name_at_the_start_keeps_its_letters(sentence, expected_text):
    assert error_of(sentence) == expected_text


@pytest.mark.parametrize("sent", ["refunds/*: nina, group:legal", "mail, nina", "ann\r\nnina\r\nbob"])
def test_a_name_of_a_list_that_was_sent_keeps_its_letters(sent):
    form = LabelForm(QueryDict(urlencode({"label": sent})))
    add_errors(form, Invalid(fields={"label": "nina: not a member of support."}))
    assert str(form.errors["label"][0]) == "nina: not a member of support."


@pytest.mark.parametrize("sentence", ["support/reply has that name already.", "a-bot is unknown.", "3 are chosen."])
def test_a_sentence_that_starts_without_a_word_is_not_capitalised(sentence):
    assert capitalise_sentence(sentence) == sentence
    assert describe_refusal(Invalid(fields={"unknown": sentence})) == sentence
    page = render_to_string("frontend/web/_error_line.html", {"text": sentence})
    assert f"<span>{sentence}</span>" in page
    assert "<span>Say why.</span>" in render_to_string("frontend/web/_error_line.html", {"text": "say why."})


def test_a_refusal_apart_from_its_field_calls_it_as_the_page_does():
    assert (
        describe_refusal(Invalid(fields={"goes_live_at": "this is in the past."})) == "Goes live: this is in the past."
    )
    assert describe_refusal(Invalid(fields={"digests": "choose one."})) == "Choose one."


def test_a_refusal_without_fields_stays_as_it_is():
    assert describe_refusal(Conflict("The change is closed.")) == "The change is closed."
