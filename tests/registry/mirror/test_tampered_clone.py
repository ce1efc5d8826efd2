"""Edited clones: the forged commit is reported, and no database is restored from it."""

import json
import os
import subprocess

import pytest
from django.core.management import CommandError, call_command

from registry import mirror
from registry.journal.event import compute_digest, format_canonical_json
from registry.journal.models import Event
from registry.namespaces.models import Namespace
from tests.registry.mirror.test_restore import empty_the_database
from tests.registry.mirror.test_verify import PERSON, git

pytestmark = pytest.mark.django_db
TEMPLATE = "support/refunds/reply"


@pytest.fixture
def clone(story, mirror_path, tmp_path):
    """What somebody cloned, with plain git and a work tree."""
    mirror.catch_up()
    git(tmp_path, "clone", "-q", str(mirror_path), "clone")
    return tmp_path / "clone"


def verify(clone):
    return mirror.verify_clone(mirror.open_clone(clone))


def rewrite(clone, edit):
    """Rewrite `main` with `edit(message, event)` applied to each message; return {event number: its new commit}."""
    commits = git(clone, "log", "--first-parent", "--reverse", "--format=%H", "main").split()
    parent, written = "", {}
    for number, commit in enumerate(commits, start=1):
        message = edit(git(clone, "log", "-1", "--format=%B", commit) + "\n", number)
        facts = git(clone, "log", "-1", "--format=%an%n%ae%n%at%n%cn%n%ce%n%ct", commit).split("\n")
        names = ("AUTHOR_NAME", "AUTHOR_EMAIL", "AUTHOR_DATE", "COMMITTER_NAME", "COMMITTER_EMAIL", "COMMITTER_DATE")
        person = {
            f"GIT_{name}": f"{fact} +0000" if "DATE" in name else fact for name, fact in zip(names, facts, strict=True)
        }
        above = ["-p", parent] if parent else []
        parent = subprocess.run(
            ["git", "commit-tree", f"{commit}^{{tree}}", *above],
            cwd=clone, input=message, env={**PERSON, **person}, capture_output=True, text=True, check=True,
        ).stdout.strip()  # fmt: skip
        written[number] = parent
    git(clone, "update-ref", "refs/heads/main", parent)
    return written


def rechained(changes):
    """An edit that puts other bodies into events and makes every hash after them fit again."""
    state: dict[str, str | None] = {"previous": None}

    def edit(message, number):
        head, _, trailers = message.rstrip("\n").rpartition("\n\n")
        lines = dict(line.split(": ", 1) for line in trailers.split("\n"))
        facts = json.loads(lines["Promptuary-Record"])
        facts["previous"] = state["previous"]
        changes(facts)
        lines["Promptuary-Record"] = format_canonical_json(facts)
        lines["Promptuary-Chain"] = state["previous"] = compute_digest(lines["Promptuary-Record"])
        return head + "\n\n" + "\n".join(f"{name}: {value}" for name, value in lines.items()) + "\n"

    return edit


def test_an_untouched_clone_is_right_and_one_that_lags_is_too(clone):
    assert verify(clone) == []
    git(clone, "reset", "-q", "--hard", "main~3")
    git(clone, "update-ref", "-d", "refs/remotes/origin/label/production")
    assert verify(clone) == []


def test_an_edited_document_is_named_by_its_commit(clone):
    (clone / f"{TEMPLATE}.yml.j2").write_text("- name: a\n  content: Evil\n")
    subprocess.run(["git", "commit", "-qam", "Harmless"], cwd=clone, check=True, env=PERSON)
    forged = git(clone, "rev-parse", "main")
    (finding,) = verify(clone)
    assert forged in finding
    with pytest.raises(CommandError, match="1 found"):
        call_command("mirror", "verify", clone=clone)


def test_a_moved_label_branch_is_named_and_stops_a_restore(clone):
    forged = git(clone, "rev-parse", "origin/label/staging")
    git(clone, "update-ref", "refs/remotes/origin/label/production", forged)
    (finding,) = verify(clone)
    assert finding.startswith("label/production: commit")
    empty_the_database()
    with pytest.raises(mirror.MirrorError, match="label/production: commit"):
        mirror.restore(clone)
    assert not Namespace.objects.exists()


