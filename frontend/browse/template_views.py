"""The page of a template: its live version, how to fetch it, its inputs and its rendered prompt."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.translation import gettext, gettext_lazy

from frontend.browse import fetch_charts, fetch_snippets, input_reference
from frontend.browse.label_status import LabelStatus, list_label_statuses, mark_rollouts
from frontend.changes import emergency_notices
from frontend.changes.check_summaries import CheckSummary, read_check_summaries
from frontend.changes.rollout_rows import build_rollout_rows
from frontend.diff import samples as diff_samples
from frontend.web import highlight
from frontend.web.decorators import signed_in
from frontend.web.draft_links import build_draft_url, list_draft_links, run_address
from frontend.web.page import build_breadcrumbs, render_page
from promptuary.renderer.document.parser import Document, inspect_document
from registry.accounts.actor import Actor
from registry.bookmarks import queries as bookmark_queries
from registry.changes import emergencies
from registry.changes import queries as change_queries
from registry.changes.queries import list_stopped_changes
from registry.core.names import LATEST
from registry.evaluations import run_queries
from registry.namespaces import granters, permissions
from registry.namespaces import queries as namespace_queries
from registry.namespaces.rules import read_rules
from registry.namespaces.verbs import Verb
from registry.notifications import following
from registry.rollouts import queries as rollout_queries
from registry.rollouts.models import Rollout
from registry.templates import fragments, label_queries, version_queries
from registry.templates import queries as templates_query
from registry.templates.models import Template, Version
from registry.templates.ownership import list_owners

__all__ = ["show_template"]

RAIL = 8
_REGIONS = {"rendered": "browse/_rendered.html", "fetch": "browse/_fetch_snippets.html"}
FETCH_NOTES = {
    "curl": gettext_lazy("Reads the key from PROMPTUARY_KEY."),
    "python": gettext_lazy("Reads PROMPTUARY_URL and PROMPTUARY_KEY; data has the inputs below."),
    "cli": gettext_lazy("Reads PROMPTUARY_URL and PROMPTUARY_KEY, and writes the document and its samples as files."),
}


@dataclass(frozen=True)
class Choice:
    """One of several views of the page, as a link."""

    word: str
    url: str
    on: bool


@dataclass(frozen=True)
class RailEntry:
    """A version in the version rail."""

    number: int
    message: str
    author: str
    created_at: Any
    base: int | None
    marks: list[LabelStatus]
    live: bool
    warnings: int
    checks: CheckSummary | None


@signed_in
def show_template(request: HttpRequest, actor: Actor, name: str) -> HttpResponse:
    """Show a template at one version: the requested one, else the live one, else the newest."""
    template = templates_query.get_template(actor, name)
    if template.name != name:
        query = f"?{request.GET.urlencode()}" if request.GET else ""
        return redirect(reverse("template", args=[template.name]) + query)
    label_numbers = label_queries.read_label_numbers(template)
    live = namespace_queries.choose_live_label(template.namespace)
    ref = request.GET.get("ref") or ""
    version = version_queries.resolve_template_version(
        actor, template, ref or (live if live in label_numbers else LATEST)
    )
    rollouts = rollout_queries.list_active(actor, [template.pk])
    marks = _list_marks(actor, template, label_numbers, rollouts)
    document, _ = inspect_document(version.document)
    context = {
        "section": "templates",
        "template": template,
        "version": version,
        "is_old": bool(ref) and template.latest is not None and version.number < template.latest.number,
        "crumbs": build_breadcrumbs(name),
        "description": (document.description if document else "") or template.description,
        "facts": _list_facts(template, document),
        "origin_url": _build_origin_url(template),
        **_find_rights(actor, template),
        **_list_own_drafts(actor, name),
        "compare_url": _build_compare_url(template, version),
        "label_statuses": marks,
        "live_label": live,
        "version_labels": [label for label, number in label_numbers.items() if number == version.number],
        "label_numbers": label_numbers,
        **_list_changes(actor, name),
        "rollouts": build_rollout_rows(rollouts),
        "kept_query": [(key, request.GET[key]) for key in ("ref", "pin", "as") if request.GET.get(key)],
        "ref_query": f"{urlencode({'ref': ref})}&" if ref else "",
        **_render_sample(request, actor, template, version, document),
        "document": version.document,
        "source": highlight.highlight(version.document),
        "problems": json.loads(version.problems),
        "rail": _build_rail(template, marks),
        "fetched": fetch_charts.draw_fetches(template, label_numbers.get(live), live),
        "files": _list_fragments(version),
        "included_by": fragments.list_dependants(actor, template),
        **_describe_fetch(request, name, version, marks),
        "runs": run_queries.list_runs(actor, template=name, limit=4).items,
        **_describe_key_help(actor, template),
    }
    return render_page(request, "browse/template.html", context, regions=_REGIONS)


def _list_marks(
    actor: Actor, template: Template, label_numbers: dict[str, int], rollouts: Sequence[Rollout]
) -> list[LabelStatus]:
    """What each label serves; with its rollout if the user may stop that."""
    moves = label_queries.list_template_label_moves(template, limit=200).items
    marks = list_label_statuses(actor, template, label_numbers, moves)
    may_roll_back = permissions.is_allowed(actor, Verb.ROLL_BACK, template.namespace, template.path)
    return mark_rollouts(marks, rollouts) if may_roll_back else marks


def _find_rights(actor: Actor, template: Template) -> dict[str, Any]:
    """What the user may do with the template, and whether they marked or follow it."""
    return {
        "may_copy": bool(namespace_queries.list_writable_namespaces(actor)),
        "may_write": permissions.is_allowed(actor, Verb.SAVE, template.namespace, template.path),
        "may_manage": permissions.is_allowed(actor, Verb.MANAGE, template.namespace),
        "is_favourite": bookmark_queries.is_favourite(actor, template),
        "follows": following.find_follow(actor, template) is not None,
    }


def _list_changes(actor: Actor, name: str) -> dict[str, Any]:
    """The open changes of the template, its unapproved emergencies, and rollouts that were stopped."""
    pending = change_queries.list_changes(actor, state="pending", template=name).items
    unapproved = emergencies.find_emergencies([change for change in pending if not change.is_open])
    return {
        "open_changes": [change for change in pending if change.is_open],
        "emergencies": emergency_notices.build_notices(list(unapproved.values()), actor),
        "stopped_rollouts": list_stopped_changes(pending),
    }


def _render_sample(
    request: HttpRequest, actor: Actor, template: Template, version: Version, document: Document | None
) -> dict[str, Any]:
    """The prompt that the version renders to on the sample in the URL, by default the first one, and its inputs."""
    sample_set = template.current_samples()
    data = sample_set.samples if sample_set else {}
    sample = request.GET.get("sample", "")
    if sample not in data:
        sample = next(iter(data), "")
    prompt = diff_samples.render_sample(actor, template.name, version.number, data[sample]) if sample else None
    inputs = document.inputs if document else None
    return {
        "samples": list(data),
        "sample": sample,
        "prompt": prompt if prompt and not prompt.failure else None,
        "render_error": prompt.failure if prompt else None,
        "contract": input_reference.describe_inputs(inputs, data.get(sample), version.number),
    }


def _list_own_drafts(actor: Actor, name: str) -> dict[str, Any]:
    """The reader's drafts of the template, and the URL of the latest."""
    links = list_draft_links(actor, name)
    last = max(links, key=lambda link: link.saved_at, default=None)
    edit_url = last.url if last else build_draft_url(name)
    return {"drafts": links, "has_draft": bool(links), "edit_url": edit_url, "run_url": run_address(edit_url)}


