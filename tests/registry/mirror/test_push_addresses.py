"""Where the mirror may be pushed to, and how git is told to connect there."""

import pytest
from django.core.management import CommandError, call_command

from registry.core.safe_http import Destination
from registry.mirror import pushing
from registry.mirror.models import Remote


@pytest.mark.parametrize(("address", "resolved"), [("192.0.2.1", "192.0.2.1"), ("2001:db8::1", "[2001:db8::1]")])
def test_over_https_git_connects_to_the_checked_address_and_past_every_proxy(address, resolved):
    destination = Destination("https://git.example.org:8443/p.git", "https", "git.example.org", 8443, address)
    options, environment = pushing._build_connection(Remote(user="mirror"), destination)
    assert options[::2] == ["-c"] * (len(options) // 2)
    assert options[-1] == f"http.curloptResolve=git.example.org:8443:{resolved}"
    assert {"http.followRedirects=false", "http.proxy=", "credential.helper="} < set(options)
    assert environment == {
        "GIT_ALLOW_PROTOCOL": "https",
        "PROMPTUARY_USER": "mirror",
        "PROMPTUARY_TOKEN": "",
        **dict.fromkeys(("http_proxy", "https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"), ""),
        **dict.fromkeys(("no_proxy", "NO_PROXY"), "*"),
    }


@pytest.mark.parametrize(
    ("url", "sentence"),
    [
        ("http://example.org/x.git", "must start with https"),
        ("file:///tmp/x.git", "whole address"),
        ("ext::sh -c id", "not an address"),
        ("https://user:secret@127.0.0.1/x.git", "no user name or password"),
        ("https://127.0.0.1/x.git", "not a public address"),
        ("https://169.254.169.254/latest", "not a public address"),
        ("https://[::ffff:10.0.0.1]/x.git", "not a public address"),
        ("https://1.1.1.1/x.git", "PROMPTUARY_MIRROR_HOSTS"),
    ],
)
def test_an_address_that_nobody_allowed_is_refused(db, settings, url, sentence):
    settings.OUTBOUND_HOSTS = settings.MIRROR_HOSTS = []
    with pytest.raises(CommandError, match=sentence):
        call_command("mirror", "remote", "add", "x", url)
    assert not Remote.objects.exists()


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (["--token-file", "/nowhere/token", "--user", "m"], "there is no file"),
        (["--token-file", __file__], "who the token signs in"),
        (["--key-file", __file__], "a key and known hosts for ssh"),
    ],
)
def test_half_a_login_is_refused(db, settings, options, sentence):
    settings.MIRROR_HOSTS = ["1.1.1.1"]
    with pytest.raises(CommandError, match=sentence):
        call_command("mirror", "remote", "add", "x", "https://1.1.1.1/x.git", *options)
