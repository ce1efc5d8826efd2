"""Validation findings of a document, with their places."""

import pytest

from promptuary import renderer

HEAD = "---\ninputs:\n  q: {type: string, maxLength: 100}\n---\n"


def found(text, samples=None, **options):
    return [(p.code, p.severity, p.line, p.column) for p in renderer.validate(text, samples, **options)]


def codes(text, samples=None, **options):
    return [p.code for p in renderer.validate(text, samples, **options)]


GOOD = HEAD + "- name: a\n  content: {{ q }}\n"


def test_a_sound_document_has_no_problems():
    assert found(GOOD, {"one": {"q": "x"}}) == []
    assert found("- name: a\n  content: b\n") == []
    assert found("---\nformat: text\n---\nx") == []


@pytest.mark.parametrize(
    ("body", "code", "line", "column"),
    [
        ("- name: a\n  content: {{ q \n", "PT201", 6, 12),
        ("- name: a\n  content: {% if q %}x\n", "PT201", 6, 12),
        ("- name: a\n  content: {{ q | nope }}\n", "PT205", 6, 19),
        ("- name: a\n  content: {{ q is nope }}\n", "PT205", 6, 17),
        ("- name: a\n  content: {{ nope(q) }}\n", "PT403", 6, 15),
        ("- name: a\n  content: {{ q | random }}\n", "PT203", 6, 19),
        ("- name: a\n  content: {{ q }}\n  rolle: x\n", "PT304", 7, 3),
        ("- name: a\n  content: {{ q }}\n  truncation_priority: '1'\n", "PT306", 7, 24),
        ("{{ q }}\n", "PT301", 5, 1),
        ("- name: a\n  content: {{ q }}: {{ q }}\n", "PT101", 6, 19),
        ("- name: a\n  content: {{ q }}\n  name: b\n", "PT102", 7, 3),
        ("{% import 'a/b@1' as x %}{{ q }}\n", "PT204", 5, 1),
        ("- name: a\n  content: {{ q ** q }}\n", "PT202", 6, 12),
        ("- name: a\n  content: {{ q }}{{ 'x' * 99999 }}\n", "PT202", 6, 19),
        (
            (
                "- name: a\n  content: {{ q }}{% for i in range(1000) %}{% for j in range(1000) %}{% endfor %}"
                "{% endfor %}\n"
            ),
            "PT202",
            6,
            45,
        ),
        ("- name: a\n  content: {{ q }}{{ " + "(" * 90 + "1" + ")" * 90 + " }}\n", "PT106", 6, 19),
        ("- name: a\n  content: {{ q }}{{ 1" + " + 1" * 90 + " }}\n", "PT106", 6, None),
        ("{{ q }}" * 11000, "PT106", 5, None),
    ],
)
def test_an_error_of_the_body_is_found_without_samples(body, code, line, column):
    problems = [p for p in renderer.validate(HEAD + body) if p.severity == "error"]
    assert code in [p.code for p in problems]
    problem = next(p for p in problems if p.code == code)
    assert problem.line == line
    assert column is None or problem.column == column


def test_undeclared_and_unused_inputs():
    text = HEAD + "- name: a\n  content: {{ other }} {{ other }}\n"
    assert found(text) == [("PT404", "warning", 3, 6), ("PT403", "error", 6, 15), ("PT403", "error", 6, 27)]


@pytest.mark.parametrize(
    "body",
    [
        "{% set x = q %}{{ x }}",
        "{% for x in q %}{{ x }}{{ loop.index }}{% endfor %}",
        "{% for x, y in q %}{{ x }}{{ y }}{% endfor %}",
        "{% macro m(x, y=q) %}{{ x }}{{ y }}{{ varargs }}{{ kwargs }}{% endmacro %}{{ m(1) }}",
        "{% with x = q %}{{ x }}{% endwith %}",
        "{% macro m() %}{{ caller(q) }}{% endmacro %}{% call(x) m() %}{{ x }}{% endcall %}",
        "{% if q %}{% set x = 1 %}{% else %}{% set x = 2 %}{% endif %}{{ x }}",
        "{% if q %}{% set x = 1 %}{% endif %}{{ x }}",
        "{% set ns = namespace(x=q) %}{% set ns.x = 2 %}{{ ns.x }}",
        "{{ range(3) | list }}{{ dict(a=q) }}{{ join([q]) }}{{ token_limit }}",
        "{% set x %}{{ q }}{% endset %}{{ x }}",
        "{{ q.anything.at_all }}",
    ],
)
def test_names_the_template_binds_are_not_inputs(body):
    assert not [p for p in renderer.validate(HEAD + "- name: a\n  content: '" + body + "'\n") if p.code == "PT403"]