def _build_compare_url(template: Template, version: Version) -> str:
    """The URL that compares this version with the newest, or the newest with the one before; empty if there is only
    one.
    """
    newest = template.latest.number if template.latest else version.number
    ends = (version.number, newest) if version.number < newest else (newest - 1, newest)
    if ends[0] < 1:
        return ""
    return f"{reverse('diff', args=[template.name])}?{urlencode({'from': ends[0], 'to': ends[1]})}"


def _list_facts(template: Template, document: Any) -> list[str]:
    facts = [template.format]
    if document is not None and document.model:
        facts.append(document.model)
    facts += [f"#{tag}" for tag in (document.tags if document is not None else ())]
    owners = list_owners(template)
    if owners:
        facts.append(gettext("owned by {names}").format(names=", ".join(owners)))
    return facts


def _describe_fetch(request: HttpRequest, name: str, version: Version, marks: list[LabelStatus]) -> dict[str, Any]:
    """The snippet to copy, and its options."""
    here = next((mark.label for mark in marks if mark.number == version.number), "")
    refs = {"label": here, "version": str(version.number), "digest": version.digest}
    ways = [way for way in fetch_snippets.REFERENCE_KINDS if refs[way.key]]
    way = fetch_snippets.find_reference_kind(
        request.GET.get("pin") or ("label" if here and here != LATEST else "digest"), ways
    )
    language = request.GET.get("as", "curl")
    language = language if language in fetch_snippets.LANGUAGES else "curl"
    sample_set = {key: request.GET[key] for key in ("ref", "sample") if request.GET.get(key)}
    return {
        "ways": [
            Choice(str(one.word), f"?{urlencode({**sample_set, 'pin': one.key, 'as': language})}", one == way)
            for one in ways
        ],
        "way": way,
        "languages": [
            Choice(word, f"?{urlencode({**sample_set, 'pin': way.key, 'as': key})}", key == language)
            for key, word in fetch_snippets.LANGUAGES.items()
        ],
        "line": fetch_snippets.fetch_snippet(language, settings.BASE_URL, name, refs[way.key]),
        "line_note": FETCH_NOTES[language],
    }


