"""The command line and the API merge the same three texts in the same way."""

import itertools
import re
from pathlib import Path

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st
from typer.testing import CliRunner

from promptuary.commands.app import app

pytestmark = pytest.mark.slow

HEAD = "---\nformat: text\n---\n"
BODIES = st.lists(st.sampled_from(["one\n", "two\n", "three\n", "four\n", "\n"]), min_size=1, max_size=8).map("".join)
NUMBERS = itertools.count(1)


def without_names(document: str) -> str:
    """The document with bare conflict markers: each entry point names the sides in its own words."""
    return re.sub(r"(?m)^(<<<<<<<|>>>>>>>) .*$", r"\1", document)


@given(BODIES, BODIES, BODIES)
@settings(max_examples=5, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_the_command_line_merges_as_the_api_does(server, cast, caller, tmp_path: Path, base, ours, theirs):
    assume(all(body.strip() for body in (base, ours, theirs)) and len({base, ours, theirs}) == 3)
    name = f"support/merge-{next(NUMBERS)}"
    first = cast.save(HEAD + base, name=name).version
    cast.publish(1, name=name)
    cast.save(HEAD + theirs, name=name, base=first.digest)
    cast.publish(2, name=name)
    head = cast.save(HEAD + ours, name=name, base=first.digest, parallel=True).version
    change = cast.propose(head.number, name=name)
    merge = caller("author").get(f"changes/{change.number}/merge").json()

    options = ["--dir", str(tmp_path), "--url", server, "--key", cast.key(scope="write")]
    assert CliRunner().invoke(app, ["pull", f"{name}@1", *options]).exit_code == 0
    file = tmp_path / f"{name}.yml.j2"
    file.write_bytes((HEAD + ours).encode())
    result = CliRunner().invoke(app, ["pull", "--merge", f"{name}@2", *options])
    assert result.exit_code == bool(merge["conflicts"]), result.output
    assert without_names(file.read_text()) == without_names(merge["document"])
