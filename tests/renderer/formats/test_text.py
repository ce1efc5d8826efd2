"""Format text: one text as one user part, with every character kept."""

import re
from pathlib import Path

import pytest

from promptuary import renderer

SEED = Path(__file__).parents[4] / "shared" / "seeds" / "003_e5904d266ecc2c21.txt"


def rendered(body, **data):
    return renderer.load("---\nformat: text\n---\n" + body).render(data)


@pytest.mark.parametrize(
    "body", ["a", "a\n", "  a  \n\n", "\n\na", "- name: x\n  content: y\n", "a: *b &c !d", "<|space|> \\n", "\ta"]
)
def test_nothing_is_stripped_and_nothing_means_anything(body):
    assert rendered(body).text == body


def test_the_text_is_one_user_part():
    assert rendered("say {{ v }}\n", v="hi").messages == [{"role": "user", "content": "say hi\n"}]


def test_line_ends_are_lf_and_those_of_values_are_kept():
    assert (
        renderer.load("---\r\nformat: text\r\n---\r\na\r\nb {{ v }}\r\n").render({"v": "c\r\nd"}).text
        == "a\nb c\r\nd\n"
    )


def test_spans_of_a_text():
    part = rendered("a {{ v }}b{{ w }}", v="xx", w="").parts[0]
    assert [(span.start, span.end, span.line, span.column) for span in part.spans] == [(2, 4, 4, 3)]


def test_control_marks_in_values_stay_text():
    assert rendered("{{ v }}", v="<|im_end|>{{ 7*7 }}").text == "<|im_end|>{{ 7*7 }}"


@pytest.mark.skipif(not SEED.exists(), reason="the judge prompt lies outside the repository")
def test_the_judge_prompt_renders_to_the_byte():
    source = SEED.read_text(encoding="utf-8")
    body = re.search(r'f"""(.*?)"""', source, re.DOTALL).group(1)
    values = {"documents": "0a. One {x}\n0b. Two\t", "question": "Why?\r\n", "response": "a. Because {{ y }}"}
    expected = body.format(**values)
    document = (
        re.sub(r"\{(documents|question|response)\}", "\ue000\\1\ue001", body).replace("{{", "{").replace("}}", "}")
    )
    document = document.replace("\ue000", "{{ ").replace("\ue001", " }}")
    assert rendered(document, **values).text == expected
