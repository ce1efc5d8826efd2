"""Any two versions side by side."""

from tests.frontend.conftest import DOCUMENT, OTHER, REPLY, read_html


def test_by_default_the_live_version_is_set_against_the_newest(reply, browser):
    page = read_html(browser("reader").get(f"/t/{REPLY}/-/diff"))
    assert "v1 to v2 on" in page
    assert "v1 to v2: 1 line added, 1 removed" in read_html(browser("reader").get(f"/t/{REPLY}/-/diff?view=source"))


def test_rendered_is_the_first_view_on_the_first_sample_that_reads_differently(reply, browser):
    shop = OTHER.replace("{{ shop }}", "{% if shop == 'Harbour Books' %}only {% endif %}{{ shop }}")
    reply.save(shop, message="Name the harbour")
    page = read_html(browser("reader").get(f"/t/{REPLY}/-/diff?from=2&to=3"))
    assert 'aria-current="true">Rendered</a>' in page
    assert '<option value="late" selected>' in page


def test_the_source_comes_first_where_the_model_reads_the_same_and_says_so(reply, browser):
    reply.save(OTHER.replace("Answer a refund question", "Answer refunds"), message="Describe it shorter")
    page = read_html(browser("reader").get(f"/t/{REPLY}/-/diff?from=2&to=3"))
    assert 'aria-current="true">Source</a>' in page
    assert "The model reads the same text on every sample. Showing the source." in page


def test_the_source_comes_first_where_there_are_no_samples_and_says_so(desk, browser):
    desk.save(name="support/bare")
    desk.save(OTHER, name="support/bare")
    page = read_html(browser("author").get("/t/support/bare/-/diff"))
    assert "v1 to v2: 1 line added, 1 removed" in page
    assert "No samples, so nothing to render. Showing the source." in page
    assert 'href="/t/support/bare/-/samples">Add a sample</a>' in page


def test_a_link_to_a_line_of_the_source_opens_the_source(reply, browser):
    page = read_html(browser("reader").get(f"/t/{REPLY}/-/diff?side=source&line=3"))
    assert 'aria-current="true">Source</a>' in page


def test_signs_and_words_say_what_colour_says(reply, browser):
    page = read_html(browser("reader").get(f"/t/{REPLY}/-/diff"))
    assert '<span aria-hidden="true">+</span><span class="visually-hidden">added: </span>' in page
    assert '<span aria-hidden="true">−</span><span class="visually-hidden">removed: </span>' in page
    assert "<ins>" in page
    assert "<del>" in page


def test_rendered_shows_what_the_model_would_read_on_a_sample(reply, browser):
    page = read_html(browser("reader").get(f"/t/{REPLY}/-/diff?view=rendered&sample=late"))
    assert 'You help <span class="value" title="shop, line 11">Harbour Books</span>. ' in page
    assert "late, 2 of 2</option>" in page
    assert "tokens, unchanged" in page


def test_inputs_that_one_side_does_not_take_are_left_out_and_named(reply, browser):
    reply.save(DOCUMENT.replace("  shop: {type: string, default: the shop}\n", "").replace("{{ shop }}", "people"))
    page = read_html(browser("reader").get(f"/t/{REPLY}/-/diff?from=1&to=3&view=rendered&sample=late"))
    assert "v3 does not take shop; it was left out there." in page


def test_the_same_version_twice_says_that_nothing_differs(reply, browser):
    assert "The two documents are identical." in read_html(browser("reader").get(f"/t/{REPLY}/-/diff?from=2&to=2"))


def test_htmx_gets_the_diff_alone(reply, browser):
    answer = browser("reader").get(f"/t/{REPLY}/-/diff", headers={"HX-Request": "true", "HX-Target": "diff"})
    assert read_html(answer).startswith('<section id="diff"')


def test_a_version_that_does_not_exist_is_shown(reply, browser):
    assert browser("reader").get(f"/t/{REPLY}/-/diff?from=9&to=1").status_code == 404


def test_the_history_marks_the_live_and_the_newest_for_comparison(reply, browser):
    page = read_html(browser("reader").get(f"/t/{REPLY}/-/versions"))
    assert 'name="from" value="1" checked' in page
    assert 'name="to" value="2" checked' in page
    assert "First words" in page
    assert "published by <b>author</b>" in page
