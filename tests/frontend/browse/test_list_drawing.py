"""What long lists draw without a template gives the same as a template would."""

import pytest
from django.template import Context, Template
from django.template.defaulttags import URLNode
from django.urls import reverse, set_script_prefix
from django.utils.translation import override, trans_real

from frontend.changes.check_summaries import CheckSummary
from tests.frontend.conftest import DOCUMENT


def draw(source, **context):
    return Template("{% load display i18n names %}" + source).render(Context(context))


@pytest.fixture
def script_prefix():
    yield set_script_prefix
    set_script_prefix("/")


@pytest.mark.parametrize("page", ["template", "edit", "propose"])
@pytest.mark.parametrize("name", ["support/refunds/reply", "a/b", "x-name/x-name-2"])
def test_the_url_of_a_template_is_that_of_the_url_tag(page, name, script_prefix):
    assert draw("{{ name|url:page }}", name=name, page=page) == reverse(page, args=[name])
    script_prefix("/prompts/")
    assert draw("{{ name|url:page }}", name=name, page=page) == f"/prompts{reverse(page, args=[name])[8:]}"


def test_the_url_of_a_folder_is_that_of_the_url_tag():
    assert draw('{{ name|url:"folder" }}', name="support") == reverse("folder", args=["support"])


@pytest.mark.parametrize("language", ["en", "de"])
def test_the_number_of_passed_checks_is_in_the_language_of_the_page(language):
    source = (
        "{% blocktranslate with passed=checks.passed total=checks.total %}"
        '{{ passed }} of {{ total }}<span class="visually-hidden"> checks passed</span>{% endblocktranslate %}'
    )
    checks = CheckSummary(passed=3, total=4, failed=(), sentences=(), is_running=False)
    with override(language):
        assert draw("{{ checks|passed_checks }}", checks=checks) == draw(source, checks=checks)


def test_a_row_adds_few_look_ups_of_texts_and_urls(reply, desk, browser, monkeypatch):
    client, calls = browser("reader"), []
    catalogue = trans_real.catalog()
    gettext, find_url = catalogue.gettext, URLNode.render

    def note_text(text):
        calls.append(text)
        return gettext(text)

    def note_url(node, context):
        calls.append(node)
        return find_url(node, context)

    monkeypatch.setattr(catalogue, "gettext", note_text)
    monkeypatch.setattr(URLNode, "render", note_url)

    def count_calls():
        client.get("/t/")  # fills the caches
        calls.clear()
        client.get("/t/")
        return len(calls)

    before = count_calls()
    for number in range(5):
        desk.save(DOCUMENT, name=f"support/more-{number}")
    assert count_calls() - before <= 5