@pytest.mark.parametrize(
    "body",
    [
        "{% for x in q %}{% endfor %}{{ x }}",
        "{% macro m(x) %}{% endmacro %}{{ x }}{{ q }}",
        "{% with x = q %}{% endwith %}{{ x }}",
    ],
)
def test_names_are_gone_outside_their_scope(body):
    assert [
        p.variable for p in renderer.validate(HEAD + "- name: a\n  content: '" + body + "'\n") if p.code == "PT403"
    ] == ["x"]


def test_a_sample_is_checked_and_rendered():
    samples: dict[str, dict[str, object]] = {
        "good": {"q": "x"},
        "long": {"q": "x" * 101},
        "none": {},
        "more": {"q": "x", "z": 1},
    }
    problems = {(p.code, p.severity, p.sample, p.variable) for p in renderer.validate(GOOD, samples)}
    assert problems == {
        ("PT402", "error", "long", "q"),
        ("PT401", "warning", "none", "q"),
        ("PT410", "warning", "more", "z"),
    }


@pytest.mark.parametrize(
    "text",
    [
        "---\nformat: {}\n---\n{}".format(*body)
        for body in [
            ("parts", "- name: a\n  content: {{ q }}"),
            ("text", "Say {{ q }}"),
            ("shaped", "Say {q}"),
            ("prompter", "kind: chat\ninstruction: Say {q}"),
        ]
    ],
)
def test_a_sample_that_lacks_a_value_is_a_warning_in_every_format(text):
    assert [(p.code, p.severity, p.sample) for p in renderer.validate(text, {"one": {}})] == [
        ("PT401", "warning", "one")
    ]
    declared = text.replace("---\n", "---\ninputs: {q: {type: string}}\n", 1)
    assert [(p.code, p.severity) for p in renderer.validate(declared, {"one": {}})] == [("PT401", "warning")]


def test_a_missing_value_hides_no_wrong_one():
    text = "---\ninputs: {a: {}, b: {type: string}, c: {}}\n---\n- name: a\n  content: {{ a }}{{ b }}{{ c }}\n"
    problems = [(p.code, p.severity, p.variable) for p in renderer.validate(text, {"one": {"b": 1}})]
    assert problems == [("PT401", "warning", "a"), ("PT402", "error", "b"), ("PT401", "warning", "c")]


def test_a_sample_that_fails_while_rendering_is_named_with_the_line():
    text = HEAD + "- name: a\n  content: {{ 1 // (q | length - 1) }}\n"
    (problem,) = [p for p in renderer.validate(text, {"one": {"q": "x"}}) if p.severity == "error"]
    assert (problem.sample, problem.line, problem.code) == ("one", 6, "PT206")


def test_a_sample_over_the_limit_is_an_error_and_one_that_is_cut_a_note():
    text = (
        "---\ntoken_limit: 5\ninputs: {q: {}}\n---\n- name: a\n  content: {{ q }}\n- name: b\n"
        "  truncation_priority: 1\n  content: one two three\n"
    )
    assert codes(text, {"x": {"q": "a b c d e f g h"}}) == ["PT603", "PT611"]
    assert codes(text, {"x": {"q": "a b c"}}) == ["PT601", "PT611"]


def test_the_worst_case_of_the_protected_parts_is_counted():
    text = "---\ntoken_limit: 50\ninputs:\n  q: {type: string, maxLength: %s}\n---\n- name: a\n  content: {{ q }}\n"
    assert codes(text % 60) == ["PT602"]
    assert codes(text % 40) == []
    assert codes(text % 60 + "  truncation_priority: 1\n") == []


def test_an_input_without_a_bound_is_noted_where_a_limit_is_declared():
    text = (
        "---\ntoken_limit: 500\ninputs:\n  q: {type: array, items: {type: string, maxLength: 3}}\n---\n"
        "- name: a\n  content: {{ q }}\n"
    )
    assert found(text) == [("PT611", "note", 4, 6)]


def test_limits_beyond_the_model_are_refused():
    text = "---\nmodel: gpt-4o\ntoken_limit: 99999999\n---\n- name: a\n  content: b\n"
    assert found(text) == [("PT607", "error", 3, 14)]
    text = "---\ntoken_limit: 10\nreserve: 10\n---\n- name: a\n  content: b\n"
    assert found(text) == [("PT606", "error", 3, 10)]


def test_an_unknown_profile_is_named_at_its_line():
    assert found("---\nprofile: nope\n---\n- name: a\n  content: b\n") == [("PT608", "error", 2, 10)]


