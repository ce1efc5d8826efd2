"""Verification of the mirror against the journal: every commit of every branch, and nothing else.

Each commit is determined by its event. The commit's changes are compared with the event's files by blob id, then its id
is computed from its tree, its parent's id and the event's message. If both match for each commit from the first one on,
the trees are correct too, and so is every byte of every commit.
"""

import hashlib
from collections.abc import Iterator, Mapping
from itertools import zip_longest

from django.conf import settings

from registry.audit.verification import find_chain_faults
from registry.journal import mirror_paths
from registry.journal.mirroring import Move
from registry.mirror.commit_message import Entry, compose_message, write_author_line, write_committer_line
from registry.mirror.entries import read_entries
from registry.mirror.errors import GitFailed
from registry.mirror.repository import Head, Repository

__all__ = ["MAX_FINDINGS", "verify", "verify_clone"]

MAX_FINDINGS = 50
_AT_ONCE = 200
_Seen = tuple[str, str, dict[str, str | None]]


def verify(repository: Repository | None = None, *, until: int | None = None) -> list[str]:
    """A sentence for each difference between journal and mirror, at most MAX_FINDINGS; empty if they are equal.

    until: the number of the last event that must be mirrored; None for all. What is written meanwhile may look like
    damage; `writer.verify_settled` looks again while nobody writes.
    """
    repository = repository or Repository(settings.MIRROR_PATH)
    findings: list[str] = []
    for finding in _list_findings(repository, until):
        findings.append(_make_printable(finding))
        if len(findings) >= MAX_FINDINGS:
            findings.append("There may be more; the list ends here.")
            break
    return findings


def verify_clone(repository: Repository) -> list[str]:
    """A sentence for each difference between the journal and a clone. The clone may be behind the journal and lack
    branches, but what it has must be correct.
    """
    heads = repository.list_cloned_heads()
    stamp = heads[mirror_paths.MAIN].stamp if mirror_paths.MAIN in heads else None
    until = stamp.number if stamp else None
    findings: list[str] = []
    try:
        for ref, head in sorted(heads.items(), key=lambda item: item[0] != mirror_paths.MAIN):
            expected_entries = (
                ((entry, _expect_on_main(entry)) for entry in _list_entries())
                if ref == mirror_paths.MAIN
                else _list_moves(ref)
            )
            findings += _compare(repository, ref, head, expected_entries, until)
    except GitFailed as error:
        findings.append(f"Git can't read the clone: {error}")
    return [_make_printable(finding) for finding in findings[:MAX_FINDINGS]]


def _make_printable(finding: str) -> str:
    """The finding with escapes for control characters and for bytes that aren't UTF-8: it quotes what others wrote."""
    return "".join(
        character if character.isprintable() else character.encode("unicode_escape").decode("ascii")
        for character in finding
    )


def _list_findings(repository: Repository, until: int | None) -> Iterator[str]:
    yield from find_chain_faults()
    try:
        yield from _compare_all(repository, until)
    except GitFailed as error:
        yield f"Git can't read the mirror: {error}"
    if repository.exists:
        yield from repository.check_objects()


def _compare_all(repository: Repository, until: int | None) -> Iterator[str]:
    if not repository.exists:
        if next(_list_entries(), None) is not None:
            yield f"There is no mirror at {repository.path}."
        return
    if repository.read_default_branch() != mirror_paths.MAIN:
        yield f"HEAD of the mirror names {repository.read_default_branch()}, not {mirror_paths.MAIN}."
    heads = repository.list_heads()
    expected: dict[str, None] = {mirror_paths.MAIN: None}
    yield from _compare_main(repository, heads.get(mirror_paths.MAIN), expected, until)
    for ref in list(expected)[1:]:
        yield from _compare(repository, ref, heads.get(ref), _list_moves(ref), until)
    for ref in sorted(set(heads) - set(expected)):
        yield f"{ref} is not a ref that Promptuary made."


def _compare_main(repository: Repository, head: Head | None, refs: dict[str, None], until: int | None) -> Iterator[str]:
    """Compare `main`, collecting the labels' branches that the journal requires."""

    def list_moves() -> Iterator[tuple[Entry, Move]]:
        for entry in _list_entries():
            for move in entry.moves:
                refs.setdefault(move.ref)
            yield entry, _expect_on_main(entry)

    pairs = list_moves()
    yield from _compare(repository, mirror_paths.MAIN, head, pairs, until)
    for _ in pairs:  # a difference ends the comparison early; later labels are still collected
        pass