def invent_an_approval(facts):
    """The reviewer's comment becomes the author's yes."""
    if facts["kind"] == "change.decided" and facts["body"]["decision"] == "approve":
        facts["person"] = "author"


def test_an_approval_by_another_person_is_named_even_with_every_hash_made_to_fit(clone):
    number = Event.objects.filter(kind="change.decided").order_by("-number").values_list("number", flat=True).first()
    written = rewrite(clone, rechained(invent_an_approval))
    assert written[number] in verify(clone)[0]


def test_a_restore_refuses_a_publication_that_the_rules_of_its_day_forbid(clone):
    moved = Event.objects.get(kind="label.moved", text__contains='"how":"published"').number
    written = rewrite(clone, rechained(invent_an_approval))
    empty_the_database()
    with pytest.raises(
        mirror.MirrorError, match=f"{written[moved]}.*production, which is protected.*approvals were missing"
    ):
        mirror.restore(clone)
    assert not Event.objects.exists()


def free_the_move(facts):
    """The publication becomes a plain move."""
    if facts["body"].get("how") == "published":
        facts["body"].update(how="moved", change=None)


def test_a_restore_refuses_a_protected_label_that_moved_without_a_request(clone):
    rewrite(clone, rechained(free_the_move))
    empty_the_database()
    with pytest.raises(mirror.MirrorError, match="was moved without a request"):
        mirror.restore(clone)


def test_an_event_that_was_changed_alone_breaks_the_chain(clone):
    def edit(message, number):
        return message.replace("author", "mallory") if number == 8 else message

    written = rewrite(clone, edit)
    empty_the_database()
    with pytest.raises(mirror.MirrorError, match=written[8]):
        mirror.restore(clone)


def test_a_recorded_hash_detects_a_replaced_history(clone):
    event = Event.objects.order_by("-number").values_list("hash", flat=True).first()
    rewrite(clone, rechained(lambda facts: facts.update(at=facts["at"] + 0)))
    empty_the_database()
    with pytest.raises(mirror.MirrorError, match="not with sha256:0"):
        mirror.restore(clone, "sha256:0")
    assert mirror.restore(clone, event).chain == event


def test_damage_in_a_clone_is_reported_in_gits_words(clone):
    tree = git(clone, "rev-parse", "main~2^{tree}")
    (clone / ".git" / "objects" / tree[:2] / tree[2:]).unlink()
    (finding,) = verify(clone)
    assert finding.startswith("Git can't read the clone: git log failed:")


def refuse(clone, edit, sentence):
    """Restore from the clone, edited, into an empty database; it is refused with this sentence and nothing is kept."""
    written = rewrite(clone, edit)
    empty_the_database()
    with pytest.raises(mirror.MirrorError, match=sentence) as refused:
        mirror.restore(clone)
    assert not Event.objects.exists()
    return written, str(refused.value)


def number_of(kind, **more):
    return Event.objects.filter(kind=kind, **more).latest("number").number


def test_an_event_of_a_newer_release_is_restored_by_a_newer_release(clone):
    number = number_of("samples.saved")

    def rename(facts):
        facts["kind"] = "samples.of_later" if facts["number"] == number else facts["kind"]

    written, said = refuse(clone, rechained(rename), "of the kind samples.of_later, which this version can't restore")
    assert said.startswith(f"Commit {written[number]}: Event {number} is")


@pytest.mark.parametrize("kind", ["version.saved", "label.moved"])
def test_an_event_that_lacks_a_field_is_named(clone, kind):
    number = number_of(kind)

    def cut(facts):
        if facts["number"] == number:
            del facts["body"]["digest"]

    refuse(clone, rechained(cut), rf"Event {number} \({kind}\) can't be read: .*'digest'")


@pytest.mark.parametrize("kind", ["version.redacted", "template.renamed"])
def test_a_redaction_and_a_renaming_of_nothing_are_named(clone, kind):
    """They are looked for before the first event is restored."""
    number = number_of("samples.saved")

    def empty(facts):
        if facts["number"] == number:
            facts.update(kind=kind, body={})

    refuse(clone, rechained(empty), rf"Event {number} \({kind}\) can't be read")


