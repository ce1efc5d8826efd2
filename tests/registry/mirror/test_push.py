"""Pushing to a remote repository, over git's own HTTP and ssh transports."""

import json
import shutil
import subprocess
from datetime import timedelta

import pytest
from django.core.management import CommandError, call_command
from django.utils import timezone

from registry import mirror
from registry.journal.models import Event
from registry.mirror.models import Remote
from registry.observability import health
from registry.redaction import services as redaction_services
from registry.tasks import tasks as tasks_tasks
from registry.templates import save as template_save
from registry.templates.models import Version
from tests.registry.mirror.test_verify import PERSON, git
from tests.support import git_server

pytestmark = pytest.mark.django_db
TEMPLATE = "support/refunds/reply"


@pytest.fixture
def outside(tmp_path):
    """A bare repository on another host."""
    (tmp_path / "outside").mkdir()
    return git_server.make_repository(tmp_path / "outside" / "prompts.git")


@pytest.fixture
def address(outside, settings):
    """Where it is served, on a host that the operator allows."""
    settings.OUTBOUND_HOSTS = settings.MIRROR_HOSTS = ["localhost", "127.0.0.1"]
    with git_server.serve_repositories(outside.parent) as port:
        yield f"http://localhost:{port}/prompts.git"


@pytest.fixture
def token(tmp_path):
    file = tmp_path / "token"
    file.write_text(git_server.LOGIN[1] + "\n")
    return file


@pytest.fixture
def remote(story, mirror_path, address, token):
    """A remote with the right name and token, and the mirror ready to be pushed."""
    mirror.catch_up()
    call_command("mirror", "remote", "add", "backup", address, "--user", "mirror", "--token-file", str(token))
    return Remote.objects.get()


def refs(path):
    return git(path, "for-each-ref")


def save(cast, text="More"):
    base = Version.objects.order_by("-number").first().digest
    document = f"- name: question\n  content: {text}\n"
    template_save.save_version(actor=cast["author"], name=TEMPLATE, document=document, message=text, base=base)
    mirror.catch_up()


def test_all_branches_arrive_as_they_are(remote, mirror_path, outside):
    tasks_tasks.push()
    assert refs(outside) == refs(mirror_path)
    remote.refresh_from_db()
    assert (remote.pushed, remote.error, remote.failures) == (Event.objects.count(), "", 0)


def test_later_commits_are_pushed_and_nothing_is_pushed_twice(remote, story, mirror_path, outside):
    tasks_tasks.push()
    assert mirror.push_due() == 0
    save(story)
    assert mirror.push_due() == 1
    assert refs(outside) == refs(mirror_path)


def test_a_remote_with_foreign_commits_is_left_unchanged(remote, story, mirror_path, outside):
    tasks_tasks.push()
    forged = git(outside, "commit-tree", "main^{tree}", "-p", "main", "-m", "I was here")
    git(outside, "update-ref", "refs/heads/main", forged)
    save(story)
    assert mirror.push_due() == 0
    remote.refresh_from_db()
    assert remote.diverged
    assert remote.retry_at > timezone.now() + timedelta(minutes=59)
    assert "holds commits in main that the mirror doesn't" in remote.error
    assert git(outside, "rev-parse", "main") == forged
    save(story, "Still writing")
    assert mirror.read_status().behind == 0


def test_a_refused_push_is_reported_to_admins_at_home(remote, story, mirror_path, outside, client):
    git(outside, "update-ref", "refs/heads/main", git(outside, "commit-tree", git(outside, "mktree"), "-m", "Other"))
    mirror.push_due()
    client.force_login(story["admin"].person)
    assert "holds commits in main" in client.get("/").content.decode()
    client.force_login(story["author"].person)
    assert "holds commits in main" not in client.get("/").content.decode()
    assert health.list_instance_faults(story["reader"]) == []


def test_a_wrong_token_is_reported_and_written_nowhere(remote, token, capfd):
    token.write_text("guessed")
    assert not mirror.push(remote)
    remote.refresh_from_db()
    assert "Authentication failed" in remote.error
    assert (remote.diverged, remote.failures) == (False, 1)
    assert remote.retry_at > timezone.now()
    assert "guessed" not in remote.error + str(vars(remote)) + capfd.readouterr().err


