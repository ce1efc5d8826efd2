"""Every page, as everybody, over a registry in which many things are under way: none leaks an object's repr or has an
id twice, HEAD works wherever GET does, and no nonsense in an address or a form makes it fail."""

import re
from collections import Counter
from copy import copy
from html.parser import HTMLParser
from urllib.parse import urlencode

import pytest
from django.db import transaction
from django.test import Client
from django.urls import resolve

import frontend.urls
from registry.changes import check_results, decisions, emergencies, rules, threads
from registry.changes import services as change_services
from registry.changes.threads import Place
from registry.namespaces import keys
from registry.templates import archive, drafts, label_queries, labels, named_drafts
from registry.templates import save as template_save
from registry.templates.models import Draft, Version
from registry.usage.models import Fetch
from tests.frontend import test_permissions
from tests.frontend.conftest import DOCUMENT, OTHER, REPLY
from tests.frontend.test_permissions import TABLE, world  # noqa: F401  # the fixture
from tests.support.finished_runs import GOLD, save_rows, start_run
from tests.support.recorded_rows import write_or_insert

pytestmark = pytest.mark.dialect

ROLES = ("anonymous", "outsider", "reader", "author", "reviewer", "admin")
MEMBERS = ("reader", "author", "reviewer")  # who see the pages that the admin sees, less some
T = f"/t/{REPLY}"
MORE = [
    *(
        f"/changes/{{{change}}}{view}"
        for change in ("open", "approved", "emergency", "late", "replaced", "closed", "beside", "withdrawn", "live")
        for view in ("", "?view=source", "?view=rendered", "?view=conversation")
    ),
    "/changes/{beside}/merge",
    "/changes/{emergency}/emergency",
    "/changes/{open}/publish",
    "/changes/{open}/emergency",
    *(f"/changes/?state={state}" for state in ("pending", "published", "withdrawn", "all")),
    "/changes/?namespace=support&template=support/refunds/reply",
    "/t/support/refunds/",
    "/t/support/archived",
    "/t/support/archived/-/archive",
    "/t/support/emergency",
    "/t/support/emergency/-/archive",
    "/t/support/emergency/-/labels?label=production&version=1",
    "/t/support/open/-/archive",
    "/n/support/keys?can={key}",
    "/t/?q=reply",
    "/t/?tag=refunds",
    *(f"{T}?ref={ref}" for ref in ("1", "2", "latest", "canary", "production")),
    f"{T}?pin=label&as=python",
    f"{T}/-/diff?from=1&to=2&view=rendered",
    f"{T}/-/diff?from=1&to=2&layout=columns",
    f"{T}/-/diff?from=draft&to=2",
    f"{T}/-/diff?from=1&to=draft&layout=columns",
    f"{T}/-/restore?ref=latest",
    f"{T}/-/drafts?from=1",
    f"{T}/-/edit?draft=Shorter",
    f"{T}/-/diff?from=latest&to=draft:Shorter",
    f"{T}/-/propose?label=production&version=2",
    f"{T}/-/move/size?label=production&version=2",
    f"{T}/-/move/evidence?label=production&version=2",
    f"{T}/-/dependants",
    "/runs/?template=support/refunds/reply",
    "/runs/{done}",
    "/runs/{done}/rows",
    "/runs/{done}/rows/0",
    "/runs/{done}/score?hide=1&row=0",
    "/runs/{done}/export.csv",
    "/runs/{done}/export.jsonl",
    f"/d/{GOLD}/-/diff?from=1&to=2",
    "/releases/?state=all",
    "/releases/{release}",
    "/releases/new/support/?from=canary&to=production",
    "/environments/?show=behind",
    "/environments/calendar?month=2100-01&namespace=support",
    "/environments/calendar?month=soon&namespace=nowhere",
    "/account/keys",
    "/people?show=all&person=asleep",
    "/people?q=nobody-has-this-name",
    "/n/support/audit?kind=label.moved",
    "/no/such",
]
LEAKS = re.compile(
    r"object at 0x|<[A-Z]\w+: |<[A-Z]\w+\b[^>]*\bobject|\[<|QuerySet|bound method|<(?:function|class|generator|module) "
    r"|datetime\.(?:datetime|date|timedelta)\(|Decimal\(|UUID\(|OrderedDict|frozenset\(|dict_(?:keys|values|items)\("
    r"|mappingproxy|defaultdict\(|functools\.partial|\[\]|\{\}|\['|\('\w+',|\{'\w+':"
)
WORDS = re.compile(r"\b(?:None(?! (?:yet|of)\b)|True|False|nan|NaN|undefined)\b")


