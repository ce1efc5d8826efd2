"""The fuzzer's initial inputs: documents shipped with the registry, and the keywords of its languages."""

from pathlib import Path

__all__ = ["write_corpus", "write_words"]

ROOT = Path(__file__).parents[2]
WORDS = (
    "---\n", "format: parts\n", "format: text\n", "format: shaped\n", "format: prompter\n", "inputs:\n",
    "token_limit: ", "reserve: ", "output:\n", "- name: ", "  role: user\n", "  content: ", "{{", "}}", "{%", "%}",
    "{#", "#}", "{% for ", " in ", "{% endfor %}", "{% if ", "{% elif ", "{% else %}", "{% endif %}", "{% set ",
    "{% macro ", "{% endmacro %}", "{% call ", "{% raw %}", "{% endraw %}", "fragment(", " | ", "loop.index", "range(",
    "join(", "documents", "$", "\\n", "&a ", "*a", "<<: ", "!!", "|-\n", "? ", "\r\n", "\x01", "\u2028", "\ufeff",
    "\u0301", "💧", "null", "true", "1e999", '"', "'", "\\ud800", "\\u0000", "-Infinity", "9007199254740993",
)  # fmt: skip
TEXTS = (
    "{join(documents, delimiter=new_line, pattern='$content', str_replace={'a': 'b'})}",
    "a {{b}} {documents} {query}",
    '{"a": [1, 2.5, -3e2, null, true, {"b": "\\ud83d\\ude00"}]}',
    "one\ntwo words\nthree\nfive!one\ntwo other words\nthree\nfour",
    "{% macro m(a, b=1) %}{{ a ~ b }}{% endmacro %}{% for x in xs if x %}{{ loop.index }}{{ m(x) }}{% endfor %}",
)  # fmt: skip


def write_corpus(folder: Path) -> None:
    """One file a document or text."""
    folder.mkdir(parents=True, exist_ok=True)
    documents = [path.read_text() for path in sorted((ROOT / "registry/starter").rglob("*.yml*"))]
    for number, text in enumerate([*documents, *TEXTS]):
        (folder / str(number)).write_bytes(text.encode())


def write_words(path: Path) -> None:
    """The dictionary that libFuzzer inserts words of: one quoted word a line."""
    lines = ("".join(f"\\x{byte:02x}" for byte in word.encode()) for word in WORDS)
    path.write_text("".join(f'"{line}"\n' for line in lines))
