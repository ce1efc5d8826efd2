"""Rendering a prompt with missing values."""

import pytest

from promptuary import renderer
from promptuary.renderer.errors import InputError
from promptuary.renderer.validation.placeholder_preview import render_with_placeholders

HEAD = "---\nformat: text\n{inputs}---\n{body}"


def _rendered(body: str, inputs: str = "", **data) -> tuple[str, list[str]]:
    template = renderer.load(HEAD.format(inputs=f"inputs:\n{inputs}" if inputs else "", body=body))
    prompts, placeholders = render_with_placeholders(template, data)
    return prompts[0].text, placeholders


def test_a_missing_value_reads_as_its_name_in_brackets():
    assert _rendered("Write to {{ customer.name }}.") == ("Write to [customer.name].", ["customer.name"])


def test_values_that_are_given_stay():
    assert _rendered("{{ a }}, {{ b }}", a="yes") == ("yes, [b]", ["b"])


def test_a_missing_list_has_two_items():
    text, _ = _rendered("{% for item in items %}- {{ item }}\n{% endfor %}")
    assert text == "- [items, first]\n- [items, second]\n"


def test_a_missing_role_is_one_that_a_part_can_have():
    part = "- name: turn {{ loop.index }}\n  role: '{{ turn.role }}'\n  content: '{{ turn.text }}'\n"
    template = renderer.load(f"{{% for turn in turns %}}\n{part}{{% endfor %}}\n")
    prompts, placeholders = render_with_placeholders(template, {})
    assert [part.role for part in prompts[0].parts] == ["user", "user"]
    assert placeholders == ["turns, first.text", "turns, second.text"]


def test_a_missing_number_can_be_calculated_with():
    assert _rendered("{{ count + 1 }}") == ("2", ["count"])
    assert _rendered("{{ '%.2f'|format(price) }}, {{ '{:,}'.format(count) }}") == ("1.00, 1", ["price", "count"])


def test_a_condition_on_a_missing_value_holds():
    assert _rendered("{% if is_gift %}Wrap it.{% endif %}")[0] == "Wrap it."


def test_declared_limits_do_not_bind_a_placeholder():
    assert _rendered("{{ tone }}", "  tone: {type: string, enum: [formal, warm]}\n")[0] == "[tone]"


def test_defaults_are_used():
    assert _rendered("{{ tone }}", "  tone: {type: string, default: warm}\n") == ("warm", [])
    assert _rendered("{{ tone | default('warm') }}") == ("warm", [])


def test_a_group_that_is_given_in_part_is_completed():
    text, _ = _rendered("{{ customer.name }} of {{ customer.city }}", customer={"name": "Ada"})
    assert text == "Ada of [customer.city]"


def test_a_given_value_of_the_wrong_type_is_refused():
    with pytest.raises(InputError, match="tone"):
        _rendered("{{ tone }}", "  tone: {type: string}\n", tone=3)
