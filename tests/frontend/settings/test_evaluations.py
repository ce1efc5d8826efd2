"""The page of evaluations: thresholds are tried on the last runs, saved, edited and removed."""

import pytest

from registry.evaluations import attachments
from registry.evaluations.models import Attachment
from registry.templates import save as template_save
from tests.frontend.conftest import DOCUMENT, read_html
from tests.support.finished_runs import GOLD, WORSE, save_rows, start_run
from tests.support.instances import ROOT

PAGE = "/n/support/evaluations"
STARTER = ROOT / "registry/starter/demo/judge-answer-support.yml.j2"
FIELDS = {
    "name": "answers",
    "pattern": "refunds/*",
    "dataset": GOLD,
    "dataset_version": "",
    "model": "echo",
    "scores_needed": "20",
    "metric": ["squad_f1", "squad_exact_match", ""],
    "kind": ["floor", "fall", "floor"],
    "bound": ["0.9", "0.02", ""],
}


@pytest.fixture
def gold(reply):
    save_rows(reply)
    return reply


@pytest.fixture
def attached(gold):
    return attachments.attach_evaluation(
        actor=gold.actor("admin"),
        namespace="support",
        name="answers",
        pattern="refunds/reply",
        dataset=GOLD,
        dataset_version=1,
        model="echo",
        gates=["squad_f1[answer] >= 0.5"],
        metrics=["chrf"],
    )


def read_attachment():
    row = Attachment.objects.select_related("dataset").get()
    return row.name, row.pattern, row.dataset.name, row.dataset_version, row.model, row.gates, row.scores_needed


def test_an_admin_saves_thresholds_and_members_read_them(gold, browser):
    answer = browser("admin").post(PAGE, {**FIELDS, "do": "save"})
    assert (answer.status_code, answer["Location"]) == (302, PAGE)
    gates = ["squad_f1 >= 0.9", "squad_exact_match - 0.02"]
    assert read_attachment() == ("answers", "refunds/*", GOLD, None, "echo", gates, 20)
    page = read_html(browser("reader").get(PAGE))
    assert 'Words in common, at least 0.9 <code class="faint">squad_f1 &gt;= 0.9</code>' in page
    assert 'Same answer, at most 0.02 less <code class="faint">squad_exact_match - 0.02</code>' in page
    assert "Save thresholds" not in page


def test_results_on_earlier_runs_are_shown_before_anything_is_saved(gold, browser):
    gold.save(WORSE)
    runs = start_run(gold, "1"), start_run(gold, "3")
    answer = browser("admin").post(PAGE, {**FIELDS, "do": "try"})
    page = read_html(answer)
    assert answer.status_code == 200
    assert page.index(f"/runs/{runs[1].pk}") < page.index(f"/runs/{runs[0].pk}")
    assert "fails" in page
    assert 'value="answers"' in page
    assert not Attachment.objects.exists()


def test_without_runs_a_trial_says_so(gold, browser):
    assert "No finished run" in read_html(browser("admin").post(PAGE, {**FIELDS, "do": "try"}))


@pytest.mark.parametrize("button", ["save", "try"])
@pytest.mark.parametrize("changes", [{"bound": ["much", "", ""]}, {"metric": ["", "", ""], "bound": ["", "", ""]}])
def test_thresholds_that_cannot_be_read_come_back_with_what_was_typed(gold, browser, button, changes):
    answer = browser("admin").post(PAGE, {**FIELDS, **changes, "do": button})
    assert answer.status_code == 422
    assert 'value="refunds/*"' in read_html(answer)
    assert not Attachment.objects.exists()


def test_a_threshold_that_is_not_a_number_is_reported_at_its_row(gold, browser):
    page = read_html(browser("admin").post(PAGE, {**FIELDS, "bound": ["0.9", "lots", ""], "do": "try"}))
    assert 'id="threshold-2-problem"' in page
    assert "Write a number, such as 0.8." in page
    assert "threshold-1-problem" not in page
    page = read_html(browser("admin").post(PAGE, {**FIELDS, "metric": ["", "", ""], "do": "try"}))
    assert 'id="threshold-1-problem"' in page
    assert "Choose a metric for this threshold." in page


