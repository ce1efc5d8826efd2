"""Standards: requirements and prohibitions for the documents of a namespace, and the check of one document."""

from collections.abc import Collection, Iterator
from dataclasses import asdict, dataclass, fields
from itertools import islice
from typing import Any, Literal

from promptuary.renderer.document import parser as documents
from promptuary.renderer.document.parser import Document
from promptuary.renderer.problems import Fix, Lines, Place, Problem, Severity, unify_newlines
from promptuary.renderer.syntax import suggestions, yaml_reader
from promptuary.renderer.syntax.regular_expressions import compile_pattern
from promptuary.renderer.validation import standard_words

__all__ = [
    "SAMPLES_CODE",
    "BannedWordsStandard",
    "DescriptionStandard",
    "ModelsStandard",
    "NameStandard",
    "RequiredWordsStandard",
    "SamplesStandard",
    "SizeStandard",
    "Standard",
    "Standards",
    "Subject",
    "TagsStandard",
    "check_standards",
]

SAMPLES_CODE = "PT004"
"""The problem of a template with too few samples: the only one that saving samples can cause."""

_MAX_PLACES = 50  # of banned words per document, to keep the list of problems readable


@dataclass(frozen=True, slots=True)
class Subject:
    """What is checked.

    path: the template's name inside its namespace; if None, names aren't checked. exists: whether the template was
    saved before. samples: the names of its samples, None if unknown. fragments: the included texts.
    """

    document: Document
    path: str | None = None
    exists: bool = False
    samples: Collection[str] | None = None
    fragments: Collection[str] = ()


@dataclass(frozen=True, slots=True)
class Standard:
    """One standard. `severity`: whether a document that breaks it is refused, or saved with a warning."""

    severity: Literal["error", "warning"] = "error"

    def find_problems(self, subject: Subject) -> Iterator[Problem]:
        """Yield the problems of a document that breaks this standard."""
        raise NotImplementedError

    def _build_problem(
        self, code: str, message: str, place: Place, *, severity: Severity | None = None, fix: Fix | None = None
    ) -> Problem:
        ends = (place.end_line, place.end_column)
        return Problem(code, severity or self.severity, message, place.line, place.column, *ends, fix)


@dataclass(frozen=True, slots=True)
class DescriptionStandard(Standard):
    """Each document has a description."""

    def find_problems(self, subject: Subject) -> Iterator[Problem]:
        if not subject.document.description.strip():
            message = "this namespace requires a `description`: say in the front matter what the template is for"
            yield self._build_problem("PT001", message, subject.document.place("description"))


@dataclass(frozen=True, slots=True)
class TagsStandard(Standard):
    """Each document has at least `least` different tags. With `allowed`, all its tags are among these."""

    least: int = 0
    allowed: tuple[str, ...] = ()

    def find_problems(self, subject: Subject) -> Iterator[Problem]:
        document = subject.document
        count = len({tag.strip() for tag in document.tags} - {""})
        if count < self.least:
            message = (
                f"this namespace requires at least {_count(self.least, 'tag')}; the document has {count or 'none'}"
            )
            yield self._build_problem("PT002", message, document.place("tags"))
        others = ((index, tag) for index, tag in enumerate(document.tags) if self.allowed and tag not in self.allowed)
        for index, tag in islice(others, suggestions.MAX_NAMED):
            place = document.place("tags", index)
            message = _describe_not_allowed(tag, "tag", self.allowed)
            yield self._build_problem("PT003", message, place, fix=_fix(place, tag, self.allowed))


@dataclass(frozen=True, slots=True)
class SamplesStandard(Standard):
    """Each template has at least `least` samples."""

    least: int = 1

    def find_problems(self, subject: Subject) -> Iterator[Problem]:
        # The message omits how many there are, since some keys may not read samples.
        if subject.samples is not None and len(subject.samples) < self.least:
            message = f"this namespace requires at least {_count(self.least, 'sample')} for each template"
            yield self._build_problem(SAMPLES_CODE, message, Place(1, 1))


@dataclass(frozen=True, slots=True, kw_only=True)
class NameStandard(Standard):
    """The names of new templates, without the namespace, match a regular expression as a whole."""

    pattern: str

    def find_problems(self, subject: Subject) -> Iterator[Problem]:
        path = subject.path
        if path is not None and not self.fits(path):
            # Saving can't rename an existing template, so an error would lock its authors out.
            message = self.explain(path)
            yield self._build_problem("PT005", message, Place(1, 1), severity="warning" if subject.exists else None)

    def fits(self, path: str) -> bool:
        """Whether a template may have this name inside the namespace."""
        return compile_pattern(self.pattern).fullmatch(path) is not None

    def explain(self, path: str) -> str:
        """Explain what is wrong with a name that doesn't fit."""
        return f"the name `{path}` does not match this namespace's pattern of names, `{self.pattern}`"


