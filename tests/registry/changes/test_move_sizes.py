"""The size of a label move: changed lines, tokens on a sample, and what callers must send."""

import pytest

from registry.changes import label_preview, move_sizes
from registry.changes.move_sizes import InputChanges
from registry.redaction.services import redact_version
from registry.templates import samples
from registry.templates import save as template_save
from registry.templates.models import Template

NAME = "support/reply"
DOCUMENT = """---
inputs:
{inputs}
---
- name: question
  content: |
    Answer: {{{{ question }}}}
{text}"""
QUESTION = "  question: {type: string}"


@pytest.fixture
def write(author):
    """Save the next version with these inputs and further lines, and return its number."""

    def save(text: str = "", inputs: str = QUESTION) -> int:
        base = Template.objects.filter(name=NAME).values_list("latest__digest", flat=True).first()
        lines = "".join(f"    {line}\n" for line in text.splitlines())
        document = DOCUMENT.format(inputs=inputs, text=lines)
        saved = template_save.save_version(actor=author, name=NAME, document=document, message="", base=base)
        return saved.version.number

    return save


@pytest.fixture
def size(author):
    """The size of moving production to a version."""

    def find(number: int, sample: str = ""):
        return move_sizes.find_move_size(label_preview.find_preview(author, NAME, "production", number), sample)

    return find


@pytest.fixture
def live(write, publish):
    """Version 1 is in production."""
    write()
    publish(Template.objects.get(name=NAME).latest)


def test_lines_are_the_larger_of_those_that_come_and_those_that_go(live, write, size):
    assert size(write("One more.\nAnd another.")).lines == 2
    assert size(1).lines == 0


def test_tokens_are_counted_on_the_first_sample_that_reads_otherwise(live, write, size, author):
    values = {"a": {"question": "no"}, "b": {"question": "yes"}, "c": {"question": "yes, twice"}}
    samples.save_samples(actor=author, name=NAME, samples=values)
    number = write("{% if question != 'no' %}Say it in one sentence.{% endif %}")
    move_size = size(number)
    assert move_size.sample == "b"
    assert move_size.tokens > 0
    assert size(number, "a").tokens == 0
    assert size(number, "c").sample == "c"


def test_without_samples_no_tokens_are_counted(live, write, size):
    move_size = size(write("One more."))
    assert (move_size.sample, move_size.tokens) == ("", None)


def test_a_sample_that_does_not_render_has_no_tokens(live, write, size, author):
    samples.save_samples(actor=author, name=NAME, samples={"a": {"question": "no"}})
    move_size = size(write("{{ order }}", f"{QUESTION}\n  order: {{type: string}}"))
    assert (move_size.sample, move_size.tokens) == ("a", None)


@pytest.mark.parametrize(
    ("inputs", "expected"),
    [
        (QUESTION, InputChanges()),
        (f"{QUESTION}\n  shop: {{default: ours}}", InputChanges()),
        (f"{QUESTION}\n  shop: {{}}\n  order: {{}}", InputChanges(added=("order", "shop"))),
        ("  question: {type: string, maxLength: 9}", InputChanges(narrowed=("question",))),
        ("  question: {type: string, maxLength: 9}\n  shop: {}", InputChanges(("shop",), ("question",))),
    ],
)
def test_callers_have_to_send_what_is_new_and_required(live, write, size, inputs, expected):
    assert size(write("More.", inputs)).inputs == expected


def test_an_input_that_lost_its_default_is_to_be_sent_too(write, size, publish):
    write(inputs="  question: {type: string, default: What?}")
    publish(Template.objects.get(name=NAME).latest)
    assert size(write()).inputs == InputChanges(added=("question",))


def test_of_the_first_version_everything_is_new(write, size, author):
    number = write()
    samples.save_samples(actor=author, name=NAME, samples={"a": {"question": "no"}})
    move_size = size(number)
    assert (move_size.lines, move_size.inputs) == (7, InputChanges(added=("question",)))
    assert move_size.tokens > 0


def test_a_redacted_live_version_has_no_size_to_compare_with(live, write, size, admin):
    number = write("Call us.")
    redact_version(actor=admin, name=NAME, version=1, reason="A phone number", force=True)
    assert size(number) is None