def test_an_unreachable_remote_is_tried_again_later_and_later(story, mirror_path, settings, token):
    settings.OUTBOUND_HOSTS = settings.MIRROR_HOSTS = ["localhost"]
    mirror.catch_up()
    call_command(
        "mirror", "remote", "add", "gone", "http://localhost:9/x.git", "--user", "m", "--token-file", str(token)
    )
    for failures, seconds in [(0, 5), (1, 10), (2, 20), (9, 2560), (10, 3600), (40, 3600)]:
        Remote.objects.update(failures=failures)
        remote, began = Remote.objects.get(), timezone.now()
        assert not mirror.push(remote)
        wait, slack = timedelta(seconds=seconds), timezone.now() - began
        remote.refresh_from_db()
        assert wait <= remote.retry_at - began <= wait + slack
        assert "did not take it" in remote.error
        assert (remote.failures, remote.diverged) == (failures + 1, False)
    assert mirror.push_due() == 0


def test_a_remote_that_fails_for_months_is_still_tried_each_hour(remote, token):
    token.write_text("guessed")
    Remote.objects.update(failures=1024)  # 2**1024 is too large for a float
    remote.refresh_from_db()
    assert not mirror.push(remote)
    remote.refresh_from_db()
    assert remote.failures == 1025
    assert timedelta(minutes=59) < remote.retry_at - timezone.now() <= timedelta(hours=1)


def test_a_redirect_is_not_followed(story, mirror_path, outside, settings, token, address):
    mirror.catch_up()
    with git_server.serve_repositories(outside.parent, elsewhere=address.removesuffix("/prompts.git")) as port:
        url = f"http://localhost:{port}/prompts.git"
        call_command("mirror", "remote", "add", "sly", url, "--user", "mirror", "--token-file", str(token))
        assert mirror.push_due() == 0
    assert refs(outside) == ""


def test_a_name_that_leads_elsewhere_by_now_is_refused_at_the_push(remote, settings, outside):
    settings.OUTBOUND_HOSTS = []
    Remote.objects.update(url=remote.url.replace("http:", "https:"))
    remote.refresh_from_db()
    assert not mirror.push(remote)
    remote.refresh_from_db()
    assert "not a public address" in remote.error


def test_two_workers_do_not_push_at_the_same_time(remote):
    Remote.objects.update(retry_at=timezone.now() + timedelta(minutes=5))
    assert mirror.push(remote) is False
    assert mirror.push_due() == 0


def test_a_forged_mirror_is_pushed_nowhere(remote, mirror_path, outside):
    forged = subprocess.run(
        ["git", "commit-tree", "main^{tree}", "-p", "main", "-m", "I was here"],
        cwd=mirror_path, env=PERSON, capture_output=True, text=True, check=True,
    ).stdout.strip()  # fmt: skip
    git(mirror_path, "update-ref", "refs/heads/main", forged)
    assert not mirror.push(remote)
    assert refs(outside) == ""


def test_a_redacted_text_is_reported_until_the_owner_has_emptied_the_remote(remote, story, mirror_path, outside):
    tasks_tasks.push()
    save(story)
    redaction_services.redact_version(actor=story["admin"], name=TEMPLATE, version=1, reason="A name")
    mirror.catch_up()
    assert mirror.push_due() == 0
    remote.refresh_from_db()
    assert remote.diverged
    for line in refs(outside).split("\n"):
        git(outside, "update-ref", "-d", line.split("\t")[1])
    assert mirror.push(remote)
    assert refs(outside) == refs(mirror_path)


def test_nothing_is_pushed_between_a_redaction_and_the_mirror_without_its_text(remote, story, outside):
    redaction_services.redact_version(actor=story["admin"], name=TEMPLATE, version=1, reason="A name")
    assert not mirror.push(remote)
    remote.refresh_from_db()
    assert remote.error == "The mirror is being rewritten after a redaction."
    assert refs(outside) == ""


