"""Prompts as people paste them: many notations, literal braces, scripts, white space, lengths."""

from collections.abc import Mapping

__all__ = ["PROMPTS"]

PROMPTS: Mapping[str, str] = {
    "plain": "Summarise the following text in three lines.\nKeep names.\n",
    "json_example": 'Answer as JSON:\n{"name": "Ada", "tags": ["a", "b"], "nested": {"x": 1}}\nText: {text}\n',
    "json_double": 'Return {{"name": "value", "items": [{{"id": 1}}]}} for {question}\n',
    "json_mustache": 'Return {"name": "x", "o": {"p": {}}} for {{question}}\n',
    "xml": '<instructions>\nYou help.\n</instructions>\n<document index="1">{{ doc }}</document>\n<br/>\n',
    "fstring_fmt": "Hello {name!r:>10}, price {price:.2f}, {user[name]} {user.mail}\n",
    "fstring_pos": "Hello {} and {0}.\n",
    "mustache_sections": "{{#items}}\n- {{name}}\n{{/items}}\n{{^items}}none{{/items}}\n{{{raw}}}\n{{! note }}\n",
    "mustache_partial": "{{> header}}\nHi {{name}}\n",
    "handlebars": (
        "{{#if user}}Hi {{user.name}}{{else}}Hi{{/if}}\n{{#each items}}\n{{@index}}: {{this.title}}\n{{/each}}\n"
    ),
    "handlebars_helper": "{{#unless done}}go{{/unless}} {{uppercase name}} {{lookup map 'key'}}\n",
    "jinja": (
        "{% for m in messages %}{{ m.role }}: {{ m.content }}\n{% endfor %}{% if tone == 'warm' %}warm{% endif %}\n"
    ),
    "jinja_raw": "Use {% raw %}{{ placeholder }}{% endraw %} in templates. {{ name }}\n",
    "jinja_filters": "{{ items | join(', ') }} {{ name | upper }} {{ t | default('x') }} {{ d | tojson(indent=2) }}\n",
    "jinja_set": "{% set x = 3 %}{{ x }} {{ y }}{%- macro f(a) -%}[{{ a }}]{%- endmacro -%}{{ f(y) }}\n",
    "jinja_ns": "{% set ns = namespace(n=0) %}{% for i in items %}{% set ns.n = ns.n + 1 %}{% endfor %}{{ ns.n }}\n",
    "jinja_raise": (
        "{{ raise_exception('no') }}{{ bos_token }}{% for message in messages %}{{ message['content'] }}{% endfor %}\n"
    ),
    "jinja_broken": "Hello {{ name }\nand {% if x %} more\n",
    "jinja_open": "Use {{ to open and }} to close. {% too.\n",
    "latex": "Solve $\\frac{a}{b}$ and \\begin{align} x &= {{y}} \\end{align} \\textbf{bold}\n",
    "code_js": "```js\nconst s = `Hi ${name}`;\nfunction f() { return {a: 1}; }\n```\nExplain the code.\n",
    "code_py": '```python\nd = {k: v for k, v in x.items()}\nprint(f"{d!r}")\n```\nFix {code}\n',
    "code_vue": '```vue\n<div>{{ message }}</div>\n<li v-for="i in items">{{ i.name }}</li>\n```\nExplain.\n',
    "code_gha": "```yaml\nrun: echo ${{ github.sha }}\n```\nReview this workflow: {{ workflow }}\n",
    "code_go": "```go\ntmpl := `{{range .Items}}{{.Name}}{{end}}`\n```\n",
    "css": 'body { color: red; }\n.a::before { content: "{"; }\n@media (x) { .b {} }\n',
    "dollar": "Dear $name, your order ${order_id} costs $5 and $$.\n",
    "percent": "Hi %(name)s, you owe %s and 100%.\n",
    "angle": "Dear <name>, your [ORDER ID] is <<status>> and [[date]].\n",
    "chatml": (
        "<|im_start|>system\nBe brief.<|im_end|>\n<|im_start|>user\n{question}<|im_end|>\n<|im_start|>assistant\n"
    ),
    "llama": "<s>[INST] <<SYS>>\nBe brief.\n<</SYS>>\n\n{question} [/INST]",
    "llama3": (
        "<|begin_of_text|><|start_header_id|>system<|end_header_id|>\n"
        "\nBe brief.<|eot_id|><|start_header_id|>user<|end_header_id|>\n\n{q}<|eot_id|>"
    ),
    "alpaca": "### Instruction:\n{instruction}\n\n### Input:\n{input}\n\n### Response:\n",
    "human": "\n\nHuman: {question}\n\nAssistant:",
    "roles": "SYSTEM: You help.\nUSER: {question}\nASSISTANT:",
    "md_table": "| a | b |\n|---|---|\n| {{ x }} | \\| |\n\n# Title\n- [ ] task\n> quote\n---\nend\n",
    "front_like": "---\ntitle: My prompt\n---\nBody {{ x }}\n",
    "front_broken": "---\nNote: this: is not yaml: [\n---\nBody\n",
    "yaml_like": "name: greeter\nrole: You are kind\nrules:\n  - be short\n  - say {name}\n",
    "dash_list": "- name: keep this\n- role: also text\n- just a bullet\n",
    "hash": "# Role\n#not a heading\n## {{ title }}\n#} odd\n",
    "comment": "Text {# a comment #} more {{ x }}\n",
    "line_statement": "# for item in items\n% if x\n{{ item }}\n",
    "cjk": "你是客服。请用{{ 语言 }}回答:{question}\n",
    "arabic": "أنت مساعد. أجب عن {{ سؤال }}\n",
    "emoji": "👩‍👩‍👧 {{ name }} 🎉 café naïve \u200b zero\u00a0nbsp\n",
    "accents": "Répondez à {prénom} s’il vous plaît\n",
    "tabs": "\tIndented {{ a }}\n\t\tmore\n  \tmix\n",
    "ctrl": "bell \x07 esc \x1b[0m ff \x0c {{ a }}\n",
    "ls": "para\u2028sep\u2029 {{ a }} nel\x85x\n",
    "surrogate_ok": "𝒳 {{ a }}\n",
    "trailing": "text   \n\n\n  \n",
    "nonewline": "x",
    "space_only_lines": "  a {{ b }}\n \n   c\n",
    "leading_spaces": "    def f():\n        return {{ a }}\n  less\n",
    "long_line": "word " * 40000 + "{{ a }}\n",
    "many_lines": "".join(f"{i}. rule about {{{{ v{i % 7} }}}}\n" for i in range(3000)),
    "many_vars": " ".join(f"{{{{ v{i} }}}}" for i in range(300)) + "\n",
    "quotes": 'He said "{{ a }}" and \'{{ b }}\' and `{{ c }}` \\n \\\\ \\"\n',
    "colon": "key: value: {{ a }}: x\n? y\n! tag\n& anchor\n* alias\n@at\n%pct\n",
    "nested_braces": "{{{ a }}} {{ {'k': b}['k'] }} {{{{ c }}}} { {d} }\n",
    "dotted": "{{ user.profile.name }} {{ items[0].title }} {{ map['a b'] }}\n",
    "hyphen_var": "{{ user-name }} {{first name}} {{ 1st }} {{ class }} {{ for }}\n",
    "reserved": "{{ loop }} {{ self }} {{ range(3) | list }} {{ true }} {{ None }} {{ messages }}\n",
    "langsmith": 'Question: {question}\nThought:{agent_scratchpad}\nAction: {{"action": "Final"}}\n',
    "react": (
        'Use:\nThought: ...\nAction: the action, one of [{tool_names}]\nAction Input: {{"x": 1}}\nBegin!\n{input}\n'
    ),
    "dify": "{{#context#}} {{#sys.query#}} {{name}}\n",
    "kernel": "{{$input}} {{plugin.func $x}} {{ $history }}\n",
    "erb": "<%= name %> and <% if x %>y<% end %>\n",
    "liquid": "{% assign x = 'a' %}{{ x | upcase }} {% unless y %}z{% endunless %}\n",
    "include": "{% include 'header.txt' %}{% extends 'b' %}{{ x }}\n",
    "escape_seq": "\\{not\\} \\{{ x }} {{ '{{' }} {{ '}}' }}\n",
    "html": '<!doctype html><p class="a">{{ body }}</p><!-- {{ note }} --><script>let a={b:{c:1}};</script>\n',
    "sql": "SELECT * FROM t WHERE a = '{value}' AND b LIKE '%x%' -- {note}\n",
    "regex": "Match ^\\d{3,5}$ and {2} and \\p{L}{1,}\n",
    "openai": '[{"role":"system","content":"Be brief {{ x }}"},{"role":"user","content":"{question}"}]',
    "openai_obj": (
        '{"model":"gpt-4o","messages":[{"role":"user","content":[{"type":"text","text":"Hi {name}"}]}],"temperature":0}'
    ),
    "json_broken": '[{"role":"system","content":"Be brief"},\n{"role":"user" "content": 1}]',
    "json_other": '{"foo": 1, "bar": [1,2]}',
    "json_string": '"just a string {x}"',
    "url": "See https://x.test/a?b={c}&d={{ e }}#f\n",
    "ellipsis": "{...} {…} {{...}} {{ … }} {} {{}} { } {{ }}\n",
    "template_doc": "- name: a\n  role: system\n  content: Hi {{ x }}\n- name: b\n  content: |\n    y\n",
    "formulas": "Let $x$ and $y_1$ be real. Show \\frac{a}{b} \\le \\sqrt{ab}, then $$\\sum_{i=1}^{n} x_i$$.\n",
    "square": "Dear [[first name]], see [a link](https://x.test) and a[[0]].\n",
    "shell in a fence": '```sh\nfor f in $files; do echo "$f"; done\n```\nExplain to $reader.\n',
    "gemma": "<start_of_turn>user\n{question}<end_of_turn>\n<start_of_turn>model\n",
    "vicuna": "A chat. USER: {question} ASSISTANT:",
    "markdown": "# Task\n\n> Quote *this* and `{that}`.\n\n1. Say {name}\n   - nested\n\n***\n",
    "statement in prose": "Use {%- if you like -%} in text.\n",
    "trim": "a {{- b -}} c {%- if d -%} e {%- endif -%} f\n",
    "math": "f(x) = {x | x > 0}, {1, 2, 3}, |{a}|\n",
    "toml": '[tool]\nname = "x"\nv = {a = 1}\n',
    "ini_path": "C:\\Users\\{user}\\n and /home/{{ user }}\n",
    "colon_fmt": "{date:%Y-%m-%d} {x:>{width}} {y!s}\n",
}
