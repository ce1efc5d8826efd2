"""Promptuary against recorded results of prompt-poet (record_prompt_poet.py), and live if it is installed."""

import importlib
import importlib.util
import json
from pathlib import Path

import pytest

from promptuary import renderer

RECORDED = json.loads((Path(__file__).parent / "prompt_poet.json").read_text(encoding="utf-8"))
CASES = RECORDED["cases"]


def outcome(case):
    try:
        template = renderer.load(case["template"])
        prompt = template.render(
            case.get("data", {}),
            tokenizer=str.split,
            token_limit=case.get("limit", -1),
            truncation_step=case.get("step", 1),
        )
    except renderer.RenderError as error:
        return {"error": type(error).__name__}
    if case.get("messages_only"):
        return {"messages": prompt.messages}
    return {
        "parts": [[part.name, part.role, part.content, part.truncation_priority] for part in prompt.parts],
        "text": prompt.text,
        "messages": prompt.messages,
        "tokens": prompt.tokens,
    }


@pytest.mark.parametrize("name", CASES)
def test_prompts_are_those_of_prompt_poet(name):
    expected, found = CASES[name]["outcome"], outcome(CASES[name])
    if "error" in expected:
        assert "error" in found
    else:
        assert found == expected


@pytest.mark.skipif(importlib.util.find_spec("prompt_poet") is None, reason="prompt-poet is not installed here")
def test_the_recorded_results_still_hold():
    recorder = importlib.import_module("tests.oracles.record_prompt_poet")
    assert {name: recorder.outcome(case) for name, case in CASES.items()} == {
        name: case["outcome"] for name, case in CASES.items()
    }