def test_every_error_of_front_matter_and_body_is_reported_together():
    text = "---\ntoken_limit: x\ninputs:\n  q: {type: strin}\n---\n- name: a\n  content: {{ q | nope }}\n"
    assert codes(text) == ["PT105", "PT406", "PT205"]


@pytest.mark.parametrize(
    "secret",
    [
        "AKIA" + "IOSFODNN7EXAMPLE",
        "ghp_" + "a1B2" * 9,
        "sk-ant-" + "api03-" + "x9Y8" * 6,
        "sk-proj-" + "Ab3dEf6hIj9lMn2p" * 2,
        "xoxb-" + "123456789012-abcdefghijkl",
        "-----BEGIN RSA " + "PRIVATE KEY-----",
        "AIza" + "SyA1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6Q",
        "postgres://" + "app:hunter22@db.example/x",
        "eyJhbGciOiJIUzI1NiJ9." + "eyJzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmNHl0w5N",
    ],
)
def test_a_secret_is_refused_in_document_and_samples(secret):
    assert ("PT701", "error", 6, 16) in found(HEAD + f"- name: a\n  content: use {secret} {{{{ q }}}}\n")
    problems = renderer.validate(GOOD, {"s": {"q": f"key {secret}"}})
    assert [(p.code, p.sample, p.variable) for p in problems if p.code == "PT701"] == [("PT701", "s", "q")]


def test_a_text_that_only_looks_like_a_secret_is_a_warning():
    text = HEAD + "- name: a\n  content: 'api_key= 9f8A7b6C5d4E3f2A1b0C9d8E {{ q }}'\n"
    assert [(p.code, p.severity) for p in renderer.validate(text)] == [("PT701", "warning")]


@pytest.mark.parametrize(
    "text",
    [
        "the secret: be kind and patient always",
        "password: please-choose-something-long",
        "https://example.org/a:b",
        "sk-learn",
    ],
)
def test_plain_words_are_not_secrets(text):
    assert "PT701" not in codes(HEAD + f"- name: a\n  content: '{text} {{{{ q }}}}'\n")


@pytest.mark.parametrize("mark", ["<|im_start|>", "<|endoftext|>", "[INST]", "<start_of_turn>", "<<SYS>>"])
def test_control_marks_in_the_authors_text_are_pointed_out(mark):
    assert found(HEAD + f"- name: a\n  content: 'x {mark} {{{{ q }}}}'\n") == [("PT610", "warning", 6, 15)]


def test_the_kept_space_is_not_a_control_mark():
    assert found(HEAD + "- name: a\n  content: <|space|>x {{ q }}\n") == []


def test_duplicate_part_names_are_noted():
    assert codes(GOOD + "- name: a\n  content: c\n", {"s": {"q": "x"}}) == ["PT308"]


def test_duplicate_part_names_are_noted_without_a_sample():
    assert found(GOOD + "- name: a\n  content: c\n") == [("PT308", "note", 5, 1)]
    assert found("- name: a\n  content: b\n- name: a\n  content: c\n") == [("PT308", "note", 1, 1)]


@pytest.mark.parametrize(
    "body",
    [
        "{% for x in xs %}\n- name: a\n  content: '{{ x }}'\n{% endfor %}\n",
        "{% if x %}\n- name: a\n  content: b\n{% else %}\n- name: a\n  content: c\n{% endif %}\n",
        "- name: a\n  content: b\n- name: c\n  content: d\n",
    ],
)
def test_turns_of_a_loop_and_two_branches_may_share_a_name(body):
    assert "PT308" not in codes(body)


def test_a_fragment_that_cannot_be_found_is_placed():
    assert found(HEAD + "- name: a\n  content: {{ fragment('x/y@1') }} {{ q }}\n") == [("PT501", "error", 6, 12)]


@pytest.mark.parametrize(
    "text",
    [
        "",
        "---",
        "---\n---\n",
        "{",
        "\x00",
        "\ud800",
        "- " * 1000,
        "[" * 5000,
        "{{" * 100,
        "{% " * 100,
        "&a " * 50,
        "---\n- [\n---\n",
        "\u2028",
        "---\n? \n---\n",
    ],
)
def test_no_text_makes_validation_fail(text):
    assert isinstance(renderer.validate(text, {"s": {}}), list)


def test_problems_come_in_the_order_of_lines():
    text = HEAD + "- name: a\n  content: {{ b }}\n- name: c\n  content: {{ d }}\n"
    lines = [p.line for p in renderer.validate(text)]
    assert lines == sorted(lines)