@dataclass(frozen=True, slots=True, kw_only=True)
class SizeStandard(Standard):
    """A document has at most `most` characters, its front matter among them; a line end counts as one."""

    most: int

    def find_problems(self, subject: Subject) -> Iterator[Problem]:
        text = unify_newlines(subject.document.text)
        if len(text) > self.most:
            message = f"the document has {len(text):,} characters; this namespace allows {self.most:,}"
            yield self._build_problem("PT006", message, Lines(text).place(self.most, len(text)))


@dataclass(frozen=True, slots=True, kw_only=True)
class BannedWordsStandard(Standard):
    """None of these words and phrases is anywhere in the document, names inside `{{ }}` and `{% %}` apart."""

    words: tuple[str, ...]

    def find_problems(self, subject: Subject) -> Iterator[Problem]:
        text, body = unify_newlines(subject.document.text), subject.document.body
        lines = Lines(text)
        prose = text[: len(text) - len(body)] + standard_words.blank_expressions(body)
        hits = ((word, *span) for word in self.words for span in standard_words.find_word(word, prose))
        for word, start, end in islice(hits, _MAX_PLACES):
            yield self._build_problem("PT007", f"`{word}` is not allowed in this namespace", lines.place(start, end))


@dataclass(frozen=True, slots=True, kw_only=True)
class RequiredWordsStandard(Standard):
    """Each of these words and phrases is in the body, outside comments, or in a fragment that it includes."""

    words: tuple[str, ...]

    def find_problems(self, subject: Subject) -> Iterator[Problem]:
        bodies = [subject.document.body, *map(_read_body, subject.fragments)]
        texts = [standard_words.remove_comments(body) for body in bodies]
        missing = [word for word in self.words if not any(standard_words.has_word(word, text) for text in texts)]
        if missing:
            names = suggestions.list_names([f"`{word}`" for word in missing])
            place = Place(subject.document.body_line, 1)
            yield self._build_problem("PT008", f"this namespace requires in the body of each document: {names}", place)


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelsStandard(Standard):
    """The model that a document names is one of these. A document that names none passes."""

    allowed: tuple[str, ...]

    def find_problems(self, subject: Subject) -> Iterator[Problem]:
        model = subject.document.model
        if model is not None and model not in self.allowed:
            place = subject.document.place("model")
            message = _describe_not_allowed(model, "model", self.allowed)
            yield self._build_problem("PT009", message, place, fix=_fix(place, model, self.allowed))


@dataclass(frozen=True, slots=True)
class Standards:
    """The standards of one namespace; None for those that aren't set."""

    description: DescriptionStandard | None = None
    tags: TagsStandard | None = None
    samples: SamplesStandard | None = None
    name: NameStandard | None = None
    size: SizeStandard | None = None
    banned_words: BannedWordsStandard | None = None
    required_words: RequiredWordsStandard | None = None
    models: ModelsStandard | None = None

    def to_dict(self) -> dict[str, Any]:
        """Return plain JSON types in the form of `read_standards`, without the standards that aren't set."""
        return {name: _to_plain(standard) for name, standard in self.each()}

    def each(self) -> Iterator[tuple[str, Standard]]:
        """Yield the standards that are set, by name."""
        for item in fields(self):
            standard: Standard | None = getattr(self, item.name)
            if standard is not None:
                yield item.name, standard


def check_standards(standards: Standards, subject: Subject) -> list[Problem]:
    """Return the problems of a document that doesn't meet the standards, in the order of its lines."""
    problems = [problem for _, standard in standards.each() for problem in standard.find_problems(subject)]
    return sorted(problems, key=lambda problem: (problem.line, problem.column, problem.code))


def _to_plain(standard: Standard) -> dict[str, Any]:
    """A standard in plain JSON types, without settings that require nothing."""
    settings = {name: list(value) if isinstance(value, tuple) else value for name, value in asdict(standard).items()}
    return {name: value for name, value in settings.items() if value not in (0, [])}


def _read_body(text: str) -> str:
    document, _ = documents.inspect_document(text)
    return document.body if document else ""


def _describe_not_allowed(name: str, noun: str, allowed: Collection[str]) -> str:
    hint = suggestions.make_spelling_hint(name, allowed) or f"; allowed are {suggestions.list_names(allowed)}"
    return f"the {noun} `{suggestions.shorten_name(name)}` is not allowed in this namespace{hint}"


def _fix(place: Place, name: str, allowed: Collection[str]) -> Fix | None:
    """A fix that writes the likely allowed name, if YAML reads it as text everywhere."""
    suggestion = suggestions.find_likely_name(name, allowed)
    return suggestions.rename_fix(place, suggestion) if suggestion and _is_plain(suggestion) else None


def _is_plain(name: str) -> bool:
    try:
        return bool(yaml_reader.read_value(yaml_reader.compose(f"[{name}]")) == [name])
    except yaml_reader.YamlError:
        return False


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"
