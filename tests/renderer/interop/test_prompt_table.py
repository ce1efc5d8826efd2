"""Tables of prompts in CSV."""

import pytest

from promptuary.renderer.interop.imported import LossError
from promptuary.renderer.interop.reading import read_templates
from tests.renderer.interop.imports import list_differences, render_text

TABLE = (
    'act,prompt,for_devs\nLinux Terminal,"Act as a terminal, {{user}}.\nOnly ""output"".",TRUE\nGuide,Guide me,FALSE\n'
)


def test_each_row_is_a_template():
    terminal, guide = read_templates("prompts.csv", TABLE.encode())
    assert (terminal.name, guide.name) == ("prompts/linux-terminal", "prompts/guide")
    assert render_text(terminal, user="Ada") == 'Act as a terminal, Ada.\nOnly "output".'
    assert "columns that are left out: for_devs" in list_differences(terminal)


@pytest.mark.parametrize("delimiter", [",", ";", "\t"])
def test_the_delimiter_is_found_and_line_ends_may_be_those_of_windows(delimiter):
    content = f"\ufeffname{delimiter}prompt\r\na{delimiter}Hallo {{x}}\r\n"
    (template,) = read_templates("prompts.csv", content.encode())
    assert render_text(template, x="Welt") == "Hallo Welt"


def test_a_pasted_table_is_recognised_by_its_first_line():
    assert len(read_templates("pasted", TABLE.encode())) == 2
    prose = b"Write a prompt, please\nand more\n"
    assert [template.source_format for template in read_templates("pasted", prose)] == ["text"]


def test_rows_of_one_name_are_kept_apart_and_a_bad_row_is_named_with_its_line():
    content = 'name,prompt\na,One\na,Two\nb,"{% include ""x"" %}"\n'
    first, second = read_templates("prompts.csv", content.encode())
    assert render_text(first) == "One"
    assert render_text(second) == "Two"
    assert first.name != second.name
    assert "line 4: row 3 is left out" in list_differences(first)


@pytest.mark.parametrize(
    ("content", "why", "line"),
    [
        ("a,b\n1,2\n", "no column has one of these names", 1),
        ("name,prompt\na,b,c\n", "this row has 3 values", 2),
        ('name,prompt\na,"b\n', "isn't valid CSV", 2),
        ("name,prompt\n", "it has no rows", None),
    ],
)
def test_a_table_that_cannot_be_read_is_refused_with_its_line(content, why, line):
    with pytest.raises(LossError, match=why) as caught:
        read_templates("prompts.csv", content.encode())
    assert caught.value.line == line
