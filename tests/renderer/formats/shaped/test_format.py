"""Shaped documents: from a body and data to the texts of one or many prompts."""

import ast
from pathlib import Path
from typing import Any

import pytest

from promptuary import renderer
from promptuary.renderer.document.parser import parse_document
from promptuary.renderer.errors import DocumentError, InputError, LimitError
from promptuary.renderer.formats.shaped.format import Shaped, ShapedBody, rewrite_template

BEER = {"content": "Beer is old.[1]", "id": "b", "meta": {"title": "Beer", "year": 1842}}
TEA = {"content": "Tea\nhas leaves.", "id": "t", "meta": {"title": "Tea"}, "score": 0.5}
RFC = (
    "Cite with Document[number].\n"
    "{join(documents, '\\n', '\\nDocument[$idx]: $content', {'\\n': ' ', '[': '(', ']': ')'})} \n"
    " Question: {query}; Answer: "
)


def compiled(body: str, front: str = "", **functions: Any) -> ShapedBody:
    return Shaped().compile(parse_document(f"---\nformat: shaped\n{front}---\n{body}"), {}, functions)


def fill(body: str, **data: Any) -> list[str]:
    return [str(part.content) for (part,) in compiled(body).build_parts(data)]


def refusal(body: str, **data: Any) -> InputError:
    with pytest.raises(InputError) as caught:
        fill(body, **data)
    return caught.value


def mistake(body: str, front: str = "") -> DocumentError:
    with pytest.raises(DocumentError) as caught:
        compiled(body, front)
    return caught.value


def test_the_headline_example_gives_real_line_breaks():
    (prompt,) = fill(RFC, documents=[BEER, TEA], query="Which?")
    assert prompt == (
        "Cite with Document[number].\n"
        "\nDocument[1]: Beer is old.(1)\n\nDocument[2]: Tea has leaves. \n Question: Which?; Answer: "
    )


def test_the_headline_example_gives_the_same_with_line_breaks_inside_its_literals():
    assert fill(RFC.replace("\\n", "\n"), documents=[BEER, TEA], query="q") == fill(
        RFC, documents=[BEER, TEA], query="q"
    )


def test_a_value_is_shown_once_and_never_read_again():
    assert fill("{query}", query="{join(documents)} {{x}} \\n $content") == ["{join(documents)} {{x}} \\n $content"]


@pytest.mark.parametrize("value", ["\ttab\t", "a\r\nb", "\u2028", "'\"", "💧\u200d", "\\", "  "])
def test_a_value_keeps_every_character(value):
    assert fill("<{query}>", query=value) == [f"<{value}>"]


def test_join_needs_no_arguments_but_the_documents():
    assert fill("{join(documents)}", documents=[BEER, TEA]) == ["Beer is old.[1] Tea\nhas leaves."]


def test_join_takes_plain_texts_as_documents():
    assert fill("{join(documents, '; ', '$idx: $content')}", documents=["a", "b"]) == ["1: a; 2: b"]


def test_meta_that_is_not_text_is_shown_and_replaced_in_as_text():
    assert fill("{join(documents, '', '$year', {'1': 'I'})}", documents=[BEER]) == ["I842"]


def test_the_score_is_shown_where_the_document_has_one():
    assert fill("{join(documents, ',', '$score')}", documents=[BEER, TEA]) == [",0.5"]


def test_a_braced_placeholder_reaches_meta_too():
    assert fill("{join(documents, ',', '${title}s')}", documents=[BEER]) == ["Beers"]


def test_a_list_gives_a_prompt_for_each_item():
    assert fill("{query} {documents}", query="q", documents=[BEER, TEA]) == ["q Beer is old.[1]", "q Tea\nhas leaves."]


def test_to_list_gives_a_prompt_for_each_document():
    assert fill("{to_list(query)} / {join(documents, '+', '$id')}", query="q", documents=[BEER, TEA]) == ["q / b+t"] * 2


def test_to_list_takes_the_length_of_another_list_on_request():
    assert fill("{to_list(query, options)}", query="q", options=[1, 2, 3]) == ["q", "q", "q"]


