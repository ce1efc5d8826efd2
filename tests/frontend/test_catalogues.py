"""Every text of the pages is in the catalogues, and every catalogue is complete."""

import re
import string
import subprocess
import sys
from pathlib import Path

import polib
import pytest

from frontend.locale.catalogues import DOMAINS, FOLDER, ROOT, compile_catalogues, find_texts, list_catalogue_paths
from tests.support.unmarked_texts import FINDERS, find_in_file, find_in_python

CATALOGUES = [path for domain in DOMAINS for path in list_catalogue_paths(domain)]
# Folders whose texts are for operators, logs and the clients of other programs.
ENGLISH = set("database_copy jobs journal langfuse management migrations mirror observability starter".split())
PLACES = [
    "frontend/templates",
    "frontend/src",
    *(f"frontend/{path.parent.name}" for path in (ROOT / "frontend").glob("*/__init__.py")),
    *(f"registry/{p.parent.name}" for p in (ROOT / "registry").glob("*/__init__.py") if p.parent.name not in ENGLISH),
]
VALUES = re.compile(r"%\(\w+\)s|%%|\{\w*(?::[^}]*)?\}|</?\w+[^>]*>")


def named(path: Path) -> str:
    return str(path.relative_to(ROOT / "frontend/locale"))


def translations(entry: polib.POEntry) -> list[tuple[str, str]]:
    """Pairs of a text and its translation; each plural form beside the English plural."""
    if not entry.msgid_plural:
        return [(entry.msgid, entry.msgstr)]
    return [(entry.msgid if form == 0 else entry.msgid_plural, text) for form, text in entry.msgstr_plural.items()]


def is_pattern(text: str) -> bool:
    """Whether a text of the findings is a pattern: single braces are around an identifier, others are doubled."""
    try:
        fields = [field for field in string.Formatter().parse(text) if field[1] is not None]
    except ValueError:
        return False
    return all(str(name).isidentifier() and not spec and not conversion for _, name, spec, conversion in fields)


@pytest.mark.parametrize("place", PLACES)
def test_every_text_is_in_the_catalogues(place):
    found = [
        f"{path.relative_to(ROOT)}:{line}: {text}"
        for path in sorted((ROOT / place).rglob("*"))
        if path.suffix in FINDERS and "node_modules" not in path.parts
        for line, text in find_in_file(path)
    ]
    assert found == []


@pytest.mark.parametrize(
    ("code", "texts"),
    [
        ('words = f"Release {number} proposes version {version}."', ["Release {} proposes version {}."]),
        ('problems = [f"The reply has to have the text {name}."]', ["The reply has to have the text {}."]),
        ('yield f"The text uses a fragment: {name}."', ["The text uses a fragment: {}."]),
        ('note("This key is unknown.")', ["This key is unknown."]),
        ('raise NotFound("no such name")', ["no such name"]),
        ('words = gettext("Release {number} proposes version {version}.")', []),
        ('logger.warning("The job lost its worker.")', []),
        ('"""The docstring of a module."""', []),
        ('Field(help_text="The number of the release.")', []),
        ('raise ValueError("This is a bug of the caller.")', []),
        ('words = "release.proposed of it"', []),
        ('words = "This is stored as it is."  # no text: stored', []),
        ('# no text: stored\nwords = "This is stored as it is."', []),
    ],
)
def test_unmarked_sentences_are_found_wherever_they_are_written(code, texts):
    assert [text for _, text in find_in_python(code)] == texts


@pytest.mark.parametrize("domain", DOMAINS)
def test_each_catalogue_holds_the_texts_of_the_sources(domain):
    texts = {(entry.msgctxt, entry.msgid, entry.msgid_plural) for entry in find_texts(domain)}
    for path in list_catalogue_paths(domain):
        known = {(entry.msgctxt, entry.msgid, entry.msgid_plural) for entry in polib.pofile(str(path))}
        assert (texts - known, known - texts) == (set(), set()), "run `make texts`"


@pytest.mark.parametrize("path", CATALOGUES, ids=named)
def test_each_text_is_translated(path):
    catalogue = polib.pofile(str(path))
    missing = [entry.msgid for entry in catalogue if not all(text for _, text in translations(entry))]
    assert (missing, catalogue.fuzzy_entries()) == ([], [])


@pytest.mark.parametrize("path", CATALOGUES, ids=named)
def test_a_translation_keeps_values_markup_and_blanks(path):
    wrong = [
        (text, translated)
        for entry in polib.pofile(str(path))
        for text, translated in translations(entry)
        if set(VALUES.findall(text)) != set(VALUES.findall(translated))
        or (text[:1].isspace(), text[-1:].isspace()) != (translated[:1].isspace(), translated[-1:].isspace())
    ]
    assert wrong == []


@pytest.mark.parametrize("path", list_catalogue_paths("findings"), ids=named)
def test_braces_of_a_finding_are_around_the_name_of_a_value_or_doubled(path):
    texts = [text for entry in polib.pofile(str(path)) for pair in translations(entry) for text in pair]
    assert [text for text in texts if not is_pattern(text)] == []


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("no {name} in `{{x}}`", True),
        ("nothing", True),
        ("write `{` first", False),
        ('as in {"a": 1}', False),
        ("no {} here", False),
        ("no {a b}", False),
        ("a {name!r}", False),
        ("a }", False),
    ],
)
def test_patterns_of_findings_are_recognized(text, expected):
    assert is_pattern(text) is expected


def test_compiled_catalogues_are_never_read_half_written():
    """A process that reads while others compile always finds complete catalogues."""
    target = FOLDER / "de/LC_MESSAGES/findings.mo"
    compile_catalogues()
    command = [sys.executable, str(FOLDER / "catalogues.py"), "compile"]
    compilers = [subprocess.Popen(command) for _ in range(2)]
    while any(compiler.poll() is None for compiler in compilers):
        assert len(polib.mofile(str(target))) > 1_000
    assert [compiler.returncode for compiler in compilers] == [0, 0]
    assert [path.name for path in target.parent.glob("*.mo")].count("findings.mo") == 1
    assert not list(target.parent.glob("findings.*.mo"))
