"""These prompters give the same results as LazyLLM's for the recorded cases, in the dialect of that version."""

import json
from pathlib import Path

import pytest

from promptuary.renderer.prompters import AlpacaPrompter, ChatPrompter, PrompterError

KINDS = {"alpaca": AlpacaPrompter, "chat": ChatPrompter}
RECORDS = [
    json.loads((Path(__file__).parent / f"lazyllm-{dialect}.json").read_text(encoding="utf-8"))
    for dialect in ("0.1.1", "0.1.2")
]
CASES = [
    pytest.param(record["versions"]["lazyllm"], case, form, id=f"{record['versions']['lazyllm']}-{number}-{form}")
    for record in RECORDS
    for number, case in enumerate(record["prompts"])
    for form in ("text", "messages")
]
RESPONSES = [
    pytest.param(record["versions"]["lazyllm"], case, id=f"{record['versions']['lazyllm']}-{number}")
    for record in RECORDS
    for number, case in enumerate(record["responses"])
]


def generate(dialect, case, form):
    prompter = KINDS[case["kind"]](**case["made"], dialect=dialect)
    return prompter.generate_prompt(**case["call"], return_dict=form == "messages")


@pytest.mark.parametrize(("dialect", "case", "form"), CASES)
def test_a_prompter_gives_what_lazyllms_gives(dialect, case, form):
    expected = case[form]
    if isinstance(expected, dict) and "error" in expected:
        with pytest.raises(PrompterError):
            generate(dialect, case, form)
    else:
        assert generate(dialect, case, form) == expected


@pytest.mark.parametrize(("dialect", "case"), RESPONSES)
def test_a_response_is_found_where_lazyllm_finds_it(dialect, case):
    prompter = KINDS[case["kind"]]("x", marks=case["marks"], dialect=dialect)
    assert prompter.get_response(case["output"], case["input"]) == case["response"]
