"""Example documents to start a new template from, by purpose: at least one per format, with a sample."""

# no texts here: documents and samples are English

from dataclasses import dataclass
from typing import Any

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy

from registry.starter import starter_documents

__all__ = ["EXAMPLES", "Example", "list_example_values"]


@dataclass(frozen=True)
class Example:
    """A first document and its samples; `about` is the sentence beside the option.

    `request` and `reply` are what a caller sends and what a model may answer, in a few words; empty if nothing is
    typical.
    """

    key: str
    title: str | Promise
    about: str | Promise
    document: str
    samples: dict[str, dict[str, Any]]
    request: str | Promise = ""
    reply: str | Promise = ""


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
SORT = """\
---
description: Sort a message into one category
inputs:
  categories: {type: array, items: {type: string}}
  message: {type: string, maxLength: 4000, untrusted: true}
---
- name: instructions
  role: system
  content: |
    Sort the message into one of these categories:
{% for category in categories %}
    - {{ category }}
{% endfor %}
    Answer with the name of the category alone. If none fits, answer: other.
- name: message
  role: user
  content: |
    {{ message }}
"""
EXTRACT = """\
---
description: Pull fields out of a text, as JSON
settings: {temperature: 0}
inputs:
  text: {type: string, maxLength: 8000, untrusted: true}
output:
  schema:
    type: object
    properties: {order: {type: [string, "null"]}, item: {type: [string, "null"]}}
    required: [order, item]
---
- name: instructions
  role: system
  content: |
    Answer with one JSON object with the keys "order" and "item".
    Copy each value from the text. Where the text does not say it, write null.
- name: text
  role: user
  content: |
    {{ text }}
"""
SCORE = """\
---
description: Rate an answer against a rule, with a reason
settings: {temperature: 0}
inputs:
  rule: {type: string}
  question: {type: string, untrusted: true}
  answer: {type: string, untrusted: true}
output:
  schema:
    type: object
    properties: {score: {type: integer, minimum: 1, maximum: 5}, reason: {type: string}}
    required: [score, reason]
---
- name: instructions
  role: system
  content: |
    Rate the answer from 1 (bad) to 5 (good) by this rule: {{ rule }}
    Answer with one JSON object with the keys "score" and "reason".
- name: case
  role: user
  content: |
    Question: {{ question }}
    Answer: {{ answer }}
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
        gettext_lazy("Answer from documents"),
        gettext_lazy(
            "Answers only from the excerpts you pass, and cites them. Excerpts are cut when they get too long."
        ),
        PARTS,
        {"two excerpts": {**QUESTION, "excerpts": EXCERPTS}},
        gettext_lazy("How long does the glue take to dry?"),
        gettext_lazy("20 minutes, see excerpt 1."),
    ),
    Example(
        "sort",
        gettext_lazy("Sort a message"),
        gettext_lazy("Puts each message into one of your categories."),
        SORT,
        {"a broken zip": {"categories": ["fault", "refund", "praise"], "message": "The zip broke on day 50."}},
        gettext_lazy("The zip broke on day 50."),
        gettext_lazy("fault"),
    ),
    Example(
        "extract",
        gettext_lazy("Extract fields"),
        gettext_lazy("Turns free text into fields that you define, as JSON."),
        EXTRACT,
        {"an order": {"text": "Order HB-20417 came without the left boot."}},
        gettext_lazy("Order HB-20417 came without the left boot."),
        gettext_lazy("order HB-20417, item left boot"),
    ),
    Example(
        "text",
        gettext_lazy("Shorten a text"),
        gettext_lazy("One text without roles, nothing stripped: for completion models, or as a fragment of others."),
        TEXT,
        {"a note": {"text": "The shop opens at nine. On Mondays it stays closed. Deliveries come in by the yard."}},
        gettext_lazy("A note of 300 words"),
        gettext_lazy("Three sentences"),
    ),
    Example(
        "score",
        gettext_lazy("Score an answer"),
        gettext_lazy("Rates a reply from 1 to 5 against your rule, with a reason."),
        SCORE,
        {"a short answer": {"rule": "Polite and complete.", "question": "When?", "answer": "You must wait."}},
        gettext_lazy("You must wait."),
        gettext_lazy("2, correct but cold"),
    ),
    Example(
        "shaped",
        gettext_lazy("Answer from documents, as in Haystack"),
        gettext_lazy("For prompts from Haystack or deepset: functions such as join turn lists into text."),
        SHAPED,
        {"two documents": {"query": QUESTION["question"], "documents": EXCERPTS}},
    ),
    Example(
        "prompter",
        gettext_lazy("One instruction, as in LazyLLM"),
        gettext_lazy("One instruction with the model's own chat markup: for tuning and local models."),
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


def list_example_values() -> list[dict[str, Any]]:
    """The values of all samples of all examples."""
    return [values for example in EXAMPLES.values() for values in example.samples.values()]
