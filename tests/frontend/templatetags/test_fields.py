"""The tags for form fields: what is selected, checked, required, and never echoed."""

from django import forms
from django.template import Context, Template

TEMPLATE = """{% load fields %}
{% select_field form.scope "May" "one of them" %}
{% text_field form.name "Name" short=True code=True maxlength="9" %}
{% password_field form.secret "Password" new=True %}
{% for value in "ab" %}{% checkbox form.checks value value "note" id_prefix="id_check_" %}{% endfor %}
{% for value in "ab" %}{% radio form.level value value "note" %}{% endfor %}
"""


class KeyForm(forms.Form):
    scope = forms.TypedChoiceField(choices=[(1, "read"), (2, "write")], coerce=int)
    name = forms.CharField()
    secret = forms.CharField()
    checks = forms.MultipleChoiceField(choices=[("a", "a"), ("b", "b")], required=False)
    level = forms.CharField(required=False)


def _page(data: dict[str, object] | None) -> str:
    return " ".join(Template(TEMPLATE).render(Context({"form": KeyForm(data)})).split())


def test_submitted_values_are_shown_again_except_passwords():
    page = _page({"scope": "2", "name": "<b>", "secret": "hidden words", "checks": ["b"], "level": "a"})
    assert '<option value="2" selected>write</option>' in page
    assert 'value="&lt;b&gt;"' in page
    assert "hidden words" not in page
    assert 'id="id_check_b" name="checks" value="b" checked>' in page
    assert 'name="level" value="a" checked>' in page
    assert page.count(" checked") == 2


def test_a_fresh_field_has_its_hint_and_its_attributes():
    page = _page(None)
    assert '<label for="id_scope">May <span class="aside">one of them</span></label>' in page
    assert '<div class="field field-short">' in page
    assert 'name="name" autocapitalize="none" maxlength="9" spellcheck="false" value="" required>' in page
    assert 'autocomplete="new-password" type="password" required>' in page
    assert "error" not in page


def test_a_refused_field_says_why():
    assert _refused_fields(_page({"scope": "7"})) == ["id_scope_error", "id_name_error", "id_secret_error"]


def _refused_fields(page: str) -> list[str]:
    return [part.partition('"')[0] for part in page.split('class="error-line" id="')[1:]]
