"""Fragments: how references are written in a document, and what they resolve to for the person who saves it."""

import re
from collections import Counter
from collections.abc import Collection, Iterable
from dataclasses import dataclass, field

from promptuary.renderer.document.parser import Document
from promptuary.renderer.errors import FragmentError, RenderError
from promptuary.renderer.formats import fragments
from promptuary.renderer.problems import Problem
from registry.accounts.actor import Actor
from registry.core.errors import PromptuaryError
from registry.core.names import split_address
from registry.namespaces.permissions import list_visible_namespaces
from registry.templates import version_queries
from registry.templates.former_names import list_names, map_former_names
from registry.templates.models import Inclusion, Template, Version

__all__ = [
    "ResolvedFragments",
    "count_dependants",
    "find_written_references",
    "list_dependants",
    "list_text_fragments",
    "replace_references",
    "resolve_fragments",
]

_MAX_OFFERED = 200


@dataclass(frozen=True)
class ResolvedFragments:
    """Fragment texts by ref as written, nested ones too, and what is wrong with the references."""

    texts: dict[str, str] = field(default_factory=dict)
    problems: list[Problem] = field(default_factory=list)


def resolve_fragments(actor: Actor, document: Document) -> ResolvedFragments:
    """Resolve each reference, in versions the actor may read; no template code runs.

    A label is refused, because it can move; the problem carries a fix with the number it points to.
    """
    source = _Readable(actor)
    try:
        return ResolvedFragments(fragments.resolve_fragments(document, source))
    except FragmentError as error:
        return ResolvedFragments(source.texts, [error.to_problem()])
    except RenderError:
        return ResolvedFragments(source.texts)  # the body can't be parsed; validation reports that


def list_dependants(actor: Actor, fragment: Template, *, apart_from: str = "") -> list[tuple[Template, list[str]]]:
    """Templates the actor may read whose latest document includes the fragment, by name, each with its references as
    written. References by a former name count, those equal to `apart_from` don't.
    """
    rows = Inclusion.objects.filter(
        fragment__in=list_names(fragment), template__namespace__in=list_visible_namespaces(actor)
    )
    rows = rows.filter(template__archived_at=None).exclude(ref=apart_from).order_by("template__name", "ref")
    dependants: dict[int, tuple[Template, list[str]]] = {}
    for row in rows.select_related("template__namespace", "template__latest"):
        dependants.setdefault(row.template_id, (row.template, []))[1].append(row.ref)
    return list(dependants.values())


def count_dependants(actor: Actor, templates: Collection[Template]) -> dict[int, int]:
    """Count by fragment id the templates the actor may read whose latest document includes it.

    One query, plus one if a fragment was renamed.
    """
    former = map_former_names([row.pk for row in templates if row.renamed_at is not None])
    ids = {row.name: row.pk for row in templates} | former
    rows = Inclusion.objects.filter(fragment__in=list(ids), template__namespace__in=list_visible_namespaces(actor))
    pairs = rows.filter(template__archived_at=None).values_list("fragment", "template_id")
    dependants = {(ids[fragment], template) for fragment, template in pairs}
    counts = Counter(fragment for fragment, _ in dependants)
    return {row.pk: counts[row.pk] for row in templates}


def list_text_fragments(actor: Actor) -> list[Template]:
    """Templates of format text that the actor may read, by name: candidates to include in a part. At most 200."""
    visible = list_visible_namespaces(actor)
    rows = Template.objects.filter(namespace__in=visible, archived_at=None, format="text", latest__isnull=False)
    return list(rows.select_related("latest").defer("latest__bundle").order_by("name")[:_MAX_OFFERED])


def find_written_references(document: str, refs: Iterable[str]) -> list[str]:
    """The refs that the document itself contains (`"support/policy@3"`, in either kind of quotes), in their order."""
    return [ref for ref in refs if _build_pattern(ref).search(document)]


def replace_references(document: str, refs: Iterable[str], target: str) -> str:
    """The document with each of the refs replaced by the target, whatever quotes it is in."""
    for ref in refs:
        document = _build_pattern(ref).sub(lambda match: f"{match[1]}{target}{match[1]}", document)
    return document


def _build_pattern(ref: str) -> re.Pattern[str]:
    return re.compile(rf"([\"']){re.escape(ref)}\1")


class _Readable:
    """The renderer's access to the text of a reference, and to the pinned form of a reference by label."""

    def __init__(self, actor: Actor) -> None:
        self.texts: dict[str, str] = {}
        self._actor = actor
        self._frozen: dict[str, str] = {}

    def __call__(self, ref: str) -> str:
        """The text. A fragment nested in an earlier one is read from that one's bundle, where it was frozen."""
        if ref not in self._frozen:
            bundle = self._find(ref).unpacked()
            self._frozen.update({**bundle["fragments"], ref: bundle["document"]})
        self.texts[ref] = self._frozen[ref]
        return self.texts[ref]

    def pin(self, ref: str) -> str | None:
        """`name@number` for a reference by label, or None if it can't be resolved."""
        try:
            return f"{split_address(ref)[0]}@{self._find(ref).number}"
        except (LookupError, PromptuaryError):
            return None

    def _find(self, ref: str) -> Version:
        try:
            name, at = split_address(ref)
            return version_queries.resolve_version(self._actor, name, at)
        except PromptuaryError as error:
            raise LookupError(ref) from error