class _Visible(HTMLParser):
    """What a reader sees, and what attributes say, without what people wrote (texts, sources, values of fields)."""

    WRITTEN = ("textarea", "pre", "code", "script", "option")
    FOR_SCRIPTS = ("value", "data-keep", "data-marks", "data-fetches", "href", "hx-vals")

    def __init__(self):
        super().__init__(convert_charrefs=True)
        self.found, self._inside = [], 0
        self.ids: Counter[str] = Counter()

    def handle_starttag(self, tag, attributes):
        self._inside += tag in self.WRITTEN
        self.ids.update(value for name, value in attributes if name == "id")
        self.found += [
            value
            for name, value in attributes
            if value and name not in ("value", "data-keep", "data-marks", "data-fetches", "href", "hx-vals")
        ]

    def handle_endtag(self, tag):
        self._inside -= tag in self.WRITTEN

    def handle_data(self, text):
        if not self._inside and text.strip():
            self.found.append(text.strip())


def find_leaks(page):
    return _list_leaks(_parse(page))


def _parse(page):
    parser = _Visible()
    parser.feed(page)
    return parser


def _list_leaks(parser):
    return [text[:200] for text in parser.found if LEAKS.search(text) or WORDS.search(text)]


@pytest.mark.parametrize(
    "text",
    [
        "[&lt;ChangeRequest: change 8&gt;, &lt;ChangeRequest: change 7&gt;]",
        "&lt;registry.core.pagination.Page object at 0x7f&gt;",
        "&lt;QuerySet []&gt;",
        "by None",
        "<span title='None'>x</span>",
        "datetime.datetime(2026, 5, 1, 9, 30)",
        "Decimal(&#x27;1.5&#x27;)",
        "[&#x27;problems&#x27;, &#x27;samples&#x27;]",
        "{&#x27;a&#x27;: 1}",
        "Emergency(change=&lt;ChangeRequest: change 8&gt;)",
    ],
)
def test_a_repr_would_be_found(text):
    assert find_leaks(f"<p>{text}</p>")


@pytest.mark.parametrize(
    "text", ["none", "a &lt; b", "nothing [see below]", "v1 to v2 (of 3)", "<textarea>None</textarea>"]
)
def test_plain_words_are_not_a_repr(text):
    assert find_leaks(f"<p>{text}</p>") == []


@pytest.fixture
def busy(reply, world):  # noqa: F811  # the fixture of the same name
    """The world of the permissions, and further: changes in every state, emergencies of every kind, an archived
    template, drafts, threads, fetches, a finished run: the numbers that addresses name."""
    return write_or_insert("busy world of the pages", lambda: _write_busy(reply, world))