def test_where_no_mirror_is_yet_there_is_nothing_to_push(remote, mirror_path, outside):
    shutil.rmtree(mirror_path)
    assert mirror.push(remote)
    remote.refresh_from_db()
    assert (remote.pushed, remote.error) == (0, "")
    assert refs(outside) == ""


def test_an_address_without_a_name_is_pushed_to_as_it_is(remote, mirror_path, outside):
    Remote.objects.update(url=remote.url.replace("localhost", "127.0.0.1"))
    assert mirror.push(Remote.objects.get())
    assert refs(outside) == refs(mirror_path)


@pytest.mark.parametrize(("content", "reason"), [(None, "No such file or directory"), (b"\xff\xfe", "it isn't text")])
def test_a_token_that_can_not_be_read_is_reported_with_its_file(remote, token, outside, content, reason):
    token.unlink()
    if content is not None:
        token.write_bytes(content)
    assert not mirror.push(remote)
    remote.refresh_from_db()
    assert remote.error == f"{token} can't be read: {reason}."
    assert refs(outside) == ""


def test_over_ssh_the_key_and_the_checked_address_are_given(
    story, mirror_path, outside, settings, tmp_path, monkeypatch
):
    """`ssh` is stood in for by a script that writes down its words and runs the command here."""
    programs = tmp_path / "programs"
    programs.mkdir()
    script = programs / "ssh"
    script.write_text(f'#!/bin/sh\nprintf "%s\\n" "$@" > {tmp_path}/said\nfor last; do :; done\nexec sh -c "$last"\n')
    script.chmod(0o755)
    monkeypatch.setenv("PATH", f"{programs}:/usr/bin:/bin")
    settings.OUTBOUND_HOSTS = settings.MIRROR_HOSTS = ["localhost"]
    for name in ("key", "hosts"):
        (tmp_path / name).write_text("x")
    mirror.catch_up()
    files = ["--key-file", str(tmp_path / "key"), "--known-hosts", str(tmp_path / "hosts")]
    call_command("mirror", "remote", "add", "ssh", f"ssh://git@localhost{outside}", *files)
    call_command("mirror", "push")
    assert refs(outside) == refs(mirror_path)
    said = (tmp_path / "said").read_text().split("\n")
    host = next(word for word in said if word.startswith("HostName="))
    assert host in {"HostName=127.0.0.1", "HostName=::1"}
    options = [
        "BatchMode=yes",
        "ClearAllForwardings=yes",
        "ConnectTimeout=15",
        "GlobalKnownHostsFile=/dev/null",
        "HostKeyAlias=localhost",
        host,
        "IdentitiesOnly=yes",
        f"IdentityFile={tmp_path / 'key'}",
        "ProxyCommand=none",
        "ServerAliveInterval=15",
        "StrictHostKeyChecking=yes",
        f"UserKnownHostsFile={tmp_path / 'hosts'}",
    ]
    given = ["-F", "/dev/null", *(part for option in options for part in ("-o", option))]
    assert said[: len(given)] == given
    assert "git@localhost" in said


def test_the_status_names_each_remote_and_how_far_it_is(remote, story, capsys):
    tasks_tasks.push()
    save(story)
    capsys.readouterr()
    call_command("mirror", "status")
    (told,) = json.loads(capsys.readouterr().out)["remotes"]
    assert (told["name"], told["behind"], told["diverged"]) == ("backup", 1, False)


def test_the_health_page_says_a_word_of_each_remote_and_stays_ready(remote, client, outside):
    tasks_tasks.push()
    assert client.get("/readyz").json()["remotes"] == {"backup": "ok"}
    Remote.objects.update(error="No", diverged=True)
    answer = client.get("/readyz")
    assert (answer.status_code, answer.json()["remotes"]) == (200, {"backup": "diverged"})


def test_a_removed_remote_is_pushed_to_no_more(remote, outside):
    call_command("mirror", "remote", "remove", "backup")
    assert mirror.push_due() == 0
    with pytest.raises(CommandError, match="no remote backup"):
        call_command("mirror", "remote", "remove", "backup")