def _build_rail(template: Template, marks: list[LabelStatus]) -> list[RailEntry]:
    entries = version_queries.list_template_versions(template, limit=RAIL).items
    live = namespace_queries.choose_live_label(template.namespace)
    checks = read_check_summaries(
        dict.fromkeys((entry.version.pk for entry in entries), read_rules(template.namespace))
    )
    return [_build_rail_entry(entry.version, marks, live, checks[entry.version.pk]) for entry in entries]


def _build_rail_entry(version: Version, marks: list[LabelStatus], live: str, checks: CheckSummary | None) -> RailEntry:
    """A version as a rail entry."""
    on_it = [mark for mark in marks if mark.number == version.number]
    problems = json.loads(version.problems)
    return RailEntry(
        number=version.number,
        message=version.message,
        author=version.author.username,
        created_at=version.created_at,
        base=version.base.number if version.base else None,
        marks=on_it,
        live=any(mark.label == live for mark in on_it),
        warnings=sum(problem.get("severity") == "warning" for problem in problems),
        checks=checks,
    )


def _list_fragments(version: Version) -> list[dict[str, str]]:
    """The fragments this version is pinned to, each with a link to the included version."""
    links = []
    for address in version.unpacked().get("fragments") or {}:
        name, _, ref = address.partition("@")
        links.append({"name": address, "url": f"{reverse('template', args=[name])}?{urlencode({'ref': ref})}"})
    return links


def _build_origin_url(template: Template) -> str:
    name, _, number = template.copied_from.partition("@")
    return f"{reverse('template', args=[name])}?ref={number}" if name else ""


def _describe_key_help(actor: Actor, template: Template) -> dict[str, str]:
    """Where the reader can issue a key for fetches, or whom to ask for one."""
    if not permissions.is_allowed(actor, Verb.MANAGE, template.namespace):
        return {"key_granters": granters.describe_granters(template.namespace)}
    return {"keys_url": reverse("keys", args=[template.namespace.name])}
