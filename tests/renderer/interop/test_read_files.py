"""Several files together: folders, archives, and their bounds."""

import io
import zipfile

import pytest

from promptuary.renderer.interop.imported import LossError
from promptuary.renderer.interop.reading import detect_format, read_files, read_templates
from promptuary.renderer.interop.source_file import SourceFile, TaggedValue, read_foreign_yaml
from tests.renderer.interop.imports import render_text


def zipped(files, **options):
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(name, content, **options)
    return buffer.getvalue()


def test_an_archive_gives_the_prompts_of_its_files():
    content = zipped({"a/greet.txt": "Hi {name}", "b/part.md": "Bye {name}", ".git/x.txt": "no", "logo.png": b"\x89"})
    results = read_files({"prompts.zip": content})
    assert [(result.path, result.templates[0].name) for result in results] == [
        ("a/greet.txt", "greet"),
        ("b/part.md", "part"),
    ]


def test_names_that_would_meet_take_their_folders():
    results = read_files({"a/reason.txt": b"A {x}", "b/reason.txt": b"B {x}", "c.txt": b"C"})
    assert [result.templates[0].name for result in results] == ["a/reason", "b/reason", "c"]


def test_a_semantic_kernel_folder_is_one_template():
    config = b'{"description": "Jokes", "execution_settings": {"default": {"temperature": 0.9}}}'
    (result,) = read_files({"Joke/skprompt.txt": b"A joke about {{$topic}}", "Joke/config.json": config})
    (template,) = result.templates
    assert template.name == "joke"
    assert "temperature: 0.9" in template.document
    assert render_text(template, topic="tea") == "A joke about tea"


def test_a_refused_file_keeps_the_others():
    good, bad = read_files({"a.txt": b"Hi", "b.json": b'{\n"a": }'})
    assert good.templates
    assert (bad.templates, bad.line) == ((), 2)


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (zipped({"../up.txt": "x"}), "leaves it"),
        (zipped({"/up.txt": "x"}), "leaves it"),
        (zipped({"C:/up.txt": "x"}), "leaves it"),
        (zipped({"bomb.txt": b"x" * 3_000_000}), "bytes"),
        (zipped({f"{n}.txt": b"x" * 1_900_000 for n in range(12)}), "unpacked"),
        (zipped({f"{n}.txt": "x" for n in range(1_001)}), "files"),
        (b"PK\x03\x04 broken", "cannot be read"),
    ],
)
def test_an_archive_that_is_broken_or_too_large_is_refused(content, reason):
    (result,) = read_files({"a.zip": content})
    assert reason in result.refusal


def test_a_link_in_an_archive_is_passed_over():
    link = zipfile.ZipInfo("link.txt")
    link.external_attr = 0o120777 << 16
    assert read_files({"a.zip": zipped({link: "/etc/passwd"})}) == []


def test_foreign_yaml_may_have_anchors_merges_and_tags():
    value = read_foreign_yaml("a: &x {b: 1}\nc: *x\nd: {<<: *x, e: 2}\nf: !function utils.g\n")
    assert value == {"a": {"b": 1}, "c": {"b": 1}, "d": {"b": 1, "e": 2}, "f": TaggedValue("!function", "utils.g")}


def test_aliases_that_multiply_are_refused():
    levels = "\n".join(f"l{n}: &l{n} [{', '.join([f'*l{n - 1}'] * 10)}]" for n in range(1, 9))
    with pytest.raises(LossError, match="YAML nodes"):
        read_foreign_yaml(f"l0: &l0 [x]\n{levels}\n")


@pytest.mark.parametrize("text", ["[" * 100_000, "{" * 5_000, "a: " * 3, "- " * 1_000 + "x"])
def test_hostile_structure_is_refused_in_a_sentence(text):
    with pytest.raises(LossError):
        read_templates("a.json", text.encode())


def test_an_unknown_format_is_refused_with_those_that_there_are():
    with pytest.raises(LossError, match="promptfoo"):
        read_templates("a.txt", b"Hi", "word")


def test_a_file_is_recognised_by_its_content_not_by_its_name():
    saved = '{"_type": "prompt", "template": "Hi {name}"}'
    assert detect_format(SourceFile("notes.txt", saved)).name == "langchain"
    assert detect_format(SourceFile("x.json", '[{"role": "user", "content": "Hi"}]')).name == "chat-messages"


def test_templates_of_one_name_in_one_folder_are_named_after_their_files():
    files = {f"judges/{name}.prompty": b"---\nname: Judge\n---\nuser:\nScore {{a}}\n" for name in ("with_a", "plain")}
    found = read_files({**files, "judges/other.txt": b"Judge it."})
    assert [result.templates[0].name for result in found] == ["with-a", "plain", "other"]


def test_a_file_whose_name_gives_no_address_keeps_the_name_of_its_prompt():
    files = {f"{name}.prompty": b"---\nname: Judge\n---\nuser:\nScore {{a}}\n" for name in ("??", "plain")}
    assert [result.templates[0].name for result in read_files(files)] == ["judge", "plain"]
