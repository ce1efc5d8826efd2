"""Authors' patterns: linear time, with Python's meaning; others are reported and limited."""

import re
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from promptuary import renderer
from promptuary.renderer.errors import InputError, OutputError
from promptuary.renderer.schemas import validation
from promptuary.renderer.schemas.fast_check import build_acceptor
from promptuary.renderer.syntax import regular_expressions
from promptuary.renderer.syntax.regular_expressions import PatternError, TooLong, compile_pattern

ATOMS = (
    r"a b \d \w \s \S \D \W [abc] [^a] [\w-] [\d.] [^\s] [\s\S] [\S] []a] [^]a] [[:a] (a|b) (?:ab)* "
    r"a+ b? a{2} a{,2} ^ \. \_"
)
ATOMS += r" \u00e9 é \x41 . \n \Z (?P<n>a) (a+)+ | [a-c] \A \/ { } [\]a] [\b] \t _"
TEXTS = st.text(alphabet="abcA1é_ \n\t-][:٣²\u3000./{2\x08\x1cà中", max_size=8)
SLOW = [r"^(a+)+$", r"^(a|aa)+$", r"(.*)*x", r"^([a-z]+\s?)*$", r"(a*)*b", r"^(\w+\s?)*!$"]
NOT_LINEAR = [r"(?=a)a", r"(?<!a)b", r"(a)\1", r"a{1001}", r"^.{0,2000}$", r"[\W_]", r"a*+", r"(?x) a"]


# Python warns that "[[" may mean a nested set one day; today it is the bracket itself, which is what is compared.
@pytest.mark.filterwarnings("ignore:Possible nested set:FutureWarning")
@given(st.lists(st.sampled_from(ATOMS.split(" ")), min_size=1, max_size=5).map("".join), TEXTS)
def test_a_linear_pattern_matches_as_python_does(source, text):
    try:
        pattern = compile_pattern(source)
    except PatternError:
        return
    if not pattern.is_linear:
        return
    expected, match = re.search(source, text), pattern.search(text)
    assert (expected and (expected.span(), expected.groups())) == (match and (match.span(), match.groups()))


@pytest.mark.parametrize("source", SLOW)
def test_a_pattern_that_backtracking_takes_years_for_takes_less_than_a_second(source):
    pattern = compile_pattern(source)
    assert pattern.is_linear
    began = time.process_time()
    pattern.search("a" * 200_000 + "!x")
    assert time.process_time() - began < 1


@pytest.mark.parametrize("source", NOT_LINEAR)
def test_a_nonlinear_pattern_has_a_reason_and_refuses_long_texts(source):
    pattern = compile_pattern(source)
    assert pattern.reason
    pattern.search("a" * 1_000)
    with pytest.raises(TooLong, match="1,001 characters"):
        pattern.search("a" * 1_001)


def test_the_end_is_the_end_even_before_a_newline():
    assert compile_pattern("^a$").search("a\n") is None


def test_half_of_a_surrogate_pair_is_looked_at_as_any_character():
    assert compile_pattern("^a.b$").search("a\ud800b")


@pytest.mark.parametrize("source", ["(", "[a", "*", r"\p{L}", "a" * 10_001, "(" * 5_000 + ")" * 5_000])
def test_something_that_is_not_a_pattern_is_refused(source):
    with pytest.raises(PatternError):
        compile_pattern(source)


def document(schema):
    return f"---\nformat: text\ninputs:\n  a: {schema}\n---\n{{{{ a }}}}\n"


