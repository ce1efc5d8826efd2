"""How fast the mirror follows the journal: `python benchmarks/registry.py`, about five minutes.

* commits a second while catching up, from database rows to commits on disk, compared with GitPython's index-and-commit
  of the same files in the same tree: 10,000 templates in 50 namespaces;
* the cost of a commit with 1,000, 10,000 and 100,000 templates in the tree, which should be the same;
* the lag of the mirror at ten saves a second, with the worker's default settings;
* the cost of a save with 100,000 templates in the database and with 1,000: two interleaved processes, one per database.

All run on one machine in the same run, so read the ratios rather than the figures.
"""

import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
HOME = Path(tempfile.mkdtemp(prefix="promptuary-bench-"))
os.environ.update(PROMPTUARY_HOME=str(HOME), DJANGO_SETTINGS_MODULE="registry.settings")
os.environ.pop("PROMPTUARY_DATABASE_URL", None)
sys.path.insert(0, str(ROOT))

import django

django.setup()

import git
from django.core.management import call_command
from django.db.models import OuterRef, Subquery

from benchmarks.baseline import record_ratio
from promptuary.renderer import digest
from registry import mirror
from registry.accounts import actor
from registry.journal import log, mirror_paths
from registry.journal.event import compute_digest, format_canonical_json, to_microseconds
from registry.journal.models import Event
from registry.mirror import fast_import as mirror_fast_import
from registry.mirror.commit_message import Entry
from registry.mirror.repository import Repository
from registry.namespaces import services
from registry.templates import labels
from registry.templates import save as template_save
from registry.templates.events import VersionSaved
from registry.templates.models import Template, Version

NAMESPACES, FOLDERS = 50, 20
BODY = "- name: question\n  content: |\n" + "    Answer from the excerpts, and say where it stands.\n" * 30
SIZES = (1_000, 10_000, 100_000)
STEADY = 500  # measured commits at each size
PEER_COMMITS = 3
SAVES, SAVES_A_SECOND = 100, 10
ROUNDS, SAVES_A_ROUND = 12, 15


def main() -> None:
    """Measure and print."""
    try:
        call_command("migrate", verbosity=0)
        if sys.argv[1:2] == ["--saves"]:
            answer_saves(int(sys.argv[2]))
            return
        print_catch_up()
        print_sizes()
        print_lag()
        print_saves()
    finally:
        shutil.rmtree(HOME, ignore_errors=True)


