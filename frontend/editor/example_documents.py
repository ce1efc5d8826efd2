"""Example documents to start a new template from: one for each format, with a sample."""

from dataclasses import dataclass
from typing import Any

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy

from registry.starter import starter_documents

__all__ = ["EXAMPLES", "Example", "example_values"]


@dataclass(frozen=True)
class Example:
    """A first document and its samples; `about` is the sentence beside the choice."""

    key: str
    title: str | Promise
    about: str | Promise
    document: str
    samples: dict[str, dict[str, Any]]


PARTS = """\
---
description: Answer a question from excerpts, citing them
format: parts
inputs:
  excerpts: {type: array, items: {type: string}, untrusted: true}
  question: {type: string, maxLength: 4000, untrusted: true}
---
- name: instructions
  role: system
  content: |
    Answer from the excerpts alone, and name the number of each one you use.
{% for excerpt in excerpts %}
- name: excerpt {{ loop.index }}
  role: user
  truncation_priority: 1
  content: "[{{ loop.index }}] {{ excerpt }}"
{% endfor %}
- name: question
  role: user
  content: |
    {{ question }}
"""
TEXT = """\
---
description: Shorten a text to three sentences
format: text
inputs:
  text: {type: string, untrusted: true}
---
Shorten this text to three sentences. Keep names and figures.

{{ text }}

Short version:
"""
SHAPED = """\
---
description: Answer from numbered documents, one prompt for all of them
format: shaped
inputs:
  query: {type: string, untrusted: true}
  documents: {type: array, items: {type: string}, untrusted: true}
---
Answer the question from these documents.

{join(documents, '\\n', 'Document [$idx]: $content')}

Question: {query}
Answer:
"""
PROMPTER = """\
---
description: Answer in one paragraph, in the markup of the model
format: prompter
inputs:
  input: {type: string, untrusted: true}
---
kind: chat
instruction: You answer questions in one short paragraph.
"""
BLANK = """\
---
description: What this prompt is for
---
- name: instructions
  role: system
  content: |
    You are helpful and brief.
- name: question
  role: user
  content: |
    {{ question }}
"""
QUESTION = {"question": "How long does the glue take to dry?"}
EXCERPTS = ["The glue is dry after 20 minutes.", "In a cold room it takes twice as long."]
_ALL = (
    Example(
        "blank",
        gettext_lazy("Blank"),
        gettext_lazy("A system message and a question. Good for a first prompt."),
        BLANK,
        {"first": QUESTION},
    ),
    Example(
        "parts",
        gettext_lazy("Chat in parts"),
        gettext_lazy("Named parts with roles; a list of excerpts that may be cut when the prompt grows too long."),
        PARTS,
        {"two excerpts": {**QUESTION, "excerpts": EXCERPTS}},
    ),
    Example(
        "text",
        gettext_lazy("One text"),
        gettext_lazy("A single text with nothing stripped: completion models, judges, fragments of other templates."),
        TEXT,
        {"a note": {"text": "The shop opens at nine. On Mondays it stays closed. Deliveries come in by the yard."}},
    ),
    Example(
        "shaped",
        gettext_lazy("Shaped"),
        gettext_lazy("Functions such as join shape lists into text; for question answering over documents."),
        SHAPED,
        {"two documents": {"query": QUESTION["question"], "documents": EXCERPTS}},
    ),
    Example(
        "prompter",
        gettext_lazy("Prompter"),
        gettext_lazy("An instruction and the model's own chat markup, as tuning and local models want it."),
        PROMPTER,
        {"first": {"input": QUESTION["question"]}},
    ),
    Example(
        "improvement",
        gettext_lazy("Asking for improvements"),
        gettext_lazy("Asks a model for a better text of a template, from rows that it failed on, as JSON."),
        starter_documents.read_document("suggest-improvement"),
        starter_documents.read_samples("suggest-improvement"),
    ),
)
EXAMPLES = {start.key: start for start in _ALL}


def example_values() -> list[dict[str, Any]]:
    """The values of all samples that come with an example."""
    return [values for example in EXAMPLES.values() for values in example.samples.values()]
