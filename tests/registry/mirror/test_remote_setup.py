"""Adding a remote: what is refused before anything is pushed."""

import pytest

from registry.core.errors import Conflict, Invalid, NotAllowed
from registry.mirror import remote_setup
from registry.mirror.models import Remote

pytestmark = pytest.mark.django_db
SSH, HTTPS = "ssh://git@example.org/prompts.git", "https://example.org/prompts.git"


@pytest.fixture
def files(tmp_path):
    """A key, the keys of hosts and a token."""
    paths = {name: tmp_path / name for name in ("key", "hosts", "token")}
    for path in paths.values():
        path.write_text("x")
    return {name: str(path) for name, path in paths.items()}


def add(actor, name="backup", url=HTTPS, **login):
    return remote_setup.add_remote(actor=actor, name=name, url=url, **login)


def test_a_remote_is_known_by_its_name(operator, files):
    add(operator, url=SSH, key_file=files["key"], known_hosts=files["hosts"])
    assert str(Remote.objects.get()) == "backup"
    assert (Remote.objects.get().key_file, Remote.objects.get().token_file) == (files["key"], "")


@pytest.mark.parametrize("given", [(), ("key_file",), ("known_hosts",)])
def test_ssh_takes_a_key_and_the_keys_of_the_host_or_nothing(operator, files, given):
    login = {"key_file": files["key"], "known_hosts": files["hosts"]}
    with pytest.raises(Invalid) as refused:
        add(operator, url=SSH, **{name: login[name] for name in given})
    assert refused.value.fields == {"key_file": "over ssh name the file of a private key and that of the host's keys."}
    assert not Remote.objects.exists()


@pytest.mark.parametrize("more", [{"user": "mirror"}, {"token_file": "token"}])
def test_ssh_takes_no_token(operator, files, more):
    more = {name: files.get(value, value) for name, value in more.items()}
    with pytest.raises(Invalid) as refused:
        add(operator, url=SSH, key_file=files["key"], known_hosts=files["hosts"], **more)
    assert refused.value.fields == {"token_file": "a token is for https, a key and known hosts for ssh."}


def test_a_name_is_taken_once(operator):
    add(operator)
    with pytest.raises(Conflict, match="There is a remote backup already"):
        add(operator, url="https://example.com/other.git")
    assert Remote.objects.get().url == HTTPS


def test_only_the_machine_itself_sets_remotes(cast, operator):
    for role in ("admin", "author"):
        with pytest.raises(NotAllowed, match=r"set on the machine itself: `manage.py mirror remote`"):
            add(cast[role])
    add(operator)
    with pytest.raises(NotAllowed, match="on the machine itself"):
        remote_setup.remove_remote(actor=cast["admin"], name="backup")
    assert Remote.objects.exists()


@pytest.mark.parametrize("name", ["my token", "token;id", "$HOME", "%h"])
def test_a_file_whose_name_ssh_would_read_as_something_else_is_refused(operator, tmp_path, name):
    (tmp_path / name).write_text("x")
    with pytest.raises(Invalid) as refused:
        add(operator, user="mirror", token_file=str(tmp_path / name))
    assert "has characters that ssh reads as something else" in refused.value.fields["token_file"]