def _write_busy(reply, world):  # noqa: F811  # as above
    author, reviewer, admin = (reply.actor(role) for role in ("author", "reviewer", "admin"))
    rules.set_rules(
        actor=admin,
        namespace="support",
        break_glass=True,
        required_checks=["problems", "budget"],
        owners=[{"pattern": "refunds/*", "people": ["reviewer"]}],
    )
    numbers = dict(world)
    for name, decided, moved in (
        ("emergency", False, False),
        ("late", True, False),
        ("replaced", False, True),
        ("closed", False, True),
    ):
        numbers[name] = _publish_in_emergency(reply, f"support/{name}", decided=decided, moved=moved)
    emergencies.close_emergency(actor=admin, number=numbers["closed"], reason="The next version holds it")
    reply.save(name="support/archived")
    archive.archive_template(actor=admin, name="support/archived", reason="Not used")
    first = Version.objects.get(template__name=REPLY, number=1)
    aside = template_save.save_version(
        actor=author,
        name=REPLY,
        document=DOCUMENT.replace("Use only", "Use"),
        message="",
        base=first.digest,
        parallel=True,
    )
    numbers["live"] = _publish(reply, 2)
    numbers["beside"] = reply.propose(aside.version.number, message="First line\n\nMore words").number
    numbers["withdrawn"] = reply.propose(3, message="").number
    change_services.withdraw_change(actor=author, number=numbers["withdrawn"], reason="Not yet")
    threads.open_thread(
        actor=reviewer,
        number=numbers["beside"],
        place=Place(version=aside.version.number, line=2),
        text="Why?",
        suggestion="x\n",
    )
    decisions.decide_on_change(
        actor=reviewer, number=numbers["beside"], decision="request_changes", digest=aside.version.digest, text="No"
    )
    drafts.save_draft(actor=author, namespace="support", path="refunds/reply", document=OTHER, samples="{}", base=1)
    named_drafts.start_named_draft(actor=author, name=REPLY, draft_name="Shorter", source="1")
    key = keys.issue_key(actor=admin, namespace="support", name="checkout", scope="read").key
    now = first.created_at
    Fetch.objects.create(key=key, version=first, ref="production", day=now.date(), count=1234, last_at=now)
    numbers["done"] = start_run(reply).pk
    save_rows(reply, base=numbers["rows"], text='{"id": "one", "inputs": {"question": "Who?"}}\n')
    for number in (numbers["open"], numbers["beside"], numbers["emergency"]):
        check_results.run_checks(number=number)
    assert label_queries.list_published_moves(admin)
    assert Draft.objects.exists()
    return numbers


def _publish(reply, number, name=REPLY):
    change = change_services.propose_change(
        actor=reply.actor("author"), name=name, label="production", version=number, message="Go"
    )
    decisions.decide_on_change(
        actor=reply.actor("reviewer"), number=change.number, decision="approve", digest=change.version.digest
    )
    check_results.run_checks(number=change.number)
    return change_services.publish_change(actor=reply.actor("author"), number=change.number).number


def _publish_in_emergency(reply, name, *, decided, moved):
    """An emergency over an approved version; approved afterwards, or replaced by an approved one, or neither."""
    reply.save(name=name)
    _publish(reply, 1, name)
    reply.save(OTHER, name=name)
    change = change_services.propose_change(
        actor=reply.actor("author"), name=name, label="production", version=2, message="Now"
    )
    emergencies.publish_in_emergency(
        actor=reply.actor("reviewer"), number=change.number, reason="Customers are told wrong terms"
    )
    if decided:
        decisions.decide_on_change(
            actor=reply.actor("admin"), number=change.number, decision="approve", digest=change.version.digest
        )
    if moved:
        labels.roll_back_label(actor=reply.actor("reviewer"), name=name, label="production", version=1, reason="Wrong")
    return change.number


@pytest.fixture
def clients(desk, browser):
    return {"anonymous": Client(), **{name: browser(name) for name in ROLES[1:]}}


def _list_addresses(found):
    paths = [row.path for (_, method, _), row in TABLE.items() if method == "GET"] + MORE
    return list(dict.fromkeys(test_permissions._fill(path, found) for path in paths))


@pytest.mark.slow
@pytest.mark.parametrize(
    "role", [pytest.param(role, marks=pytest.mark.slow) if role in MEMBERS else role for role in ROLES]
)
def test_no_page_shows_a_repr_to_anybody_or_has_an_id_twice(busy, clients, role):
    wrong, repeated = {}, {}
    for address in _list_addresses(busy):
        answer = clients[role].get(address)
        assert answer.status_code < 500, address
        if answer["Content-Type"].startswith("text/html"):
            parser = _parse(answer.content.decode())
            if leaks := _list_leaks(parser):
                wrong[address] = leaks
            if ids := [name for name, count in parser.ids.items() if count > 1]:
                repeated[address] = ids
    assert (wrong, repeated) == ({}, {})


def _named(patterns):
    """The names of all addresses of the pages, included ones too."""
    for pattern in patterns:
        if hasattr(pattern, "url_patterns"):
            yield from _named(pattern.url_patterns)
        else:
            yield pattern.name


def test_these_are_all_pages(busy):
    addresses = [address for address in _list_addresses(busy) if address != "/no/such"]
    visited = {resolve(address.partition("?")[0]).url_name for address in addresses}
    missing = set(_named(frontend.urls.urlpatterns)) - visited
    assert sorted(missing - NO_PAGES) == []


