"""Tagging and archiving what was ticked in the list."""

import pytest

from registry.templates.models import Template, Version
from tests.frontend.conftest import REPLY, read_html

SECOND = "support/second"


@pytest.fixture
def both(reply):
    reply.save(name=SECOND)
    return [REPLY, SECOND]


def list_tags(name):
    return sorted(Template.objects.get(name=name).tags.values_list("name", flat=True))


def test_rows_are_ticked_by_who_may_write(both, browser):
    assert f'name="template" value="{SECOND}"' in read_html(browser("author").get("/t/"))
    assert 'name="template"' not in read_html(browser("reader").get("/t/"))
    assert 'name="act" value="archive"' in read_html(browser("admin").get("/t/"))
    assert 'name="act" value="archive"' in read_html(browser("admin").get("/t/support/"))
    assert 'name="act" value="archive"' not in read_html(browser("author").get("/t/"))
    assert 'name="act" value="archive"' not in read_html(browser("author").get("/t/support/"))
    assert 'name="template"' not in read_html(browser("author").get("/t/?archived=1"))


def test_tags_are_added_to_several(both, browser):
    author = browser("author")
    page = read_html(author.get("/several", {"act": "tag", "template": both}))
    assert "Change the tags of 2 templates" in page
    answer = author.post("/several", {"act": "tag", "template": both, "add": "urgent, sorted", "remove": "refunds"})
    assert answer.url == "/t/support/"
    assert list_tags(REPLY) == list_tags(SECOND) == ["sorted", "urgent"]
    assert "2 templates got a new version with other tags." in read_html(author.get("/t/"))
    author.post("/several", {"act": "tag", "template": both, "add": "urgent"})
    assert "0 templates got a new version with other tags. 2 templates had them already." in read_html(
        author.get("/t/")
    )


def test_a_refusal_names_the_template_and_changes_nothing(both, browser):
    browser("admin").post("/several", {"act": "archive", "template": [SECOND], "reason": "Old"})
    before = Version.objects.count()
    answer = browser("author").post("/several", {"act": "tag", "template": [*both, "support/none"], "add": "urgent"})
    page = read_html(answer)
    assert answer.status_code == 422
    assert "Nothing was changed: 2 of 3 templates can&#x27;t be." in page
    assert "There is no template support/none" in page
    assert 'value="urgent"' in page
    assert Version.objects.count() == before


def test_a_form_without_tags_is_refused(both, browser):
    answer = browser("author").post("/several", {"act": "tag", "template": both})
    assert answer.status_code == 422
    assert "Write a tag to add or to remove." in read_html(answer)
    nothing = browser("author").post("/several", {"act": "tag", "add": "urgent"})
    assert "Choose at least one." in read_html(nothing)


def test_several_are_archived_by_an_admin(both, browser):
    assert "Archive 2 templates" in read_html(browser("admin").get("/several", {"act": "archive", "template": both}))
    answer = browser("admin").post("/several", {"act": "archive", "template": [SECOND], "reason": "Old"}, follow=True)
    assert "1 template archived. They can still be fetched, and restored." in read_html(answer)
    assert Template.objects.get(name=SECOND).archived_at is not None
    assert browser("author").post("/several", {"act": "archive", "template": [REPLY]}).status_code == 422


def undo(client, act, *refs):
    answer = client.post("/several", {"act": act, "ref": refs, "undo": "1"})
    assert answer.url == "/t/support/"
    return read_html(client.get("/t/support/"))


def test_archived_ones_are_brought_back(both, browser):
    admin = browser("admin")
    fields = {"act": "archive", "template": both, "reason": "Old", "force": "on"}
    page = read_html(admin.post("/several", fields, follow=True))
    refs = [f"{template.name}@{template.latest.number}" for template in Template.objects.filter(name__in=both)]
    assert all(f'name="ref" value="{ref}"' in page for ref in refs)
    assert "Nothing was taken back." in undo(browser("author"), "archive", *refs)
    assert Template.objects.filter(name__in=both, archived_at=None).count() == 0
    assert "2 templates are as they were before." in undo(admin, "archive", *refs)
    assert Template.objects.filter(name__in=both, archived_at=None).count() == 2


def test_tags_are_taken_back_where_nobody_saved_since(both, browser):
    author, before = browser("author"), list_tags(REPLY)
    fields = {"act": "tag", "template": both, "add": "urgent"}
    page = read_html(author.post("/several", fields, follow=True))
    ref = f"{REPLY}@{Template.objects.get(name=REPLY).latest.number}"
    assert f'name="ref" value="{ref}"' in page
    assert "1 template is as it was before." in undo(author, "tag", ref)
    assert (list_tags(REPLY), list_tags(SECOND)) == (before, ["refunds", "urgent"])
    page = undo(author, "tag", ref)
    assert "Nothing was taken back." in page
    assert f"{REPLY}: v" in page
    assert "is not the newest version any more." in page


@pytest.mark.parametrize("ref", ["support/none@1", f"{REPLY}@x", "@", "\0"])
def test_an_undo_of_what_was_never_done_changes_nothing(both, browser, ref):
    before = Version.objects.count()
    answer = browser("author").post("/several", {"act": "tag", "ref": ref, "undo": "1"})
    assert answer.status_code in (302, 400, 422)
    assert Version.objects.count() == before


def test_templates_that_one_may_not_read_are_not_named(both, browser):
    page = read_html(browser("outsider").get("/several", {"act": "tag", "template": both}))
    assert "No template is chosen." in page
    assert REPLY not in page