@pytest.mark.parametrize(
    ("kind", "among", "body"),
    [
        ("version.saved", {"version__gt": 1}, {"merged_from": 999}),
        ("version.saved", {"version__gt": 1}, {"suggestions": [[999, 1, 1]]}),
        ("label.moved", {"text__contains": '"label":"staging"'}, {"to": 999}),
    ],
)
def test_an_event_with_an_unknown_reference_is_named(clone, kind, among, body):
    number = number_of(kind, **among)

    def forge(facts):
        if facts["number"] == number:
            facts["body"].update(body)

    refuse(clone, rechained(forge), rf"Event {number} \({kind}\) names what no event before it made")


def test_a_record_that_is_not_an_event_is_named(clone):
    record = '{"number":3}'

    def edit(message, number):
        if number != 3:
            return message
        head, _, _ = message.rpartition("Promptuary-Record")
        return f"{head}Promptuary-Record: {record}\nPromptuary-Chain: {compute_digest(record)}\n"

    written, said = refuse(clone, edit, "it holds no event that can be read: 'kind'")
    assert said.startswith(f"Commit {written[3]}")


def test_a_record_that_is_not_utf_8_is_named(clone):
    message = b"x\n\nPromptuary-Event: 99\nPromptuary-Record: \xff\nPromptuary-Chain: sha256:0\n"
    command, environment = ["git", "commit-tree", "-p", "main", "main^{tree}"], {**os.environ, **PERSON}
    made = subprocess.run(command, cwd=clone, input=message, env=environment, capture_output=True, check=True)
    commit = made.stdout.decode().strip()
    git(clone, "update-ref", "refs/heads/main", commit)
    assert commit in verify(clone)[0]
    empty_the_database()
    with pytest.raises(CommandError, match=f"{commit} was not written by Promptuary"):
        call_command("restore", from_git=clone)


def test_an_event_that_was_left_out_is_missed(clone):
    def skip(facts):
        facts["number"] += facts["number"] > 6

    written, said = refuse(clone, rechained(skip), "it holds event 8, which does not follow from the one before it")
    assert said.startswith(f"Commit {written[7]}")


def test_a_text_that_the_event_does_not_name_is_refused(clone):
    number = number_of("change.decided", text__contains='"decision":"comment"')

    def forge(facts):
        if facts["number"] == number:
            facts["body"]["text"] = compute_digest("Fine with me")

    refuse(clone, rechained(forge), f"A text of event {number} does not have the digest that the event names")


def put_in(clone, number, path, content):
    """Write `main` again with other bytes in a file of one event's commit."""
    blob = git(clone, "hash-object", "-w", "--stdin", input=content)
    commit = git(clone, "log", "--first-parent", "--reverse", "--format=%H", "main").split()[number - 1]
    index = {**PERSON, "GIT_INDEX_FILE": str(clone / "forged-index"), "PATH": os.environ["PATH"]}
    for arguments in (["read-tree", commit], ["update-index", "--add", "--cacheinfo", f"100644,{blob},{path}"]):
        subprocess.run(["git", *arguments], cwd=clone, env=index, check=True)
    tree = subprocess.run(["git", "write-tree"], cwd=clone, env=index, check=True, capture_output=True, text=True)
    message = git(clone, "log", "-1", "--format=%B", commit)
    forged = git(clone, "commit-tree", tree.stdout.strip(), "-p", f"{commit}^", input=message + "\n")
    git(clone, "update-ref", "refs/heads/main", forged)


@pytest.mark.parametrize("content", ["a: [", "- *nowhere\n"])
def test_a_file_that_is_not_yaml_is_named_by_its_event(clone, content):
    number = number_of("samples.saved")
    put_in(clone, number, f"{TEMPLATE}.samples.yml", content)
    empty_the_database()
    with pytest.raises(mirror.MirrorError, match=f"A file of event {number} can't be read"):
        mirror.restore(clone)
    assert not Event.objects.exists()


def test_a_file_whose_name_is_not_text_is_named_in_printable_characters(clone, capsys):
    """Git takes any bytes as a name; printed as they are, they would stop the command or clear the screen."""
    put_in(clone, number_of("samples.saved"), os.fsdecode(b"caf\xe9\x1b[2J.yml"), "a: b")
    (finding,) = verify(clone)
    assert finding.endswith(r"holds other files than the journal says: caf\udce9\x1b[2J.yml.")
    with pytest.raises(CommandError, match="1 found"):
        call_command("mirror", "verify", clone=clone)
    assert finding in capsys.readouterr().out
