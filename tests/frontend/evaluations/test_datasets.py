"""The pages of datasets: the list, one with its versions, what changed between two, saving the next."""

import json

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile

from registry.evaluations import attachments
from registry.evaluations.dataset_models import Dataset
from tests.frontend.conftest import REPLY, read_html
from tests.support.finished_runs import GOLD, dataset_rows, save_rows, start_run

PAGE = f"/d/{GOLD}"


@pytest.fixture
def gold(reply):
    return save_rows(reply, message="First cases")


def test_the_list_names_each_dataset_with_its_rows(browser, gold):
    page = read_html(browser("reader").get("/d/"))
    assert f'href="{PAGE}"' in page
    assert "First cases" in page


def test_the_list_is_searched_by_name(browser, gold):
    assert PAGE in read_html(browser("reader").get("/d/", {"q": "gol"}))
    assert PAGE not in read_html(browser("reader").get("/d/", {"q": "silver"}))


def test_datasets_of_others_are_not_listed(browser, gold):
    assert PAGE not in read_html(browser("outsider").get("/d/"))
    assert browser("outsider").get(PAGE).status_code == 404


def test_a_dataset_shows_its_rows_and_versions(browser, reply, gold):
    save_rows(reply, dataset_rows(7), gold.digest, "One more")
    page = read_html(browser("reader").get(PAGE))
    assert "Version 2, 7 rows" in page
    assert "case-6" in page
    assert f"{PAGE}/-/diff?from=1&amp;to=2" in page


def test_an_older_version_says_that_it_is_one(browser, reply, gold):
    save_rows(reply, dataset_rows(7), gold.digest)
    page = read_html(browser("reader").get(PAGE, {"version": 1}))
    assert "You are reading <b>version 1</b>" in page
    assert f"{PAGE}/-/diff?from=1&amp;to=2" in page
    assert "case-6" not in page


def test_the_editor_opens_older_versions(browser, reply, gold):
    page = read_html(browser("author").get(f"{PAGE}/-/edit"))
    assert '<option value="1" selected>' in page
    assert f"{PAGE}/-/diff" not in page
    save_rows(reply, dataset_rows(7), gold.digest)
    page = read_html(browser("author").get(f"{PAGE}/-/edit"))
    assert ('<option value="1">' in page, '<option value="2" selected>' in page) == (True, True)
    assert f"{PAGE}/-/diff?to=2" in page


def test_the_diff_shows_rows_that_came_went_and_changed(browser, reply, gold):
    save_rows(reply, dataset_rows(7, **{"case-2": "Sandal 2?"}).split("\n", 1)[1], gold.digest)
    page = read_html(browser("reader").get(f"{PAGE}/-/diff"))
    assert "1 row added" in page
    assert "1 row removed" in page
    assert "removed: </span>Boot</del>" in page
    assert "added: </span>Sandal</ins>" in page


def test_equal_versions_have_nothing_to_show(browser, gold):
    assert "the same rows" in read_html(browser("reader").get(f"{PAGE}/-/diff", {"from": 1, "to": 1}))


def test_inputs_that_have_no_room_are_counted(browser, reply):
    inputs = {f"c{number}": "x" for number in range(6)}
    save_rows(reply, json.dumps({"inputs": inputs}))
    assert "4 of 6 inputs are shown. The download and the editor have all." in read_html(browser("reader").get(PAGE))


def test_a_dataset_is_made_from_a_csv_file(browser, reply):
    file = SimpleUploadedFile("cases.csv", b"id,question,expected\none,Boots?,Yes\n")
    sent = {"namespace": "support", "path": "refunds/gold", "form": "jsonl", "file": file, "message": "From a sheet"}
    assert browser("author").post("/d/new", sent).headers["Location"] == PAGE
    (row,) = Dataset.objects.get().latest.rows()
    assert (row.id, row.inputs, row.expected) == ("one", {"question": "Boots?"}, {"answer": "Yes"})


@pytest.mark.parametrize(
    ("changes", "expected_text"),
    [
        ({"text": "{"}, "line 1"),
        ({"text": ""}, "no rows yet"),
        ({"text": dataset_rows() + dataset_rows()}, "is the name of row"),
        ({"text": '{"inputs": {"other": 1}}', "template": "support/refunds/reply"}, "row 1.inputs.question"),
        ({"template": "support/absent"}, "support/absent"),
        ({"path": "Gold!"}, "case-form"),
    ],
)
def test_invalid_rows_are_reported_and_stay_in_the_form(browser, reply, changes, expected_text):
    sent = {"namespace": "support", "path": "gold", "form": "jsonl", "text": dataset_rows(), "message": "", **changes}
    answer = browser("author").post("/d/new", sent)
    assert answer.status_code in (404, 422)
    assert expected_text in read_html(answer)
    assert not Dataset.objects.exists()


def test_a_file_that_is_not_utf8_is_refused(browser, reply):
    sent = {"namespace": "support", "path": "gold", "form": "csv", "file": SimpleUploadedFile("c.csv", b"q\n\xff\n")}
    assert "not UTF-8 (byte 2)" in read_html(browser("author").post("/d/new", sent))


