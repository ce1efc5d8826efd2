"""Format `parts`: Jinja that yields a YAML list of parts, as in Hermes and prompt-poet; `text` differs only at the end."""

from collections.abc import Callable, Mapping
from typing import Any

from promptuary.renderer.document.parser import Document
from promptuary.renderer.formats.jinja_body import Assembly, JinjaBody, compile_body
from promptuary.renderer.formats.parts.parser import Structure
from promptuary.renderer.formats.text import Whole
from promptuary.renderer.jinja import Sandbox

__all__ = ["ASSEMBLIES", "Jinja"]

ASSEMBLIES: Mapping[str, Callable[[Sandbox], Assembly]] = {"parts": Structure, "text": Whole}


class Jinja:
    """A format whose bodies are Jinja; what follows is in ASSEMBLIES."""

    def __init__(self, name: str) -> None:
        self.name = name

    def compile(
        self, document: Document, fragments: Mapping[str, str], functions: Mapping[str, Callable[..., Any]]
    ) -> JinjaBody:
        return compile_body(document, fragments, functions, ASSEMBLIES)
