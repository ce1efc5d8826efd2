"""Exporting in the browser."""

import io
import zipfile

from tests.frontend.conftest import DOCUMENT, REPLY, read_html


def test_the_page_lists_every_form_with_what_it_leaves_out(reply, browser):
    page = read_html(browser("reader").get(f"/t/{REPLY}/-/export?ref=1"))
    assert "<h1>Export v1</h1>" in page
    assert f'href="/t/{REPLY}/-/export/document?ref=1"' in page
    assert f'href="/t/{REPLY}/-/export/prompty?ref=1"' in page
    assert "Not possible for this version:" in page
    assert f'href="/t/{REPLY}/-/export?ref=1"' in read_html(browser("reader").get(f"/t/{REPLY}?ref=1"))


def test_a_version_is_downloaded(reply, browser):
    answer = browser("reader").get(f"/t/{REPLY}/-/export/document?ref=1")
    assert answer["Content-Disposition"] == "attachment; filename*=UTF-8''reply.yml.j2"
    assert answer.content.decode() == DOCUMENT


def test_a_form_that_cannot_hold_it_is_refused(reply, browser):
    answer = browser("reader").get(f"/t/{REPLY}/-/export/haystack")
    assert answer.status_code == 422
    assert "This version can&#x27;t be written as Haystack" in read_html(answer)
    assert browser("reader").get(f"/t/{REPLY}/-/export/word").status_code == 422


def test_a_folder_is_downloaded_as_a_zip(reply, browser):
    client = browser("reader")
    assert 'href="/t/support/refunds/export.zip"' in read_html(client.get("/t/support/refunds/"))
    answer = client.get("/t/support/refunds/export.zip")
    assert answer["Content-Type"] == "application/zip"
    with zipfile.ZipFile(io.BytesIO(answer.content)) as archive:
        assert archive.namelist() == [f"{REPLY}.yml.j2", f"{REPLY}.samples.yml"]