@pytest.mark.slow
def test_head_answers_as_get_does_and_without_a_body(busy, clients):
    for role in ("anonymous", "admin"):
        for address in [address for address in _list_addresses(busy) if "?" not in address]:
            got, head = clients[role].get(address), clients[role].head(address)
            assert (head.status_code, address) == (got.status_code, address)
            assert b"".join(head) == b""


# They take POST, PUT or DELETE only, or are another name of a page.
NO_PAGES = {
    "account_login",
    "archive-dataset",
    "close-checklist",
    "column-row",
    "column-sample",
    "copy-rows",
    "draft",
    "favourite",
    "logout",
    "open-checklist",
    "playground-rows",
    "preview",
    "restore-dataset",
    "run-draft",
    "script-texts",
    "start-draft",
    "start-run",
    "stop-column",
    "stop-runs",
    "suggestion",
    "theme",
}
NONSENSE = [
    "\0",
    "\ufffd",
    "-1",
    "0",
    "9" * 30,
    "9" * 5000,
    "\u0663",
    "\u00b2",
    "[]",
    "x" * 9000,
    "1.5",
    "\N{GRINNING FACE}",
    "../..",
    "' OR 1",
]
NAMES = [
    "ref",
    "sample",
    "cursor",
    "from",
    "to",
    "q",
    "state",
    "label",
    "version",
    "view",
    "against",
    "line",
    "end_line",
    "part",
    "remark",
    "side",
    "namespace",
    "template",
    "show",
    "limit",
    "tag",
    "in",
    "dataset",
    "model",
    "kind",
    "person",
    "pin",
    "as",
    "metric",
    "sort",
    "page",
    "prompt",
    "pair",
    "row",
    "since",
    "until",
    "next",
    "origin",
    "start",
    "number",
]


def _some(index):
    """Three of the values, others for each address, so that each of them meets many."""
    return [NONSENSE[(index * 3 + step) % len(NONSENSE)] for step in range(3)]


@pytest.mark.slow
def test_nonsense_in_the_query_of_a_page_never_fails(busy, clients):
    client, failed = clients["admin"], []
    client.raise_request_exception = False
    for index, address in enumerate(address for address in _list_addresses(busy) if "?" not in address):
        queries = [urlencode(dict.fromkeys(NAMES, value)) for value in _some(index)]
        for query in [*queries, "%ff=%ff&q=%zz%&state=%00"]:
            if client.get(f"{address}?{query}").status_code >= 500:
                failed.append((address, query[:60]))
    assert failed == []


@pytest.mark.slow
@pytest.mark.parametrize("number", [0, 2**31, 2**63, 10**40])
def test_numbers_of_any_size_in_addresses_never_fail(busy, clients, number):
    client, failed = clients["admin"], []
    client.raise_request_exception = False
    numbers = {name: number if isinstance(value, int) else value for name, value in busy.items()}
    for asked, row in TABLE.items():
        address, cookies = test_permissions._fill(row.path, numbers), copy(client.cookies)
        if address == test_permissions._fill(row.path, busy):
            continue
        with transaction.atomic():
            answer = client.generic(asked[1], address, urlencode(row.sent or {}), "application/x-www-form-urlencoded")
            transaction.set_rollback(True)
        client.cookies = copy(cookies)
        if answer.status_code >= 500:
            failed.append((asked, address))
    assert failed == []


@pytest.mark.slow
def test_nonsense_in_a_form_never_fails(busy, clients):
    client, failed = clients["admin"], []
    client.raise_request_exception = False
    posts = [(asked, row) for asked, row in TABLE.items() if asked[1] == "POST" and asked[0] != "logout"]
    for index, (asked, row) in enumerate(posts):
        address, cookies = test_permissions._fill(row.path, busy), copy(client.cookies)
        sent = row.sent or {}
        act = {"do": sent["do"]} if "do" in sent else {}
        bodies = [urlencode({**dict.fromkeys([*sent, *NAMES], value), **act}) for value in _some(index)]
        for body in [*bodies, "%ff=%ff&do=%ff&text=%00", ""]:
            with transaction.atomic():
                answer = client.post(address, body, content_type="application/x-www-form-urlencoded")
                transaction.set_rollback(True)
            client.cookies = copy(cookies)
            if answer.status_code >= 500:
                failed.append((asked, body[:60]))
    assert failed == []
