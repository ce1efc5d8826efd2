"""Finding a template."""

import re

import pytest

from frontend.browse.match_marks import compile_text_pattern, mark_words
from registry.templates import archive, rename
from tests.frontend.conftest import DOCUMENT, REPLY, read_html


def test_the_list_shows_what_is_live_and_what_is_ahead_of_it(reply, browser):
    page = read_html(browser("reader").get("/t/"))
    assert "<b>reply</b>" in page
    assert "Answer a refund question" in page
    assert "<b>v1</b>" in page
    assert "<b>+1</b>" in page


def test_folders_open_on_the_way_to_the_one_shown(reply, browser):
    page = read_html(browser("reader").get("/t/support/refunds/"))
    assert '<a class="tree-row" href="/t/support/refunds/" aria-current="page">' in page
    assert "1 template" in page


def test_words_tags_and_labels_narrow_the_list(reply, browser):
    client = browser("reader")
    for found in ("q=quote", "tag=refunds", "label=production", "q=tag:refunds+quote"):
        assert "<b>reply</b>" in read_html(client.get(f"/t/?{found}")), found
    for missed in ("q=parcel", "tag=delivery", "label=staging"):
        assert "Nothing matches." in read_html(client.get(f"/t/?{missed}")), missed


def test_a_filter_typed_among_the_words_becomes_a_filter_that_can_be_taken_away(reply, browser):
    page = read_html(browser("reader").get("/t/?q=tag:refunds+quote"))
    assert 'href="?q=quote" title="Remove this filter">tag:refunds' in page
    assert '<input type="hidden" name="tag" value="refunds">' in page


def test_matches_are_marked_in_names_and_in_the_line_of_the_text(reply, browser):
    client = browser("reader")
    assert "<b><mark>repl</mark>y</b>" in read_html(client.get("/t/?q=repl"))
    page = read_html(client.get("/t/?q=quote"))
    assert "list-line" in page
    assert "<mark>quote</mark>" in page.lower()


def test_a_figure_is_marked_as_a_whole_and_words_of_a_text_where_they_begin(reply, desk, browser):
    document = "---\nsettings: {temperature: 0, max_tokens: 5000}\n---\n- name: a\n  content: Pay 0.50 of 100.50 now.\n"
    desk.save(document, name="support/fees")
    page = read_html(browser("reader").get("/t/?q=0.50"))
    assert "Pay <mark>0.50</mark> of 100.<mark>50</mark> now." in page
    page = read_html(browser("reader").get("/t/?q=max_tok+50"))
    assert "<mark>max_tok</mark>ens: <mark>50</mark>00" in page


def test_words_of_a_script_without_spaces_are_marked_inside_a_text():
    pieces = mark_words("请按规则退款", compile_text_pattern("规则"))
    assert [(piece.text, piece.marked) for piece in pieces] == [("请按", False), ("规则", True), ("退款", False)]


def test_a_filter_that_there_is_not_is_named(reply, browser):
    assert "There is no filter <b>colour:</b>" in read_html(browser("reader").get("/t/?q=colour:red"))


def test_where_nothing_is_found_the_nearest_word_and_value_are_offered(reply, browser):
    client = browser("reader")
    assert '<a href="?q=refunds">refunds</a>' in read_html(client.get("/t/?q=refnds"))
    assert '<a href="?tag=refunds">tag:refunds</a>' in read_html(client.get("/t/?tag=refnds"))


def test_the_last_change_comes_first_when_asked(reply, desk, browser):
    desk.save(DOCUMENT, name="demo/newer")
    client = browser("reader")
    by_name, by_change = read_html(client.get("/t/")), read_html(client.get("/t/?sort=changed"))
    assert by_name.index("<b>newer</b>") < by_name.index("<b>reply</b>")
    assert by_change.index("<b>newer</b>") < by_change.index("<b>reply</b>")
    desk.save(DOCUMENT.replace("quote", "cite"), name="support/refunds/reply")
    by_change = read_html(client.get("/t/?sort=changed"))
    assert by_change.index("<b>reply</b>") < by_change.index("<b>newer</b>")


def test_an_order_that_there_is_not_is_by_name(reply, browser):
    assert "By name" in read_html(browser("reader").get("/t/?sort=size"))


def test_archived_templates_are_a_list_of_their_own(reply, browser):
    assert "Nothing is archived." in read_html(browser("reader").get("/t/?archived=1"))


def test_htmx_gets_the_list_alone(reply, browser):
    answer = browser("reader").get("/t/", headers={"HX-Request": "true", "HX-Target": "templates"})
    page = read_html(answer)
    assert page.startswith('<div id="templates"')
    assert 'data-status="1 template shown"' in page
    assert "HX-Request" in answer["Vary"]


