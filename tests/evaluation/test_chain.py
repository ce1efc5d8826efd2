"""Chains: wiring that is checked, slices, and the text form."""

import pytest

from promptuary import renderer
from promptuary.evaluation import Chain, ChainError, EchoModel, FunctionRunnable, TemplateRunnable


def parts():
    return {
        "clean": FunctionRunnable("clean", lambda text: {"text": text.strip()}),
        "count": FunctionRunnable("count", lambda text: {"words": len(text.split())}),
        "say": FunctionRunnable("say", lambda words, unit: {"answer": f"{words} {unit}"}),
    }


WIRES = {"count.text": "clean.text", "say.words": "count.words"}


def test_outputs_are_handed_along_the_wires():
    outputs = Chain(parts(), WIRES).run({"clean": {"text": " two words "}, "unit": "words"})
    assert outputs["say"] == {"answer": "2 words"}


def test_a_chain_is_read_from_text():
    wiring = "\n".join(f"  {target}: {source}" for target, source in WIRES.items())
    text = f"name: counting\ncomponents: [clean, count, say]\nwiring:\n{wiring}\n"
    assert Chain.from_yaml(text, parts()).digest == Chain(parts(), WIRES, name="counting").digest


def test_a_slice_takes_from_outside_what_came_from_before_it():
    middle = Chain(parts(), WIRES).slice("count", "say")
    assert list(middle.components) == ["count", "say"]
    assert middle.run({"count": {"text": "a b c"}, "unit": "words"})["say"] == {"answer": "3 words"}


@pytest.mark.parametrize(
    ("wires", "expected_text"),
    [
        ({"count.text": "wash.text"}, "wash"),
        ({"clean.text": "count.words"}, "does not run before"),
        ({"count.tekst": "clean.text"}, "takes text"),
        ({"count": "clean.text"}, "component.input"),
    ],
)
def test_a_wire_that_does_not_hold_is_refused_by_name(wires, expected_text):
    with pytest.raises(ChainError, match=expected_text):
        Chain(parts(), wires)


def test_an_output_that_did_not_come_is_named():
    chain = Chain(parts(), {"count.text": "clean.tidy"})
    with pytest.raises(ChainError, match=r"clean.tidy, but clean gave text"):
        chain.run({"clean": {"text": "x"}})


@pytest.mark.parametrize(
    ("text", "expected_text"),
    [
        ("components: [clean, wash]", "wash"),
        ("- clean", "mapping"),
        ("components: [clean]\nwires: {}", "wires"),
        ("components: [clean", "can't be read"),
    ],
)
def test_a_text_that_is_not_a_chain_is_refused(text, expected_text):
    with pytest.raises(ChainError, match=expected_text):
        Chain.from_yaml(text, parts())


COUNTED = """---
format: text
inputs: {words: {type: integer}, unit: {type: string}}
---
{{ words }} {{ unit }}
"""


def asking():
    step = TemplateRunnable(renderer.load(COUNTED), EchoModel(), name="say")
    return Chain({**parts(), "say": step}, WIRES)


def test_one_step_takes_another_runnable():
    shouting = FunctionRunnable("say", lambda words, unit: {"answer": f"{words} {unit}".upper()})
    chain = Chain(parts(), WIRES)
    other = chain.replace("say", shouting)
    assert other.run({"clean": {"text": "a b"}, "unit": "words"})["say"] == {"answer": "2 WORDS"}
    assert chain.run({"clean": {"text": "a b"}, "unit": "words"})["say"] == {"answer": "2 words"}


def test_a_runnable_that_its_wires_do_not_fit_is_refused():
    with pytest.raises(ChainError, match="takes number"):
        Chain(parts(), WIRES).replace("say", FunctionRunnable("say", lambda number: number))


def test_a_template_of_a_chain_takes_another_prompt_for_one_run():
    chain = asking()
    other = chain.with_prompts({"say": "I count {{ words }}."})
    inputs = {"clean": {"text": "a b"}, "unit": "words"}
    assert other.run(inputs)["say"]["reply"] == "I count 2."
    assert chain.run(inputs)["say"]["reply"].strip() == "2 words"
    assert other.digest != chain.digest
    assert other.definition["components"][2]["definition"]["prompt"] == "I count {{ words }}."


@pytest.mark.parametrize(("component", "expected_text"), [("count", "isn't a template"), ("sing", "isn't a component")])
def test_a_prompt_for_what_asks_no_template_is_refused(component, expected_text):
    with pytest.raises(ChainError, match=expected_text):
        asking().with_prompts({component: "x"})
