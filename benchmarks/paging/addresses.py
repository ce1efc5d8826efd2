"""The measured pages and calls: the name, the address and the requester of each."""

from dataclasses import dataclass

from benchmarks.paging.long_change import LONG
from benchmarks.paging.names import QUIET, make_name
from registry.changes.models import ChangeRequest
from registry.core import pagination
from registry.evaluations.dataset_models import Dataset
from registry.evaluations.models import Run
from registry.journal.models import Event
from registry.releases.models import Release
from registry.templates.models import Template

__all__ = ["Address", "list_addresses"]

ADMIN, READER, KEY, QUIET_KEY = "admin", "reader", "key", "quiet key"  # requesters
_PLACE = 500  # number of the template whose pages are measured


@dataclass(frozen=True)
class Address:
    """A page or call. who: `admin` is a member everywhere, `reader` and `quiet key` belong to the quiet namespace."""

    name: str
    path: str
    who: str = ADMIN


def list_addresses() -> list[Address]:
    """List all of them, with the cursors of this database."""
    return [
        *_list_browse_pages(),
        *_list_search_pages(),
        *_list_template_pages(),
        *_list_work_pages(),
        *_list_namespace_pages(),
        *_list_quiet_pages(),
        *_list_template_calls(),
        *_list_other_calls(),
    ]


def _list_browse_pages() -> list[Address]:
    folder, last = make_name(_PLACE).rpartition("/")[0], _find_name_near_end()
    return [
        Address("home", "/"),
        Address("browse", "/t/"),
        Address("browse, last page", f"/t/?cursor={_encode_cursor(last)}"),
        Address("browse by change", "/t/?sort=changed"),
        Address("browse by change, last", f"/t/?sort=changed&cursor={_encode_cursor(60)}"),
        Address("browse, a namespace", "/t/ns7/"),
        Address("browse, a folder", f"/t/{folder}/"),
        Address("browse, archived", "/t/?archived=1"),
        Address("environments", "/environments/"),
        Address("environments, last page", f"/environments/?cursor={_encode_cursor(last)}"),
        Address("environments behind", "/environments/?show=behind"),
        Address("environments, open", "/environments/?show=open"),
        Address("environments by name", "/environments/?q=refund"),
        Address("calendar", "/environments/calendar"),
        Address("calendar, a namespace", "/environments/calendar?namespace=ns7"),
        Address("calendar, an old month", "/environments/calendar?month=2020-01"),
    ]


def _list_search_pages() -> list[Address]:
    """Searches: `treat` matches one template, `refund` an eighth of them, `question` all."""
    last = _find_name_near_end()
    return [
        Address("search a rare word", "/t/?q=treat"),
        Address("search a common word", "/t/?q=question"),
        Address("search, last page", f"/t/?q=question&cursor={_encode_cursor(last)}"),
        Address("search a frequent word", "/t/?q=refund"),
        Address("search two words", "/t/?q=unrefund+proinvoice"),
        Address("search a part of a name", "/t/?q=elivery-t77"),
        Address("search nothing found", "/t/?q=xylophone"),
        Address("search by change", "/t/?q=question&sort=changed"),
        Address("search by change, last", f"/t/?q=question&sort=changed&cursor={_encode_cursor(60)}"),
        Address("filter tag", "/t/?tag=team-3"),
        Address("filter label and tag", "/t/?label=production&tag=refund"),
        Address("filter input", "/t/?input=refund_number"),
        Address("filter owner", "/t/?owner=author"),
        Address("filter author and model", "/t/?author=author&model=gpt-4o"),
        Address("filter check", "/t/?check=failed"),
        Address("filter behind and word", "/t/?behind=production&q=warranty"),
        Address("palette", "/search.json?q=refund"),
        Address("palette, rare", "/search.json?q=t777"),
    ]


