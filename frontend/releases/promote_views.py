"""The panel that opens a release in each of several namespaces at once, with the ticked templates."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.translation import gettext, ngettext

from frontend.releases.planned_members import MemberRow, read_member_rows
from frontend.releases.proposal_forms import ProposalForm
from frontend.releases.propose_views import propose_release
from frontend.web.decorators import form_page, signed_in
from frontend.web.page import render_page
from registry.accounts.actor import Actor
from registry.core.errors import Invalid
from registry.core.names import LATEST
from registry.releases import plans
from registry.releases.plans import LeftOut, ReleaseSelection

__all__ = ["promote_templates"]

PANEL = "releases/_promote_panel.html"


@dataclass(frozen=True)
class NamespaceSection:
    """The ticked templates of one namespace. fault: why none of them can be proposed, empty if some can."""

    namespace: str
    rows: list[MemberRow]
    left_out: tuple[LeftOut, ...] = ()
    fault: str = ""

    @property
    def approvals(self) -> int:
        """The most approvals that one of its templates needs."""
        return max((row.preview.approvals_needed for row in self.rows), default=0)

    @property
    def groups(self) -> list[str]:
        """The titles of the groups that have to approve some of its templates."""
        return sorted({title for row in self.rows for title in row.preview.groups})


@form_page
@signed_in
def promote_templates(request: HttpRequest, actor: Actor) -> HttpResponse:
    """GET shows the proposal for the templates named in the URL; POST proposes the ticked ones.

    Templates of a single namespace are shown in the release panel of that namespace.
    """
    sent = request.POST if request.method == "POST" else request.GET
    source, target, names = sent.get("from", LATEST), sent.get("to", ""), sent.getlist("template")
    listed = sent.getlist("listed") or names
    selections = _select(source, listed)
    if request.method != "POST" and len(selections) == 1:
        return propose_release(request, folder=next(iter(selections)))
    # Stored input is keyed by the URL, because it belongs to these labels and templates.
    keep = request.POST.get("form") or f"{actor.person.username}:promote:{request.get_full_path()}"
    form, status = ProposalForm(request.POST if request.method == "POST" else None), 200
    sections = [_read_section(actor, name, target, selection) for name, selection in selections.items()]
    form.offer_reviewers(actor, [row for section in sections for row in section.rows])
    form.suggest_title([row for section in sections for row in section.rows], source, target)
    if request.method == "POST":
        status = 422
        if not names:
            form.add_error(None, gettext("Choose at least one template."))
        if form.is_valid():
            numbers, status = form.propose(request, actor, names, label=target, selections=_select(source, names))
            if numbers:
                done = ngettext("Release {numbers} is open.", "Releases {numbers} are open.", len(numbers))
                messages.success(request, done.format(numbers=", ".join(map(str, numbers))), extra_tags=keep)
                return redirect("releases")
    context = {**_build_context(sections, source, target, names, keep), **form.context(request)}
    return render_page(request, "web/panel.html", context, regions={"panel": PANEL}, status=status)


def _select(source: str, names: Collection[str]) -> dict[str, ReleaseSelection]:
    """What each namespace's release consists of, ordered by namespace name."""
    by_namespace: dict[str, list[str]] = {}
    for name in sorted({name for name in names if "/" in name}):
        by_namespace.setdefault(name.partition("/")[0], []).append(name)
    return {space: ReleaseSelection(from_label=source, templates=listed) for space, listed in by_namespace.items()}


def _read_section(actor: Actor, namespace: str, target: str, selection: ReleaseSelection) -> NamespaceSection:
    try:
        plan = plans.plan_release(actor, namespace, target, selection)
    except Invalid as error:
        return NamespaceSection(namespace, [], fault=error.message)
    return NamespaceSection(namespace, read_member_rows(plan, target), plan.left_out)


def _build_context(
    sections: Sequence[NamespaceSection],
    source: str,
    target: str,
    names: Collection[str],
    keep: str,
) -> dict[str, Any]:
    rows = [row for section in sections for row in section.rows]
    ticked = [row for row in rows if row.member.template.name in names]
    title = ngettext("Promote {count} template to {label}", "Promote {count} templates to {label}", len(ticked))
    return {
        "section": "environments",
        "panel": f"frontend/{PANEL}",
        "panel_title": title.format(count=len(ticked), label=target),
        "leave_url": reverse("environments"),
        "sections": sections,
        "rows": rows,
        "labels": {"from_label": source, "label": target},
        "keep": keep,
        "chosen": names,
        "releases": sum(bool(section.rows) for section in sections),
        "services": len({name for row in rows for name in row.service_names}),
        "fetches": sum(row.preview.fetches_moving for row in rows),
    }
