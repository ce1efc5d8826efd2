"""Problem codes on pages link to the page that explains them."""

from tests.frontend.conftest import DOCUMENT, REPLY, read_html

LINK = 'href="/help/problems/{}" target="_blank"'


def test_the_problems_of_a_version_link_to_their_pages(desk, browser):
    desk.save('- name: question\n  content: "Hello {name}"\n')
    assert LINK.format("PT208") in read_html(browser("reader").get(f"/t/{REPLY}"))


def test_a_refused_save_links_to_the_pages_of_its_problems(reply, browser):
    sent = {"document": DOCUMENT + "- role: user\n", "samples": "{}", "base": "2", "message": "", "do": "save"}
    page = read_html(browser("author").post(f"/t/{REPLY}/-/edit", sent))
    assert LINK.format("PT302") in page


def test_a_failed_rendering_links_to_the_page_of_its_code(desk, browser):
    desk.save(samples={"first": {}})
    assert LINK.format("PT401") in read_html(browser("reader").get(f"/t/{REPLY}"))
