"""How long pages and lists take as templates grow: `python benchmarks/pages.py [sizes] [versions]`, about ten minutes.

Fills one database with 1,000 and then 100,000 templates of ten versions over 50 namespaces, with labels, tags, inputs
and models that differ, and asks for each page in this process, so that only the time of the server counts. Prints for
each page the median time, on the clock and of the processor, and the number of queries. SQLite, or the database that
PROMPTUARY_DATABASE_URL names, which has to be empty. The goals: at most 80 ms, at most 1.3 times the time of 1,000
templates, and as many queries.
"""

import os
import random
import shutil
import statistics
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
HOME = Path(tempfile.mkdtemp(prefix="promptuary-bench-"))
os.environ.update(PROMPTUARY_HOME=str(HOME), DJANGO_SETTINGS_MODULE="registry.settings")
sys.path.insert(0, str(ROOT))

import django

django.setup()

from django.conf import settings
from django.core.management import call_command
from django.db import connection, transaction
from django.db.models import OuterRef, Subquery
from django.test import Client
from django.test.utils import override_settings

from promptuary.renderer import digest
from registry.accounts.actor import Actor
from registry.accounts.models import User
from registry.core import pagination
from registry.journal import log
from registry.journal.event import canonical
from registry.namespaces import keys, services
from registry.namespaces.models import Namespace
from registry.templates import search_entries
from registry.templates.label_models import Label, LabelMove
from registry.templates.models import Tag, Template, Version

NAMESPACES, FOLDERS, ROUNDS = 50, 20, 15
MODELS = ("gpt-4o", "gpt-4o-mini", "claude-sonnet", "mistral-large")
SUBJECTS = ("refund", "delivery", "invoice", "complaint", "exchange", "warranty", "account", "password")
WORDS = tuple(f"{first}{last}" for first in ("be", "co", "re", "un", "pro", "sub") for last in SUBJECTS)
MOST_MS, MOST_RATIO = 80.0, 1.3
Page = tuple[str, str, bool]  # what it is, its address, whether it is asked for with a key


@dataclass(frozen=True)
class PageCost:
    """Median milliseconds of a page, those that this process computed of them, and the number of queries."""

    wall: float
    processor: float
    queries: int


def main() -> None:
    """Fill, measure and print."""
    sizes = [int(size) for size in (sys.argv[1] if sys.argv[1:] else "1000,100000").split(",")]
    versions = int(sys.argv[2]) if sys.argv[2:] else 10
    try:
        call_command("migrate", verbosity=0)
        actor = add_people()
        results: dict[int, dict[str, PageCost]] = {}
        secret = keys.issue_key(actor=actor, namespace="ns0", name="bench", scope="read").secret
        for size in sizes:
            add_templates(actor, size, versions)
            results[size] = measure_pages(actor, secret)
        print_results(results, versions)
    finally:
        shutil.rmtree(HOME, ignore_errors=True)


def add_people() -> Actor:
    """An admin of 50 namespaces, each protecting `production`."""
    actor = Actor(User.objects.create(username="bench"))
    for number in range(NAMESPACES):
        services.create_namespace(actor=actor, name=f"ns{number}", protected_labels=["production"])
    return actor


def name_of(number: int) -> str:
    """Subjects repeat, so that words are common and rare; the number makes the name unique."""
    subject = SUBJECTS[number % len(SUBJECTS)]
    return f"ns{number % NAMESPACES}/{SUBJECTS[number // 7 % 8]}-{number % FOLDERS}/{subject}-t{number}"


def document_of(number: int, version: int, chance: random.Random) -> str:
    """A document of about a kilobyte with front matter."""
    words = [" ".join(chance.choices(WORDS, k=12)) for _ in range(8)]
    lines = "\n".join(f"    {line}." for line in words)
    subject = SUBJECTS[number % len(SUBJECTS)]
    return (
        f"---\ndescription: Answer about a {subject}\ntags: [{subject}, team-{number % 13}]\n"
        f"model: {MODELS[number % len(MODELS)]}\ninputs:\n  question: {{type: string}}\n"
        f"  {subject}_number: {{type: string}}\n---\n- name: question\n  content: |\n{lines}\n"
        f"    Marker m{number} {version}. {{{{ question }}}} {{{{ {subject}_number }}}}\n"
    )


