"""The rendered prompt: its forms, its stamp, its JSON."""

import json

import pytest

from promptuary import renderer
from promptuary.renderer import errors
from promptuary.renderer.problems import Edit, Fix, Place, Problem

TEXT = """---
description: a test
settings: {temperature: 0.5}
token_limit: 50
reserve: 10
inputs:
  v: {type: string}
---
- name: s
  role: system
  content: be kind
- name: q
  truncation_priority: 1
  content: say {{ v }}
"""


@pytest.fixture
def prompt():
    return renderer.load(TEXT).render({"v": "hi there", "w": 1}, tokenizer=str.split)


def test_the_forms_of_a_prompt(prompt):
    assert prompt.messages == [{"role": "system", "content": "be kind"}, {"role": "user", "content": "say hi there"}]
    assert prompt.text == "be kindsay hi there"
    assert prompt.tokens == ["be", "kind", "say", "hi", "there"]
    assert prompt.token_count == len(prompt.tokens) == 5
    assert [part.token_count for part in prompt.parts] == [2, 3]


def test_a_prompt_has_the_settings_and_limits_of_the_document(prompt):
    assert (prompt.settings, prompt.token_limit, prompt.reserve, prompt.ignored) == (
        {"temperature": 0.5},
        50,
        10,
        ("w",),
    )
    assert prompt.tokenizer["name"] == "str.split"


@pytest.mark.parametrize("target", ["messages", "text", "tokens"])
def test_the_json_of_a_prompt(prompt, target):
    body = json.loads(json.dumps(prompt.to_dict(target)))
    assert body[target] == getattr(prompt, target)
    assert body["parts"][1]["spans"] == [
        {"start": 4, "end": 12, "expression": "v", "line": 14, "column": 16, "kind": "input"}
    ]
    assert [part["input_tokens"] for part in body["parts"]] == [0, 2]
    assert (body["token_count"], body["token_limit"], body["cut"], body["ignored"]) == (5, 50, [], ["w"])


def test_the_stamp_names_version_and_digests():
    bundle = {**renderer.load(TEXT).bundle(), "name": "a/b", "version": 3}
    template = renderer.from_bundle(bundle)
    stamp = template.render({"v": "x"}).stamp
    assert (stamp.name, stamp.version, stamp.digest, stamp.overridden) == ("a/b", 3, template.digest, False)
    assert stamp.rendered_digest != template.render({"v": "y"}).stamp.rendered_digest
    assert stamp.rendered_digest == template.render({"v": "x"}).stamp.rendered_digest


def test_an_overridden_prompt_carries_no_version():
    template = renderer.from_bundle({**renderer.load(TEXT).bundle(), "name": "a/b", "version": 3})
    prompt = template.render({"v": "x"}, prompt="- name: o\n  content: other {{ v }}\n")
    assert prompt.text == "other x"
    assert (prompt.stamp.overridden, prompt.stamp.name, prompt.stamp.version, prompt.stamp.digest) == (
        True,
        None,
        None,
        None,
    )


def test_rendering_changes_nothing():
    template, data = renderer.load(TEXT), {"v": "x"}
    first = template.render(data)
    assert template.render(data) == first
    assert data == {"v": "x"}


def test_a_limit_beyond_the_reserve_is_what_a_prompt_may_take():
    template = renderer.load(
        "---\nreserve: 4\n---\n- name: a\n  content: one\n- name: b\n  truncation_priority: 1\n  content: two three\n"
    )
    assert len(template.render({}, token_limit=7, tokenizer=str.split).parts) == 2
    assert len(template.render({}, token_limit=6, tokenizer=str.split).parts) == 1
    with pytest.raises(renderer.TruncationError):
        renderer.load("---\nreserve: 4\n---\n- name: a\n  content: one two\n").render(
            {}, token_limit=5, tokenizer=str.split
        )


@pytest.mark.parametrize(
    "error",
    [
        renderer.DocumentError("x", code="PT101", place=Place(2, 3)),
        renderer.InputError("x", code="PT402", path="a.b", variable="a"),
        renderer.TruncationError("x", protected=["p"], shortfall=3),
        renderer.LimitError("x"),
        renderer.FragmentError("x", fix=Fix("t", (Edit(1, 2, 3, 4, "y"),))),
        renderer.RenderError("x"),
    ],
)
def test_an_error_survives_a_process_border(error):
    again = errors.from_dict(json.loads(json.dumps(error.to_dict())))
    assert type(again) is type(error)
    assert (again.code, again.message, again.place, again.variable, again.fix) == (
        error.code,
        error.message,
        error.place,
        error.variable,
        error.fix,
    )
    assert getattr(again, "path", None) == getattr(error, "path", None)
    assert getattr(again, "shortfall", None) == getattr(error, "shortfall", None)


def test_a_problem_survives_its_json():
    problem = Problem("PT101", "note", "m", 1, 2, 3, 4, Fix("t", (Edit(1, 2, 3, 4, "y"),)), "v", "s")
    assert Problem.from_dict(json.loads(json.dumps(problem.to_dict()))) == problem


def test_an_error_reads_with_its_line():
    assert str(renderer.DocumentError("bad", place=Place(4, 2))) == "line 4: bad"


def test_every_public_name_exists():
    for name in renderer.__all__:
        assert getattr(renderer, name) is not None
    with pytest.raises(AttributeError, match="nothing"):
        renderer.nothing  # type: ignore[attr-defined]  # noqa: B018 -- the access is the test