@pytest.mark.parametrize(
    ("schema", "data"),
    [
        ("{type: string, pattern: '^(a+)+$'}", "a" * 100_000 + "!"),
        ("{type: object, patternProperties: {'^(a+)+$': {type: integer}}}", {"a" * 100_000: "x"}),
        ("{type: object, patternProperties: {'^(a+)+$': {}}, additionalProperties: false}", {"a" * 50_000 + "!": 1}),
        ("{type: object, propertyNames: {pattern: '^(a+)+$'}}", {"a" * 50_000 + "!": 1}),
        ("{anyOf: [{pattern: '^(a+)+$'}, {$ref: '#/$defs/b'}], $defs: {b: {pattern: '^(b+)+$'}}}", "a" * 50_000 + "!"),
        ("{type: array, uniqueItems: true}", [{"n": n} for n in range(20_000)] + ["x", 1, {"n": 1}]),
    ],
)
def test_data_cannot_hold_up_a_service_by_a_pattern(schema, data):
    template = renderer.load(document(schema))
    began = time.process_time()
    with pytest.raises(InputError) as caught:
        template.render({"a": data})
    assert time.process_time() - began < 1.5
    assert caught.value.path.startswith("a")


def test_a_pattern_that_is_not_linear_is_a_warning_at_a_save_and_limits_the_client():
    text = document("{type: string, pattern: '^(?=a)a*$'}")
    (problem,) = [found for found in renderer.validate(text) if found.code == "PT412"]
    assert (problem.severity, problem.line, problem.variable) == ("warning", 4, "a")
    template = renderer.load(text)
    assert template.render({"a": "a" * 1_000}).text
    with pytest.raises(InputError, match="1,001 characters") as caught:
        template.render({"a": "a" * 1_001})
    assert caught.value.path == "a"


@pytest.mark.parametrize(
    "schema", ["{type: string, pattern: '^[a-z]+$'}", "{type: object, properties: {pattern: {type: string}}}"]
)
def test_a_linear_pattern_gives_no_warning(schema):
    assert "PT412" not in [found.code for found in renderer.validate(document(schema))]


def test_the_schema_of_the_output_is_warned_of_and_bounded_too():
    text = "---\nformat: text\noutput: {schema: {type: object, properties: {b: {pattern: '(a)\\1'}}}}\n---\nx\n"
    assert ("PT412", 3) in [(found.code, found.line) for found in renderer.validate(text)]
    with pytest.raises(OutputError, match="1,002 characters"):
        renderer.load(text).read('{"b": "' + "a" * 1_002 + '"}')
    linear = renderer.load(text.replace("(a)\\1", "^(a+)+$"))
    began = time.process_time()
    with pytest.raises(OutputError):
        linear.read('{"b": "' + "a" * 100_000 + '!"}')
    assert time.process_time() - began < 1


@pytest.mark.parametrize("argument", ["pattern", "reference_pattern"])
def test_the_patterns_of_output_shapers_are_linear(argument):
    shaper = f"{{func: strings_to_answers, params: {{{argument}: '^(a+)+$'}}, outputs: [answers]}}"
    template = renderer.load(f"---\nformat: text\noutput: {{shapers: [{shaper}]}}\n---\nx\n")
    began = time.process_time()
    template.read("a" * 100_000 + "!", {"documents": [{"content": "x"}]})
    assert time.process_time() - began < 1


def test_the_quick_check_leaves_patterns_to_the_whole_one():
    assert build_acceptor({"type": "string", "pattern": "^a$"}) is None


def test_a_part_of_a_schema_cannot_choose_rules_of_its_own():
    schema = {"properties": {"a": {"$schema": "http://json-schema.org/draft-07/schema#", "pattern": "(?=a)"}}}
    assert "1,001" in validation.find_best_error(schema, {"a": "b" * 1_001}).message


@pytest.mark.parametrize(
    "schema", [{"required": 5}, {"type": "nothing"}, {"$ref": "#/nowhere"}, {"pattern": "("}, {"multipleOf": 0}]
)
def test_an_unsound_schema_raises_a_typed_error(schema):
    with pytest.raises(validation.Unusable):
        list(
            validation.find_errors(
                schema, {"required": 1} if "required" in schema else "a" if "pattern" in schema else 3
            )
        )


def test_numbers_are_equal_as_json_schema_has_it():
    assert validation.find_best_error({"uniqueItems": True}, [1, True, "1", [1], {"a": 1}]) is None
    assert validation.find_best_error({"uniqueItems": True}, [{"a": [1]}, {"a": [1.0]}]) is not None


def test_few_patterns_are_kept():
    assert regular_expressions.compile_pattern.cache_info().maxsize == 256