def _expect_on_main(entry: Entry) -> Move:
    return Move(mirror_paths.MAIN, entry.files, entry.renames)


def _list_moves(ref: str) -> Iterator[tuple[Entry, Move]]:
    for entry in _list_entries():
        yield from ((entry, move) for move in entry.moves if move.ref == ref)


def _list_entries() -> Iterator[Entry]:
    after = 0
    while entries := read_entries(after=after, limit=_AT_ONCE):
        yield from entries
        after = entries[-1].number


def _compare(
    repository: Repository,
    ref: str,
    head: Head | None,
    expected_entries: Iterator[tuple[Entry, Move]],
    until: int | None = None,
) -> Iterator[str]:
    """Walk branch and journal side by side, up to the first commit that differs, as all later ones differ too.

    until: the number of the last event that must exist; None for all.
    """
    name = ref.removeprefix("refs/heads/")
    parent, files = "", dict[str, str]()
    history: Iterator[_Seen] = repository.walk_history(head.commit) if head else iter(())
    for pair, actual_commit in zip_longest(expected_entries, history):
        if actual_commit is None:
            if until is not None and pair[0].number > until:
                return
            yield f"{name}: event {pair[0].number} and what follows is not mirrored yet."
            return
        commit, tree, changes = actual_commit
        if pair is None:
            yield f"{name}: commit {commit} and what follows has no event in the journal."
            return
        entry, blobs = pair[0], _list_blobs(pair[1], files)
        effective = {path: blob for path, blob in blobs.items() if files.get(path) != blob}
        if changes != effective:
            yield f"{name}: commit {commit}, in the place of event {entry.number}, {_describe(changes, effective)}"
            return
        if _commit_id(entry, tree, parent) != commit:
            yield from _explain(repository, name, entry, commit, tree, parent)
            return
        _apply(files, effective)
        parent = commit


def _list_blobs(move: Move, files: Mapping[str, str]) -> dict[str, str | None]:
    """Each path that an entry writes, with its resulting blob; files: those before it."""
    renamed: dict[str, str | None] = dict.fromkeys(move.renames)
    renamed |= {new: files.get(old) for old, new in move.renames.items()}
    return renamed | {path: _compute_blob_id(content) for path, content in move.files.items()}


def _apply(files: dict[str, str], changes: Mapping[str, str | None]) -> None:
    for path, blob in changes.items():
        if blob is None:
            files.pop(path, None)
        else:
            files[path] = blob


def _describe(changes: Mapping[str, str | None], effective: Mapping[str, str | None]) -> str:
    paths = sorted(set(changes) | set(effective))
    different = [path for path in paths if changes.get(path, "-") != effective.get(path, "-")]
    return f"holds other files than the journal says: {', '.join(different[:5])}."


def _explain(repository: Repository, name: str, entry: Entry, commit: str, tree: str, parent: str) -> Iterator[str]:
    old, new = _commit_text(entry, tree, parent).split("\n"), repository.read_commit(commit).split("\n")
    line = next((b for a, b in zip_longest(old, new, fillvalue="(nothing)") if a != b), "(its ending)")
    yield (
        f"{name}: commit {commit}, in the place of event {entry.number}, was not written from the journal; "
        f"it differs first at: {line[:200]}"
    )


def _compute_blob_id(content: bytes | None) -> str | None:
    return None if content is None else _compute_object_id("blob", content)


def _commit_id(entry: Entry, tree: str, parent: str) -> str:
    return _compute_object_id("commit", _commit_text(entry, tree, parent).encode("utf-8", "surrogateescape"))


def _commit_text(entry: Entry, tree: str, parent: str) -> str:
    parents = f"parent {parent}\n" if parent else ""
    people = f"author {write_author_line(entry)}\ncommitter {write_committer_line(entry)}\n"
    return f"tree {tree}\n{parents}{people}\n{compose_message(entry)}"


def _compute_object_id(kind: str, content: bytes) -> str:
    return hashlib.sha1(b"%s %d\0%s" % (kind.encode(), len(content), content), usedforsecurity=False).hexdigest()
