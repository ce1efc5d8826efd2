"""The order of samples whose names are whole numbers, which JavaScript objects don't preserve."""

import json

import pytest

from frontend.editor.sample_edits import order_samples
from registry.templates.models import Draft, SampleSet
from tests.frontend.conftest import OTHER, REPLY

EDIT = f"/t/{REPLY}/-/edit"
SAMPLES = {"1": {"question": "One?"}, "2": {"question": "Two?"}, "late": {"question": "Late?"}}
ORDER = ["2", "late", "1"]


@pytest.fixture
def author(reply, browser):
    return browser("author")


def test_the_order_that_a_script_sends_is_the_order_of_the_samples(author):
    body = {"document": OTHER, "base": "2", "message": "", "samples": SAMPLES, "sampleOrder": ORDER}
    assert author.put(f"{EDIT}/draft", body, content_type="application/json").json()["saved_at"]
    assert list(json.loads(Draft.objects.get().samples)) == ORDER
    page = author.get(EDIT).content.decode()
    setup = json.loads(page.split('id="editor-setup" type="application/json">')[1].split("</script>")[0])
    assert (setup["sampleOrder"], setup["samples"]) == (ORDER, SAMPLES)
    assert author.post(EDIT, {**body, "do": "save"}, content_type="application/json").status_code == 200
    assert list(SampleSet.objects.latest("number").samples) == ORDER


def test_a_fix_and_a_newer_draft_give_the_order(author):
    body = {"document": OTHER, "base": "2", "samples": SAMPLES, "sampleOrder": ORDER}
    fixed = author.post(EDIT, {**body, "do": "drop-value:topic"}, content_type="application/json").json()
    assert fixed["sampleOrder"] == ORDER
    author.put(f"{EDIT}/draft", body, content_type="application/json")
    other = {**body, "document": OTHER + "# other tab", "revision": 0}
    newer = author.put(f"{EDIT}/draft", other, content_type="application/json")
    assert (newer.status_code, newer.json()["newer"]["sampleOrder"]) == (409, ORDER)


def test_names_that_are_left_out_come_last_and_foreign_ones_are_passed_over():
    assert list(order_samples(SAMPLES, ["late", 1, None, "gone", "late"])) == ["late", "1", "2"]
    assert order_samples(SAMPLES, []) == SAMPLES


@pytest.mark.parametrize("order", ["2", None, 7])
def test_an_order_that_is_not_a_list_changes_nothing(author, order):
    body = {"document": OTHER, "base": "2", "samples": SAMPLES, "sampleOrder": order}
    assert author.put(f"{EDIT}/draft", body, content_type="application/json").status_code == 200
    assert list(json.loads(Draft.objects.get().samples)) == ["1", "2", "late"]


def test_samples_that_are_not_objects_are_refused(author):
    for samples in (["a"], {"a": 1}):
        body = {"document": OTHER, "base": "2", "samples": samples}
        assert author.put(f"{EDIT}/draft", body, content_type="application/json").status_code == 422