def add_templates(actor: Actor, size: int, versions: int) -> None:
    """Templates up to this number, as the services write them but in bulk and in no journal."""
    start = Template.objects.count()
    spaces = {space.name: space for space in Namespace.objects.all()}
    for batch in batches_of(start, size):
        with transaction.atomic():
            add_batch(actor, spaces, batch, versions)
    newest = Version.objects.filter(template=OuterRef("pk")).order_by("-number").values("pk")[:1]
    Template.objects.filter(latest=None).update(latest=Subquery(newest))
    search_entries.rebuild_entries()
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE")


def batches_of(start: int, end: int) -> Iterator[range]:
    """The numbers in between, a thousand at a time."""
    for first in range(start, end, 1_000):
        yield range(first, min(first + 1_000, end))


def add_batch(actor: Actor, spaces: dict[str, Namespace], numbers: Sequence[int], versions: int) -> None:
    """Some templates with their versions, tags and labels; `production` of every fifth one is behind."""
    at = log.now()
    rows = []
    for number in numbers:
        name = name_of(number)
        subject = SUBJECTS[number % len(SUBJECTS)]
        moment = at - timedelta(minutes=number % 50_000)
        row = Template(namespace=spaces[name.partition("/")[0]], name=name, description=f"Answer about a {subject}")
        row.created_by, row.created_at, row.updated_at = actor.person, moment, moment
        rows.append(row)
    templates = Template.objects.bulk_create(rows)
    saved = Version.objects.bulk_create(make_versions(actor, numbers, templates, versions), batch_size=500)
    by_place = {(row.template_id, row.number): row for row in saved}
    tags, labels, moves = [], [], []
    for number, template in zip(numbers, templates, strict=True):
        subject = SUBJECTS[number % len(SUBJECTS)]
        tags += [Tag(template=template, name=name) for name in (subject, f"team-{number % 13}")]
        live = by_place[template.pk, versions - (number % 5 == 0 and versions > 1)]
        for label, version in (("production", live), ("staging", by_place[template.pk, versions])):
            labels.append(Label(template=template, name=label, version=version, moved_at=at))
            move = LabelMove(template=template, label=label, after=version, how="moved")
            move.person, move.created_at = actor.person, at
            moves.append(move)
    Tag.objects.bulk_create(tags)
    Label.objects.bulk_create(labels)
    LabelMove.objects.bulk_create(moves)


def make_versions(
    actor: Actor, numbers: Sequence[int], templates: Sequence[Template], versions: int
) -> Iterator[Version]:
    """Unsaved rows of every version."""
    for number, template in zip(numbers, templates, strict=True):
        chance = random.Random(number)
        for version in range(1, versions + 1):
            text = document_of(number, version, chance)
            bundle = {"engine": 1, "document": text, "fragments": {}, "profile": None}
            yield Version(
                template=template,
                number=version,
                digest=digest(bundle),
                bundle=canonical(bundle),
                author=actor.person,
                message=f"Version {version}",
                created_at=template.updated_at,
            )


def pages() -> list[Page]:
    """What is measured. Word 500 stands in one template, `refund` in an eighth, `question` in all."""
    deep = name_of(777)
    folder = deep.rpartition("/")[0]
    return [
        ("home", "/", False),
        ("browse", "/t/", False),
        ("browse by change", "/t/?sort=changed", False),
        ("browse, a namespace", "/t/ns7/", False),
        ("browse, a folder", f"/t/{folder}/", False),
        ("search a rare word", "/t/?q=m500", False),
        ("search a common word", "/t/?q=question", False),
        ("search a frequent word", "/t/?q=refund", False),
        ("search two words", "/t/?q=unrefund+proinvoice", False),
        ("search a part of a name", "/t/?q=elivery-t77", False),
        ("search nothing found", "/t/?q=xylophone", False),
        ("search by change", "/t/?q=question&sort=changed", False),
        ("filter tag", "/t/?tag=team-3", False),
        ("filter label and tag", "/t/?label=production&tag=refund", False),
        ("filter input", "/t/?input=refund_number", False),
        ("filter owner", "/t/?owner=bench", False),
        ("filter behind and word", "/t/?behind=production&q=warranty", False),
        ("palette", "/search.json?q=refund", False),
        ("palette, rare", "/search.json?q=t777", False),
        ("environments", "/environments/", False),
        ("environments behind", "/environments/?show=behind", False),
        ("environments by name", "/environments/?q=refund", False),
        ("template", f"/t/{deep}", False),
        ("editor", f"/t/{deep}/-/edit", False),
        ("versions", f"/t/{deep}/-/versions", False),
        ("changes", "/changes/", False),
        ("API templates", "/api/v1/templates", True),
        ("API templates, 200", "/api/v1/templates?limit=200", True),
        ("API search", "/api/v1/templates?search=question", True),
        ("API search, rare", "/api/v1/templates?search=m500", True),
        ("API tag", "/api/v1/templates?tag=refund", True),
        ("API template", f"/api/v1/templates/{name_of(0)}", True),
    ]