def test_more_than_a_page_of_templates_goes_on(desk, browser):
    for number in range(51):
        desk.save(DOCUMENT, name=f"demo/number-{number:02}")
    client = browser("reader")
    first = client.get("/t/demo/")
    assert "Show the next 50" in read_html(first)
    assert "number-50" not in read_html(first)
    assert "number-50" in read_html(client.get("/t/demo/" + first.context["next_url"]))


def test_an_outsider_sees_neither_the_folder_nor_its_templates(reply, browser):
    client = browser("outsider")
    assert "reply" not in read_html(client.get("/t/"))
    assert client.get("/t/support/").status_code == 404


def test_only_who_may_write_is_offered_a_new_template(reply, browser):
    assert "New template" in read_html(browser("author").get("/t/support/"))
    assert "New template" not in read_html(browser("reader").get("/t/support/"))


def test_an_empty_namespace_says_what_to_do(desk, browser):
    assert "No templates in demo yet." in read_html(browser("author").get("/t/demo/"))


def test_a_broken_cursor_is_refused_with_a_sentence(reply, browser):
    answer = browser("reader").get("/t/?cursor=nonsense")
    assert answer.status_code == 422
    assert "this cursor" in read_html(answer)


def test_the_tree_names_the_templates_of_the_open_folder(reply, browser):
    page = read_html(browser("author").get("/t/support/refunds/"))
    leaf = '<a class="tree-row tree-leaf" href="/t/support/refunds/reply"><span class="cut">reply</span></a>'
    assert page.count(leaf) == 2  # beside the list, and above it on a phone
    assert "tree-leaf" not in read_html(browser("author").get("/t/"))


def test_folders_are_shown_as_one_list_and_it_is_remembered_per_person(reply, browser):
    client = browser("author")
    flat = '<span class="cut">support/refunds</span>'
    assert flat not in read_html(client.get("/t/support/refunds/"))
    assert flat in read_html(client.get("/t/support/refunds/?folders=flat"))
    page = read_html(client.get("/t/"))
    assert flat in page
    assert "tree-leaf" not in page
    assert flat in read_html(browser("author").get("/t/")), "in another browser too"
    assert flat not in read_html(browser("reviewer").get("/t/"))
    assert flat in read_html(client.get("/t/?folders=sideways")), "an unknown layout changes nothing"
    assert flat not in read_html(client.get("/t/?folders=tree"))
    assert flat not in read_html(browser("author").get("/t/"))


def test_a_fragment_says_so_and_in_how_many_templates_it_is(desk, browser):
    desk.save("---\nformat: text\n---\nBe kind.", name="support/tone")
    for name in ("support/one", "support/two"):
        desk.save('- name: a\n  content: |\n    {{ fragment("support/tone@1") }}\n', name=name)
    page = read_html(browser("reader").get("/t/support/"))
    assert page.count('<span class="badge">Fragment</span>') == 1
    assert "in 2 templates" in page
    archive.archive_template(actor=desk.actor("admin"), name="support/two", reason="Not used.")
    rename.rename_template(actor=desk.actor("admin"), name="support/tone", to="support/voice")
    page = read_html(browser("reader").get("/t/support/"))
    assert re.search(r"in 1 template\b", page), "archived ones don't count, and a fragment is found by its former name"


def test_rows_lead_to_the_editor_and_the_proposal_by_keys_for_those_who_may_write(reply, browser):
    page = read_html(browser("author").get("/t/"))
    assert f'data-on-e="/t/{REPLY}/-/edit#text"' in page
    assert f'data-on-c="/t/{REPLY}/-/propose"' in page
    assert "data-on-" not in read_html(browser("reader").get("/t/"))


@pytest.mark.parametrize(
    ("address", "meant"),
    [
        ("/t/suport/", '<a href="/t/support/">support</a>?'),
        ("/t/support/refnds/", '<a href="/t/support/refunds/">support/refunds</a>?'),
        ("/t/support/refunds/replly", '<a href="/t/?q=reply">reply</a>?'),
    ],
)
def test_a_mistyped_address_is_answered_with_the_nearest_name(reply, browser, address, meant):
    answer = browser("reader").get(address)
    assert answer.status_code == 404
    assert f"Did you mean {meant}" in read_html(answer)
    assert "Did you mean" not in read_html(browser("outsider").get(address)), "names of others stay unknown"


def test_an_address_that_is_like_no_name_has_no_suggestion(reply, browser):
    assert "Did you mean" not in read_html(browser("reader").get("/t/zzz/"))