def _list_template_pages() -> list[Address]:
    name = make_name(_PLACE)
    return [
        Address("template", f"/t/{name}"),
        Address("editor", f"/t/{name}/-/edit"),
        Address("versions", f"/t/{name}/-/versions"),
        Address("versions, one diff", f"/t/{name}/-/diff?base=1&head=2"),
        Address("fetches", f"/t/{make_name(0)}/-/fetches"),
        Address("samples", f"/t/{name}/-/samples"),
        Address("new template", "/new"),
    ]


def _list_work_pages() -> list[Address]:
    rows = ChangeRequest.objects
    opened = rows.filter(state=ChangeRequest.OPEN).latest("number").number
    done = rows.filter(template__name=make_name(_PLACE), state=ChangeRequest.PUBLISHED).latest("number").number
    long = rows.get(template__name=LONG).number
    first = Release.objects.earliest("number").number
    run, dataset = Run.objects.earliest("pk").pk, Dataset.objects.order_by("pk").values_list("name", flat=True)[0]
    return [
        Address("changes", "/changes/"),
        Address("changes, published", "/changes/?state=published"),
        Address("changes, last page", f"/changes/?state=published&cursor={_encode_cursor(60)}"),
        Address("changes, a namespace", "/changes/?state=all&namespace=ns7"),
        Address("changes, quiet", f"/changes/?state=all&namespace={QUIET}"),
        Address("changes, withdrawn", "/changes/?state=withdrawn"),
        Address("changes, a template", f"/changes/?state=all&template={make_name(_PLACE)}"),
        Address("change, open", f"/changes/{opened}"),
        Address("change, published", f"/changes/{done}"),
        Address("change, 300 lines", f"/changes/{long}?view=source"),
        Address("change, 300 rendered", f"/changes/{long}?view=rendered"),
        Address("compare 300 lines", f"/t/{LONG}/-/diff?from=1&to=2&view=source"),
        Address("releases", "/releases/"),
        Address("releases, quiet", f"/releases/?namespace={QUIET}"),
        Address("releases, published", "/releases/?state=published"),
        Address("release, the oldest", f"/releases/{first}"),
        Address("runs", "/runs/"),
        Address("runs, last page", f"/runs/?cursor={_encode_cursor(60)}"),
        Address("runs, quiet", f"/runs/?namespace={QUIET}"),
        Address("runs, failed", "/runs/?state=failed"),
        Address("run", f"/runs/{run}"),
        Address("datasets", "/d/"),
        Address("datasets by name", "/d/?q=refund"),
        Address("dataset", f"/d/{dataset}"),
    ]


def _list_namespace_pages() -> list[Address]:
    audit = "/n/ns0/audit"
    return [
        Address("members", "/n/ns0/members"),
        Address("keys", "/n/ns0/keys"),
        Address("rules", "/n/ns0/rules"),
        Address("freezes", "/n/ns0/freezes"),
        Address("evaluations", "/n/ns0/evaluations"),
        Address("models", "/n/ns0/models"),
        Address("webhooks", "/n/ns0/webhooks"),
        Address("webhook", "/n/ns0/webhooks/bench000"),
        Address("people", "/people"),
        Address("audit", audit),
        Address("audit, last page", f"{audit}?cursor={_encode_cursor(_find_old_event())}"),
        Address("audit, a rare kind", f"{audit}?kind=namespace.created"),
        Address("audit, a kind never", f"{audit}?kind=template.archived"),
        Address("audit, a common kind", f"{audit}?kind=version.saved"),
        Address("audit, a person", f"{audit}?person=reviewer"),
        Address("audit, nobody", f"{audit}?person=outsider"),
        Address("audit, a key", f"{audit}?key=abcdefgh"),
        Address("audit, a template", f"{audit}?template={make_name(0)}"),
        Address("audit, long ago", f"{audit}?until=2020-01-01"),
        Address("audit, a day", f"{audit}?since=2020-01-01&until=2020-01-02"),
    ]