def test_the_next_version_starts_from_the_rows_of_the_latest(browser, gold):
    page = browser("author").get(f"{PAGE}/-/edit")
    assert "case-5" in read_html(page)
    sent = {"text": dataset_rows(8), "form": "jsonl", "base": gold.digest, "message": "Two more"}
    assert browser("author").post(f"{PAGE}/-/edit", sent).headers["Location"] == PAGE
    assert Dataset.objects.get().latest.count == 8


def test_a_version_made_from_an_older_one_is_not_saved_over_the_newer(browser, reply, gold):
    save_rows(reply, dataset_rows(7), gold.digest)
    sent = {"text": dataset_rows(8), "form": "jsonl", "base": gold.digest}
    answer = browser("author").post(f"{PAGE}/-/edit", sent)
    assert answer.status_code == 412
    assert "case-7" in read_html(answer)


def test_readers_save_nothing(browser, gold):
    page = read_html(browser("reader").get(PAGE))
    assert "Save a new version" not in page
    assert browser("reader").post(f"{PAGE}/-/edit", {"text": dataset_rows(8), "form": "jsonl"}).status_code == 403


def test_an_admin_archives_a_dataset_and_brings_it_back(reply, browser):
    save_rows(reply)
    admin = browser("admin")
    assert "Archive" in read_html(admin.get(f"/d/{GOLD}"))
    assert "/-/archive" not in browser("author").get(f"/d/{GOLD}").content.decode()
    assert admin.post(f"/d/{GOLD}/-/archive", {"do": "archive"})["Location"] == f"/d/{GOLD}"
    page = read_html(browser("author").get(f"/d/{GOLD}"))
    assert "archived" in page
    assert "Save a new version" not in page
    assert "Start a run" not in page
    assert f"/d/{GOLD}" not in browser("author").get("/d/").content.decode()
    assert f"/d/{GOLD}" in browser("author").get("/d/?archived=1").content.decode()
    assert "Restore" in read_html(admin.get(f"/d/{GOLD}"))
    admin.post(f"/d/{GOLD}/-/archive", {"do": "unarchive"})
    assert "Start a run" in read_html(browser("author").get(f"/d/{GOLD}"))
    assert f"/d/{GOLD}" in browser("author").get("/d/").content.decode()


def test_a_dataset_that_an_evaluation_measures_by_is_not_archived(reply, browser):
    save_rows(reply)
    attachments.attach_evaluation(
        actor=reply.actor("admin"),
        namespace="support",
        name="answers",
        pattern="refunds/*",
        dataset=GOLD,
        model="echo",
        gates=["squad_f1 >= 0.5"],
    )
    answer = browser("admin").post(f"/d/{GOLD}/-/archive", {"do": "archive"}, follow=True)
    assert answer.redirect_chain == [(f"/d/{GOLD}", 302)]
    assert "These evaluations use it: answers." in read_html(answer)


def test_a_run_of_the_rows_begins_with_the_template_one_came_from_or_that_of_the_last_run(browser, reply, gold):
    fresh = f"/runs/new?dataset={GOLD.replace('/', '%2F')}"
    named = f"/runs/new?template={REPLY.replace('/', '%2F')}&amp;dataset={GOLD.replace('/', '%2F')}"
    assert f'href="{fresh}"' in read_html(browser("author").get(PAGE))
    assert f'href="{named}"' in read_html(browser("author").get(PAGE, {"for": REPLY}))
    start_run(reply)
    assert f'href="{named}"' in read_html(browser("author").get(PAGE))


@pytest.mark.parametrize(("language", "name"), [("en", "row 1"), ("de", "Zeile 1")])
def test_a_row_without_a_name_is_called_by_its_number_in_the_readers_language(browser, reply, language, name):
    save_rows(reply, '{"inputs": {"question": "Boot?"}}\n')
    page = read_html(browser("reader").get(PAGE, headers={"accept-language": language}))
    assert f'<th scope="row">{name}</th>' in page


def test_the_rows_of_an_older_version_become_the_next_one(browser, reply, gold):
    second = save_rows(reply, dataset_rows(7), gold.digest)
    author = browser("author")
    assert "Restore version" not in read_html(author.get(PAGE))
    assert "Restore version" not in read_html(browser("reader").get(PAGE, {"version": 1}))
    page = read_html(author.get(PAGE, {"version": 1}))
    assert "Restore version 1" in page
    assert f'value="{second.digest}"' in page
    answer = author.post(f"{PAGE}/-/restore", {"version": "1", "base": second.digest}, follow=True)
    assert "Version 3 has the rows of version 1." in read_html(answer)
    newest = Dataset.objects.get(name=GOLD).latest
    assert (newest.number, newest.digest, newest.message) == (3, gold.digest, "Restore version 1")


def test_a_restore_from_a_page_that_is_old_by_now_saves_nothing(browser, reply, gold):
    save_rows(reply, dataset_rows(7), gold.digest)
    answer = browser("author").post(f"{PAGE}/-/restore", {"version": "1", "base": gold.digest})
    assert answer.status_code in (409, 412)
    assert Dataset.objects.get(name=GOLD).latest.number == 2
