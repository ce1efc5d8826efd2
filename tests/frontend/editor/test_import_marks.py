"""The import page's marks in a pasted text, and its list of files."""

import io
import json
import re
import zipfile
from html import unescape

import pytest

from tests.frontend.conftest import read_html
from tests.frontend.editor.test_import import CHATML, show, upload


def marks_of(page):
    return json.loads(unescape(re.search(r'data-marks="([^"]*)"', page)[1]))


def test_placeholders_and_chat_markers_are_marked_once_each(desk, browser):
    marks = marks_of(read_html(show(browser("author"), text=CHATML)))
    assert marks == {"inputs": ["{order_id}", "{question}"], "markers": ["<|im_start|>", "<|im_end|>"]}


@pytest.mark.parametrize(
    ("text", "inputs"),
    [
        ("Say {{ customer.name }} to {{ shop }}.", ["{{ customer.name }}", "{{ shop }}"]),
        ("Say $name to $name.", ["$name"]),
        ("Say <<first name>>.", ["<<first name>>"]),
        ("{% for line in lines %}{{ line }}{% endfor %}", ["{% for line in lines %}", "{{ line }}", "{% endfor %}"]),
        ("No place at all.", []),
    ],
)
def test_placeholders_are_marked_as_they_are_written(desk, browser, text, inputs):
    marks = marks_of(read_html(show(browser("author"), text=text)))
    assert marks == {"inputs": inputs, "markers": []}


def test_nothing_is_marked_in_a_text_whose_braces_stay_text(desk, browser):
    marks = marks_of(read_html(show(browser("author"), text="Say {name}.", source_format="none")))
    assert marks == {"inputs": [], "markers": []}


def test_a_text_that_cannot_be_read_marks_nothing(desk, browser):
    marks = marks_of(read_html(show(browser("author"), text="{% if %}", source_format="jinja")))
    assert marks == {"inputs": [], "markers": []}


def test_a_marked_text_cannot_leave_its_attribute(desk, browser):
    page = read_html(show(browser("author"), text='Say {{ name|default("\'>"") }}.'))
    assert marks_of(page)["inputs"] == ['{{ name|default("\'>"") }}']


def test_the_files_of_a_zip_are_listed_with_what_came_of_each(desk, browser):
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr("good/reply.txt", "Answer {question}.")
        archive.writestr("bad/broken.json", "{")
    page = read_html(show(browser("author"), files=upload("prompts.zip", packed.getvalue())))
    listed = page[page.index('<ul class="import-files"') : page.index("</ul>", page.index('<ul class="import-files"'))]
    assert re.search(r"good/reply.txt</span> <span class=.note.> 1 template", listed)
    assert re.search(r"bad/broken.json</span> <span class=.bad.>.*can't be read", listed)


def test_a_single_file_needs_no_list(desk, browser):
    assert '<ul class="import-files"' not in read_html(show(browser("author"), files=upload("a.txt", "Hello.")))