def measure_pages(actor: Actor, secret: str) -> dict[str, PageCost]:
    """Median milliseconds and number of queries of each page, and of the last page of the longest lists."""
    client = Client(raise_request_exception=True)
    client.force_login(actor.person, backend=settings.AUTHENTICATION_BACKENDS[0])
    reader = Client(headers={"Authorization": f"Bearer {secret}"})
    found = {}
    with override_settings(ALLOWED_HOSTS=["*"]):
        for name, address, with_key in [*pages(), *deep_pages()]:
            found[name] = measure_page(reader if with_key else client, address)
    return found


def deep_pages() -> list[Page]:
    """The same lists near their ends."""
    last = Template.objects.order_by("-name").values_list("name", flat=True)[60]
    key_last = Template.objects.filter(namespace__name="ns0").order_by("-name").values_list("name", flat=True)[2]
    by_name, by_change = cursor_of(last), cursor_of(60)
    return [
        ("browse, last page", f"/t/?cursor={by_name}", False),
        ("browse by change, last", f"/t/?sort=changed&cursor={by_change}", False),
        ("search, last page", f"/t/?q=question&cursor={by_name}", False),
        ("search by change, last", f"/t/?q=question&sort=changed&cursor={by_change}", False),
        ("environments, last page", f"/environments/?cursor={by_name}", False),
        ("API templates, last page", f"/api/v1/templates?cursor={cursor_of(key_last)}", True),
    ]


def cursor_of(position: str | int) -> str:
    """The cursor that a page ending here gives."""
    page = pagination.cut([position, position], 1, lambda place: place)
    return page.next or ""


def measure_page(client: Client, address: str) -> PageCost:
    """The medians of some rounds, after one that warms up, and the queries of one."""
    client.get(address)
    statements: list[str] = []

    def note_statement(execute: Any, sql: str, parameters: Any, many: bool, context: Any) -> Any:
        statements.append(sql)
        return execute(sql, parameters, many, context)

    with connection.execute_wrapper(note_statement):
        response = client.get(address)
    if response.status_code != 200:
        raise SystemExit(f"{address} answered {response.status_code}")
    times, processor_times = [], []
    for _ in range(ROUNDS):
        started, processor_started = time.perf_counter(), time.process_time()
        client.get(address)
        processor_times.append(time.process_time() - processor_started)
        times.append(time.perf_counter() - started)
    return PageCost(statistics.median(times) * 1000, statistics.median(processor_times) * 1000, len(statements))


def print_results(results: dict[int, dict[str, PageCost]], versions: int) -> None:
    """A line for each page."""
    sizes = list(results)
    print(f"Pages on {connection.vendor}, {versions} versions each, by number of templates:")
    print("median ms on the clock, ms of this process's processor, queries; ratio by each")
    print(f"{'':26}" + "".join(f"{size:>24,}" for size in sizes))
    for name in results[sizes[0]]:
        costs = [results[size][name] for size in sizes]
        first, last = costs[0], costs[-1]
        ratios = [last.wall / first.wall, last.processor / first.processor]
        faults = [f"over {MOST_MS:g} ms"] if last.wall > MOST_MS else []
        faults += [f"over {MOST_RATIO:g}"] if min(ratios) > MOST_RATIO else []
        faults += ["more queries"] if last.queries > first.queries else []
        columns = "".join(f"{cost.wall:9.1f} {cost.processor:8.1f} {cost.queries:5}" for cost in costs)
        print(f"{name:26}{columns}  {ratios[0]:5.2f} {ratios[1]:5.2f}  {', '.join(faults)}")


if __name__ == "__main__":
    main()