def print_catch_up() -> None:
    """Print how fast the mirror catches up on 10,000 templates, compared with GitPython."""
    fill_journal(10_000)
    started = time.perf_counter()
    first = mirror.catch_up()
    filling = time.perf_counter() - started
    for _ in range(STEADY // 100):
        add_versions(100)
    started = time.perf_counter()
    steady = mirror.catch_up()
    ours = (time.perf_counter() - started) / steady
    theirs = measure_gitpython()
    print("Catching up, 10,000 templates over 50 namespaces")
    print(f"  from an empty mirror    {first / filling:9.0f} commits/s ({first} events)")
    print(f"  with all of them there  {1 / ours:9.0f} commits/s")
    print(f"  GitPython index+commit  {1 / theirs:9.2f} commits/s")
    print(f"  ratio                   {theirs / ours:9.0f}x  (goal: 100x)\n")
    record_ratio("a commit of GitPython / of the mirror", theirs / ours)


def fill_journal(count: int) -> None:
    """Write this many templates with one version each: the same rows as the services write, but in bulk."""
    operator = actor.build_operator_actor()
    spaces = [services.create_namespace(actor=operator, name=f"ns{number}") for number in range(NAMESPACES)]
    at = log.now()
    made = [
        Template(
            namespace=spaces[i % NAMESPACES],
            name=make_name(i),
            created_by=operator.person,
            created_at=at,
            updated_at=at,
        )
        for i in range(count)
    ]
    add_events(Template.objects.bulk_create(made, batch_size=500), 1)
    newest = Version.objects.filter(template=OuterRef("pk")).order_by("-number").values("pk")[:1]
    Template.objects.update(latest=Subquery(newest))


def add_versions(count: int) -> None:
    """Add a version to some of the templates, spread over all namespaces."""
    chosen = list(Template.objects.select_related("namespace").order_by("?")[:count])
    number = (Version.objects.order_by("-number").values_list("number", flat=True).first() or 0) + 1
    add_events(chosen, number)


def add_events(chosen: Sequence[Template], number: int) -> None:
    """Add a version and its event for each template, continuing the hash chain."""
    operator, at = actor.build_operator_actor(), log.now()
    last = Event.objects.order_by("-number").first()
    at_number, head = (last.number, last.hash) if last else (0, None)
    versions, events = [], []
    for template in chosen:
        bundle = {"engine": 1, "document": f"{BODY}    {template.name} {number}\n", "fragments": {}, "profile": None}
        version = Version(
            template=template,
            number=number,
            digest=digest(bundle),
            bundle=format_canonical_json(bundle),
            author=operator.person,
            message="Measure",
            created_at=at,
        )
        body = {
            "template": template.name,
            "number": number,
            "digest": version.digest,
            "document": compute_digest(version.document),
            "fragments": {},
            "profile": None,
            "base": None,
            "message": "Measure",
        }
        at_number += 1
        facts = {
            "at": to_microseconds(at),
            "body": body,
            "key": None,
            "kind": VersionSaved.kind,
            "namespace": template.namespace.name,
            "number": at_number,
            "person": operator.person.username,
            "previous": head,
        }
        text = format_canonical_json(facts)
        head = compute_digest(text)
        columns = {name: facts[name] for name in ("at", "kind", "namespace", "number", "person")}
        events.append(Event(**columns, template=template.name, version=number, text=text, hash=head))
        versions.append(version)
    Version.objects.bulk_create(versions, batch_size=200)
    Event.objects.bulk_create(events, batch_size=200)


def measure_gitpython() -> float:
    """Seconds for one commit of two files by GitPython's index, in a work tree of the mirror's newest commit."""
    work = HOME / "peer"
    subprocess.run(["git", "clone", "-q", HOME / "mirror.git", work], check=True)
    repository = git.Repo(work)
    author = git.Actor("bench", "bench@promptuary.invalid")
    times = []
    for i in range(PEER_COMMITS):
        paths = [mirror_paths.locate_document(make_name(i)), mirror_paths.locate_bundle(make_name(i))]
        for path in paths:
            (work / path).write_text(f"{BODY}    peer {i}\n")
        started = time.perf_counter()
        repository.index.add(paths)
        repository.index.commit("Measure", author=author, committer=author)
        times.append(time.perf_counter() - started)
    return statistics.median(times)


def print_sizes() -> None:
    """Print the cost of a commit by the size of the tree."""
    costs = {size: measure_size(size) for size in SIZES}
    print("One commit by the size of the tree, in batches of 50")
    for size, cost in costs.items():
        print(f"  {size:7,} templates  {cost * 1000:6.2f} ms")
    print(f"  ratio {SIZES[-1]:,} to {SIZES[0]:,}: {costs[SIZES[-1]] / costs[SIZES[0]]:.2f}  (goal: at most 2)\n")
    record_ratio(f"a commit at {SIZES[0]:,} templates / at {SIZES[-1]:,}", costs[SIZES[0]] / costs[SIZES[-1]])


def measure_size(size: int) -> float:
    """Seconds for one commit in a repository with this many templates."""
    repository = Repository(HOME / f"size-{size}.git")
    repository.create()
    files = {mirror_paths.locate_document(make_name(i)): f"{BODY}    {i}\n".encode() for i in range(size)}
    files.update({mirror_paths.locate_bundle(make_name(i)): b"version: 1\n" for i in range(size)})
    import_entries(repository, [make_entry(1, files)])
    repository.repack()
    step = max(1, size // STEADY)
    updates = [
        make_entry(
            2 + i,
            {
                mirror_paths.locate_document(make_name(i * step)): b"new %d\n" % i,
                mirror_paths.locate_bundle(make_name(i * step)): b"version: %d\n" % i,
            },
        )
        for i in range(STEADY)
    ]
    times = []
    for batch in split_entries(updates, 50):
        started = time.perf_counter()
        import_entries(repository, batch)
        times.append((time.perf_counter() - started) / len(batch))
    shutil.rmtree(repository.path)
    return statistics.median(times)


def import_entries(repository: Repository, entries: Sequence[Entry]) -> None:
    """Import one batch as the mirror's writer does."""
    heads = {ref: head.commit for ref, head in repository.list_heads().items()}
    repository.run_fast_import(mirror_fast_import.build_stream(entries, heads, {}))


def print_lag() -> None:
    """Save ten times a second while the worker runs; print the age of the oldest event missing from the mirror."""
    author = actor.build_operator_actor()
    services.create_namespace(actor=author, name="live")
    base = None
    for text in ("one", "two"):
        saved = template_save.save_version(
            actor=author, name="live/reply", document=f"{BODY}    {text}\n", message="", base=base
        )
        base = saved.version.digest
    command = [sys.executable, "-m", "celery", "--quiet", "-A", "registry.celery", "worker", "--pool", "threads"]
    with subprocess.Popen(command, cwd=ROOT, stderr=subprocess.DEVNULL, stdout=subprocess.DEVNULL) as worker:
        time.sleep(5)  # the worker doesn't signal that it is ready
        lags = list(move_labels(author))
        worker.terminate()
    print(f"Lag while {SAVES_A_SECOND} writes a second come in, seconds since the oldest event that is not mirrored")
    print(
        f"  median {statistics.median(lags):.3f}, 95% below {statistics.quantiles(lags, n=20)[-1]:.3f}, "
        f"most {max(lags):.3f}"
    )


def move_labels(author: actor.Actor) -> Iterator[float]:
    """Write every tenth of a second; return the lag right before each write."""
    served = None
    for count in range(SAVES):
        started = time.perf_counter()
        yield mirror.read_status().lag
        version = count % 2 + 1
        labels.move_label(actor=author, name="live/reply", label="staging", version=version, expected=served)
        served = version
        time.sleep(max(0.0, 1 / SAVES_A_SECOND - (time.perf_counter() - started)))


def print_saves() -> None:
    """Print the cost of a save by the number of templates in the database."""
    command = [sys.executable, __file__, "--saves"]
    rivals = {
        size: subprocess.Popen([*command, str(size)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        for size in (SIZES[0], SIZES[-1])
    }
    for rival in rivals.values():
        ask(rival)  # the database is filled and the first saves are done
    times: dict[int, list[float]] = {size: [] for size in rivals}
    for _ in range(ROUNDS):
        for size, rival in rivals.items():
            times[size].append(ask(rival))
    for rival in rivals.values():
        rival.communicate("")
    costs = {size: statistics.median(durations) for size, durations in times.items()}
    print("One save (checked, stored, journalled) by the number of templates")
    for size, cost in costs.items():
        print(f"  {size:7,} templates  {cost * 1000:6.2f} ms")
    print(f"  ratio {SIZES[-1]:,} to {SIZES[0]:,}: {costs[SIZES[-1]] / costs[SIZES[0]]:.2f}  (goal: at most 1.3)")
    record_ratio(f"a save at {SIZES[0]:,} templates / at {SIZES[-1]:,}", costs[SIZES[0]] / costs[SIZES[-1]])


def ask(rival: "subprocess.Popen[str]") -> float:
    """Run one round of saves in the other process; return the median of their seconds."""
    assert rival.stdin is not None
    assert rival.stdout is not None
    rival.stdin.write("save\n")
    rival.stdin.flush()
    return float(rival.stdout.readline())


def answer_saves(size: int) -> None:
    """Fill the database, then run a round of saves for each line of standard input."""
    fill_journal(size)
    author = actor.build_operator_actor()
    for line in sys.stdin:
        times = []
        for count in range(SAVES_A_ROUND if line.strip() else 0):
            template = Template.objects.select_related("latest").get(name=make_name(count * 61))
            document = f"{BODY}    round {time.perf_counter_ns()}\n"
            started = time.perf_counter()
            base = template.latest.digest if template.latest else None
            template_save.save_version(
                actor=author, name=template.name, document=document, message="Measure", base=base
            )
            times.append(time.perf_counter() - started)
        print(statistics.median(times), flush=True)


def make_name(number: int) -> str:
    """The name of one template: a namespace, a folder, the template."""
    return f"ns{number % NAMESPACES}/folder{number // NAMESPACES % FOLDERS}/t{number}"


def make_entry(number: int, files: dict[str, bytes]) -> Entry:
    """A journal entry with these files."""
    return Entry(
        number=number, at=0, author="bench", subject="Measure", record="{}", chain=f"c{number}", files={**files}
    )


def split_entries(entries: Sequence[Entry], size: int) -> Iterator[Sequence[Entry]]:
    """The entries in batches of this size."""
    for start in range(0, len(entries), size):
        yield entries[start : start + size]


if __name__ == "__main__":
    main()
