"""Go templates become Jinja if that is exact; otherwise the refusal names the line."""

import pytest

from promptuary.renderer.interop.imported import LossError
from promptuary.renderer.interop.pasted import read_pasted_prompt
from tests.renderer.interop.imports import list_differences, read_one, render_text

DATA = {
    "Role": "a clerk",
    "Items": [{"Name": "boots", "Price": 3}, {"Name": "hat", "Price": 4}],
    "Rows": [["a", "b"], ["c"]],
    "User": {"Name": "Ann"},
    "Vip": True,
    "Nothing": "",
}


@pytest.mark.parametrize(
    ("text", "rendered"),
    [
        ("You are {{.Role}}.", "You are a clerk."),
        ("{{range .Items}}\n- {{.Name}}{{end}}", "\n- boots\n- hat"),
        ("{{range $i, $x := .Items}}{{$i}}{{$x.Name}} {{$.Role}};{{end}}", "0boots a clerk;1hat a clerk;"),
        ("{{range $x := .Items}}{{$x.Price}}{{end}}", "34"),
        ("{{range .Rows}}{{range .}}{{.}},{{end}};{{end}}", "a,b,;c,;"),
        ("{{range .Nothing}}x{{else}}none{{end}}", "none"),
        ("{{if .Nothing}}a{{else if .Vip}}b{{else}}c{{end}}", "b"),
        ("{{if not .Nothing}}a{{end}}{{if and .Vip .Role}}b{{end}}", "ab"),
        ('{{if eq .Role "a clerk"}}yes{{end}}{{if ne .Role "x"}}!{{end}}', "yes!"),
        ("{{with .User}}Hi {{.Name}} of {{$.Role}}{{end}}", "Hi Ann of a clerk"),
        ("a {{- /* a note */ -}} b {{- if .Vip }} c {{ end -}} d", "ab c d"),
        ('{"x": {{.Role}}}', '{"x": a clerk}'),
    ],
)
def test_go_templates_become_jinja(text, rendered):
    template = read_one("pasted", text)
    assert render_text(template, **DATA) == rendered
    assert "<no value>" in list_differences(template)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("Hi {{.Name}}\n{{ $x = 3 }}", "line 2: .* is more than a field"),
        ("{{.Name}}\n{{if .A}}b", "line 2: .* has no `end`"),
        ("{{.Name}}{{end}}", "line 1: .* ends what is not open"),
        ("{{.Name}}\n{{$x := 3}}", "line 2: .* is more than a field"),
        ("{{.Name}} {{$x}}", "is more than a field"),
        ("{{.Name}} {{.}}", "all of the data; name its fields"),
        ('{{.Name}} {{template "x" .}}', "is more than a field"),
        ("{{range $i, $x := .A}}{{range .B}}{{$i}}{{end}}{{end}}", "is more than a field"),
    ],
)
def test_syntax_without_a_jinja_equivalent_is_refused_with_its_line(text, reason):
    with pytest.raises(LossError, match=reason):
        read_one("pasted", text)


def test_a_refused_go_template_is_kept_as_it_is():
    offer = read_pasted_prompt('{{ template "x" . }}{{ if .A }}x{{ end }}')
    assert offer is not None
    assert offer.reason.startswith("line 1: ")
    assert "{{ end }}" not in offer.body.replace("{{ '{{' }}", "<<")


def test_go_in_a_block_of_code_is_not_a_template():
    text = "Explain:\n```go\ntmpl := `{{range .Items}}{{.Name}}{{end}}`\n```"
    assert "for item" not in read_one("pasted", text).document