def test_a_threshold_may_have_a_comma(gold, browser):
    browser("admin").post(PAGE, {**FIELDS, "bound": ["0,9", "0,02", ""], "do": "save"})
    assert Attachment.objects.get().gates == ["squad_f1 >= 0.9", "squad_exact_match - 0.02"]


def test_rows_that_do_not_fit_a_template_are_refused_at_the_form(gold, browser):
    gold.save(name="support/refunds/other", document=DOCUMENT.replace("question", "city"))
    answer = browser("admin").post(PAGE, {**FIELDS, "do": "save"})
    assert answer.status_code == 422
    page = read_html(answer)
    assert "row 1 (case-0).inputs.city: " in page
    assert "row 4" not in page
    assert "3 more rows do not fit." in page
    assert not Attachment.objects.exists()


def test_an_evaluation_is_edited_with_all_it_has(attached, browser):
    admin = browser("admin")
    page = read_html(admin.get(PAGE, {"name": "answers"}))
    assert '<option value="squad_f1[answer]" selected>' in page
    assert 'value="refunds/reply"' in page
    assert 'name="nightly" value="on">' in page
    gate = {"metric": ["squad_f1[answer]"], "kind": ["floor"], "bound": ["0.75"]}
    admin.post(PAGE, {**FIELDS, **gate, "dataset_version": "1", "nightly": "on", "do": "save"})
    row = Attachment.objects.get()
    assert (row.gates, row.metrics, row.dataset_version) == (["squad_f1[answer] >= 0.75"], ["chrf"], 1)
    assert row.nightly
    page = read_html(admin.get(PAGE, {"name": "answers"}))
    assert 'name="nightly" value="on" checked>' in page
    assert "every night" in page


def test_an_admin_takes_an_evaluation_away(attached, browser):
    browser("admin").post(PAGE, {"do": "remove", "name": "answers"})
    assert not Attachment.objects.exists()


@pytest.mark.parametrize("button", ["save", "try", "remove"])
@pytest.mark.parametrize(("role", "status"), [("reviewer", 403), ("outsider", 404)])
def test_only_admins_do(attached, browser, button, role, status):
    answer = browser(role).post(PAGE, {**FIELDS, "pattern": "*", "do": button})
    assert answer.status_code == status
    assert Attachment.objects.get().pattern == "refunds/reply"


def test_a_judge_is_chosen_and_kept(gold, browser):
    template_save.save_version(
        actor=gold.actor("author"), name="support/judge", document=STARTER.read_text(), message=""
    )
    judge = {"judge": "support/judge@1", "judge_model": "echo", "judge_documents": "inputs.passages"}
    gates = {"metric": ["faithfulness", "", ""], "bound": ["0.9", "", ""]}
    refused = browser("admin").post(PAGE, {**FIELDS, **gates, "do": "save"})
    assert refused.status_code == 422
    assert "is a judge&#x27;s score" in read_html(refused)
    assert browser("admin").post(PAGE, {**FIELDS, **gates, **judge, "do": "save"}).status_code == 302
    row = Attachment.objects.get()
    assert (row.judge_address, row.judge_paths) == ("support/judge@1", {"documents": "inputs.passages"})
    assert "judged by support/judge@1" in read_html(browser("reader").get(PAGE))
    page = browser("admin").get(f"{PAGE}?name=answers").content.decode()
    assert 'value="inputs.passages"' in page
    assert '<option value="support/judge@1" selected>' in page


def test_the_address_fills_the_form(gold, browser):
    query = {"pattern": "refunds/reply", "dataset": GOLD, "model": "echo"}
    page = read_html(browser("admin").get("/n/support/evaluations", query))
    assert 'value="refunds/reply"' in page
    assert f'<option value="{GOLD}" selected' in page
    assert 'value="refunds/reply"' not in read_html(browser("admin").get("/n/support/evaluations"))
