"""A row of a run: added to another dataset, and opened in the editor."""

import pytest

from registry.evaluations import dataset_queries, datasets
from tests.frontend.conftest import REPLY, read_html
from tests.support.finished_runs import WORSE, dataset_rows, save_rows, start_run

HARD = "support/refunds/hard"


@pytest.fixture
def two(reply):
    """Runs of versions 1 and 3 over the same rows, and another dataset of the namespace."""
    save_rows(reply)
    reply.save(WORSE)
    author = reply.actor("author")
    datasets.save_dataset(actor=author, name=HARD, text=dataset_rows(1, **{"case-0": "Another boot"}))
    return start_run(reply, "1"), start_run(reply, "3")


def rows_of_hard(reply):
    return dataset_queries.read_dataset_version(reply.actor("author"), HARD).rows()


def test_the_panel_leads_to_both(two, browser):
    address = f"/runs/{two[0].pk}/matrix?with={two[1].pk}&row=2"
    page = read_html(browser("author").get(address))
    assert f'href="/runs/{two[0].pk}/rows/2/add?with={two[1].pk}" data-key="d"' in page
    assert f'href="/t/{REPLY}/-/edit?row={two[0].pk}.2" data-key="e"' in page
    assert "Open in editor" not in read_html(browser("reader").get(address))


def test_a_row_is_added_with_what_it_expects(reply, two, browser):
    client, address = browser("author"), f"/runs/{two[0].pk}/rows/2/add?with={two[1].pk}"
    page = read_html(client.get(address))
    assert HARD in page
    assert "As this row expects" in page
    assert page.count("The reply of v") == 2
    answer = client.post(address, {"dataset": HARD, "expected": "row", "name": "case-2"})
    assert answer["Location"] == f"/d/{HARD}"
    added = rows_of_hard(reply)[-1]
    assert (added.id, added.expected) == ("case-2", two[0].dataset_version.rows()[2].expected)


def test_a_reply_becomes_what_is_expected(reply, two, browser):
    address = f"/runs/{two[0].pk}/rows/1/add?with={two[1].pk}"
    sent = {"dataset": HARD, "expected": f"run-{two[1].pk}", "name": ""}
    assert browser("author").post(address, sent).status_code == 302
    assert "more words than that" in rows_of_hard(reply)[-1].expected["answer"]


def test_a_row_without_an_expectation_is_added_too(reply, two, browser):
    sent = {"dataset": HARD, "expected": "none", "name": "later"}
    assert browser("author").post(f"/runs/{two[0].pk}/rows/1/add", sent).status_code == 302
    assert rows_of_hard(reply)[-1].expected is None


@pytest.mark.parametrize(
    ("sent", "sentence"),
    [
        ({"dataset": HARD, "expected": "mine"}, "Choose what is expected."),
        ({"dataset": "", "expected": "none"}, "Choose a dataset."),
    ],
)
def test_a_refused_form_comes_back_with_the_reason(reply, two, browser, sent, sentence):
    answer = browser("author").post(f"/runs/{two[0].pk}/rows/1/add", {**sent, "name": "typed"})
    assert answer.status_code == 422
    assert sentence in read_html(answer)
    assert 'value="typed"' in read_html(answer)
    assert len(rows_of_hard(reply)) == 1


def test_a_name_with_other_values_is_refused(reply, two, browser):
    client, address = browser("author"), f"/runs/{two[0].pk}/rows/1/add"
    sent = {"dataset": HARD, "expected": "none", "name": "same"}
    assert client.post(address, sent).status_code == 302
    answer = client.post(f"/runs/{two[0].pk}/rows/2/add", sent)
    assert answer.status_code == 422
    assert "same" in read_html(answer)


def test_a_reader_is_told_the_role_and_an_outsider_nothing(two, browser):
    address = f"/runs/{two[0].pk}/rows/1/add"
    assert "Adding rows needs the author role in support." in read_html(browser("reader").get(address))
    assert browser("outsider").get(address).status_code == 404
    assert browser("author").get(f"/runs/{two[0].pk}/rows/999/add").status_code == 404


def test_the_editor_opens_with_the_row_as_a_sample(reply, two, browser):
    page = browser("author").get(f"/t/{REPLY}/-/edit?row={two[0].pk}.2").content.decode()
    assert "The row is the sample case-2 now." in page
    assert '<option value="case-2" selected' in page


def test_a_row_of_another_template_or_none_changes_nothing(reply, two, browser):
    reply.save(name="support/other")
    for address in (f"/t/support/other/-/edit?row={two[0].pk}.2", f"/t/{REPLY}/-/edit?row=nothing"):
        answer = browser("author").get(address)
        assert answer.status_code == 200
        assert "The row is the sample" not in answer.content.decode()
    assert browser("author").get(f"/t/{REPLY}/-/edit?row=999999.1").status_code == 404