def test_to_list_without_documents_is_one_prompt():
    assert fill("{to_list(query)}", query="q") == ["q"]


def test_to_list_of_a_list_is_that_list():
    assert fill("{to_list(query)}", query=["a", "b"], documents=["x"]) == ["a", "b"]


def test_an_empty_list_gives_no_prompt():
    assert fill("{documents}", documents=[]) == []


def test_lists_of_one_item_are_in_every_prompt():
    assert fill("{a}{b}", a=["x"], b=["1", "2"]) == ["x1", "x2"]


def test_unequal_lists_are_refused_by_name_and_number():
    error = refusal("{documents} {options}", documents=[BEER, TEA], options=["a", "b", "c"])
    assert "`{documents}` has 2, `{options}` has 3" in error.message
    assert error.line == 4


def test_too_many_prompts_are_refused():
    with pytest.raises(LimitError, match=r"1,001 prompts"):
        fill("{items}", items=["x"] * 1001)


def test_prompts_that_are_too_large_in_all_are_refused():
    with pytest.raises(LimitError, match="characters"):
        fill("{text}{items}", text="x" * 100_000, items=["y"] * 100)


def test_replacements_cannot_blow_up():
    swell = {chr(97 + n): chr(98 + n) * 50 for n in range(20)}
    with pytest.raises(LimitError, match="more than"):
        fill("{join(documents, '', '$content', swell)}", documents=["a"], swell=swell)


def test_a_missing_variable_is_named_with_its_place():
    error = refusal("first\n{other} {query}", other="x")
    assert (error.line, error.column, error.variable) == (5, 10, "query")


def test_wrong_data_for_a_function_names_the_input_and_the_place():
    error = refusal("{join(documents)}", documents=3)
    assert (error.line, error.column, error.path) == (4, 2, "documents")


def test_a_document_without_content_is_refused():
    assert "this item has neither" in refusal("{join(documents)}", documents=[{"text": "x"}]).message


def test_an_unknown_function_suggests_the_likely_one():
    assert "did you mean `join`?" in mistake("{joined(documents)}").message


def test_prompts_have_no_clock_function():
    assert "give the time as an input" in mistake("{current_datetime()}").message


def test_named_arguments_offer_their_rewriting():
    error = mistake("{join(documents, pattern=new_line+'$idx', str_replace={'a': 'b'})}")
    assert error.fix is not None
    assert error.fix.edits[0].text == "{join(documents, ' ', '\\n$idx', {'a': 'b'})}"


def test_the_rewriting_is_accepted():
    fixed = "{join(documents, ' ', '\\n$idx', {'a': 'b'})}"
    assert fill(fixed, documents=["x", "y"]) == ["\n1 \n2"]


def test_a_pattern_with_a_lone_dollar_is_refused_before_there_are_data():
    assert "write `$$`" in mistake("{join(documents, ' ', '$5 $content')}").message


def test_too_many_arguments_name_the_signature():
    assert "(value, like=None)" in mistake("{to_list(a, b, c)}").message


def test_a_syntax_error_is_on_its_line_with_its_cure():
    error = mistake("fine\nbad } here")
    assert (error.line, error.column) == (5, 5)
    assert error.fix is not None
    assert error.fix.edits[0].text == "}}"


def test_an_old_variable_offers_its_new_form():
    (problem,) = compiled("Answer $query now").find_problems()
    assert (problem.code, problem.line, problem.column, problem.end_column) == ("PT905", 4, 8, 14)
    assert problem.fix is not None
    assert problem.fix.edits[0].text == "{query}"


def test_an_old_variable_is_an_error_where_the_input_is_declared():
    front = "inputs: {query: {type: string}, x: {type: string}}\n"
    assert [p.severity for p in compiled("$query {x}", front).find_problems()] == ["error"]


def test_a_dollar_that_names_nothing_is_a_warning_next_to_fields():
    assert [p.severity for p in compiled("echo $HOME {query}").find_problems()] == ["warning"]