def _list_quiet_pages() -> list[Address]:
    """Pages of a reader of one namespace, whose few rows are the oldest."""
    lists = ["/", "/t/", "/t/?sort=changed", "/t/?q=question", "/t/?label=production", "/environments/", "/runs/"]
    lists += ["/environments/calendar", "/changes/", "/changes/?state=all", "/releases/", "/d/", f"/n/{QUIET}/audit"]
    return [Address(f"reader {page}", page, READER) for page in lists]


def _list_template_calls() -> list[Address]:
    own = list(Template.objects.filter(namespace__name="ns0").order_by("-name").values_list("name", flat=True)[:3])[-1]
    name, calls = make_name(0), "/api/v1/templates"
    return [
        Address("API templates", calls, KEY),
        Address("API templates, 200", f"{calls}?limit=200", KEY),
        Address("API templates, last page", f"{calls}?cursor={_encode_cursor(own)}", KEY),
        Address("API search", f"{calls}?search=question", KEY),
        Address("API search, rare", f"{calls}?search=treat", QUIET_KEY),
        Address("API tag", f"{calls}?tag=refund&limit=20", KEY),
        Address("API label", f"{calls}?label=production", KEY),
        Address("API owner", f"{calls}?owner=author", KEY),
        Address("API input", f"{calls}?input=refund_number&limit=20", KEY),
        Address("API template", f"{calls}/{name}", KEY),
        Address("API versions", f"{calls}/{name}/-/versions", KEY),
        Address("API label history", f"{calls}/{name}/-/labels/production/history", KEY),
        Address("API outcomes", f"{calls}/{name}/-/outcomes", KEY),
        Address("API dependants", f"{calls}/{name}/-/dependants?from=1&to=2", KEY),
    ]


def _list_other_calls() -> list[Address]:
    space = "/api/v1/namespaces/ns0"
    return [
        Address("API changes", "/api/v1/changes", KEY),
        Address("API changes, last page", f"/api/v1/changes?state=published&cursor={_encode_cursor(120)}", KEY),
        Address("API changes, pending", "/api/v1/changes?state=pending", KEY),
        Address("API changes, quiet", "/api/v1/changes", QUIET_KEY),
        Address("API runs", "/api/v1/runs", KEY),
        Address("API runs, quiet", "/api/v1/runs", QUIET_KEY),
        Address("API runs, failed", "/api/v1/runs?state=failed", KEY),
        Address("API datasets", "/api/v1/datasets", KEY),
        Address("API rollouts", "/api/v1/rollouts?limit=10", KEY),
        Address("API rollouts, quiet", "/api/v1/rollouts", QUIET_KEY),
        Address("API releases", f"{space}/releases", KEY),
        Address("API events", f"{space}/events", ADMIN),
        Address("API events, last page", f"{space}/events?cursor={_encode_cursor(_find_old_event())}", ADMIN),
        Address("API events, a kind", f"{space}/events?kind=template.archived", ADMIN),
        Address("API events, a person", f"{space}/events?person=outsider", ADMIN),
        Address("API namespaces", "/api/v1/namespaces", KEY),
        Address("API members", f"{space}/members", KEY),
        Address("API webhooks", f"{space}/webhooks", ADMIN),
        Address("API deliveries", "/api/v1/webhooks/bench000/deliveries", ADMIN),
        Address("API people", "/api/v1/people", ADMIN),
    ]


def _find_name_near_end() -> str:
    """The name of the template before the last sixty."""
    return list(Template.objects.order_by("-name").values_list("name", flat=True)[:61])[-1]


def _find_old_event() -> int:
    """The id of an early event of a busy namespace."""
    rows = Event.objects.filter(namespace="ns0").order_by("number")
    return list(rows.values_list("number", flat=True)[:71])[-1]


def _encode_cursor(position: str | int) -> str:
    """The cursor returned with a page that ends here."""
    return pagination.cut_page([position, position], 1, lambda place: place).next or ""