@pytest.mark.parametrize("text", ["costs $5", "$$query", "US$", "${query}"])
def test_other_dollars_are_left_alone(text):
    assert compiled(text + "{x}").find_problems() == []


def test_a_windows_path_is_questioned():
    (problem,) = compiled("Open C:\\new\\table.txt for {query}").find_problems()
    assert problem.fix is not None
    assert problem.fix.edits[0].text == "C:\\\\new\\\\table.txt"


def test_typed_line_breaks_between_sentences_are_not_questioned():
    assert compiled("One.\\nTwo: {query}\\n\\nThree").find_problems() == []


def test_the_used_names_are_the_inputs_and_no_functions_or_constants():
    assert compiled("{join(documents, new_line, p)} {query}").list_names() == {"documents", "p", "query"}


def test_a_declared_input_goes_before_the_constant_of_that_name():
    body = compiled("{tab}", "inputs: {tab: {type: string}}\n")
    assert body.list_names() == {"tab"}
    assert body.build_parts({"tab": "x"})[0][0].content == "x"


def test_documents_count_as_used_where_to_list_counts_them():
    front = "inputs: {query: {type: string}, documents: {type: array}}\n"
    assert compiled("{to_list(query)}", front).list_names() == {"query", "documents"}


def test_spans_say_which_field_printed_what():
    ((part,),) = compiled("ab {query}{'literal'}").build_parts({"query": "xyz"})
    assert [(s.start, s.end, s.expression, s.line, s.column) for s in part.spans] == [(3, 6, "query", 4, 4)]


def test_a_callers_function_can_be_called():
    body = compiled("{shout(query)}", shout=lambda text: text.upper())
    assert body.build_parts({"query": "hi"})[0][0].content == "HI"


def test_a_callers_function_that_fails_is_an_input_error_at_its_place():
    body = compiled("{fail(query)}", fail=lambda text: 1 / 0)
    with pytest.raises(InputError, match="`fail` cannot do this"):
        body.build_parts({"query": "hi"})


def test_sentences_of_documents_are_one_text_with_keys():
    assert fill("{document_sentences(documents)}", documents=["One. Two.", "Three."]) == [
        "0a. One.\n0b. Two.\n\n1a. Three."
    ]


def test_sentences_of_a_response_carry_letters():
    assert fill("{response_sentences(answer)}", answer="Yes. No!") == ["a. Yes.\nb. No!"]


def test_jinjas_braces_around_an_input_are_questioned():
    (problem,) = compiled("{{ query }} and {{other}}", "inputs: {query: {type: string}}\n").find_problems()
    assert (problem.code, problem.severity, problem.column, problem.end_column) == ("PT907", "warning", 1, 12)
    assert problem.fix is not None
    assert problem.fix.edits[0].text == "{query}"


def test_a_body_of_haystacks_own_is_rewritten_to_positions():
    body = "{{x}} {join(documents, delimiter=new_line, pattern=new_line+'$idx', str_replace={new_line: ' '})} {query}"
    assert rewrite_template(body) == "{{x}} {join(documents, new_line, '\\n$idx', {new_line: ' '})} {query}"
    assert fill(rewrite_template(body), documents=["a"], query="q") == ["{x} \n1 q"]


def test_a_body_that_cannot_be_read_is_not_rewritten():
    with pytest.raises(DocumentError):
        rewrite_template("{a.b}")


@pytest.mark.parametrize("module", ["ast", "format", "parser", "python_literals", "warnings"])
def test_nothing_here_can_evaluate_anything(module):
    tree = ast.parse((Path(renderer.__file__).parent / f"formats/shaped/{module}.py").read_text(encoding="utf-8"))
    called = {node.func.id for node in ast.walk(tree) if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)}
    imported = {alias.name for node in ast.walk(tree) if isinstance(node, ast.Import) for alias in node.names}
    assert not called & {"eval", "exec", "compile", "__import__", "getattr", "globals", "vars", "open"}
    assert not imported & {"ast", "importlib", "os", "subprocess", "sys"}
