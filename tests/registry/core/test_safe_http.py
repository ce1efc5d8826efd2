"""Outbound addresses entered by people: public ones over https, and hosts listed by the operator."""

import asyncio
import threading
from http.server import BaseHTTPRequestHandler, HTTPServer

import pytest

from registry.core import safe_http
from registry.core.safe_http import Refused


@pytest.mark.parametrize(
    "url",
    [
        "https://127.0.0.1/",
        "https://127.1/",
        "https://0/",
        "https://2130706433/",
        "https://[::1]/",
        "https://[::ffff:127.0.0.1]/",
        "https://[::ffff:93.184.216.34]/",
        "https://[64:ff9b::7f00:1]/",
        "https://[2002:7f00:1::]/",
        "https://[64:ff9b:1::7f00:1]/",
        "https://[::127.0.0.1]/",
        "https://[::ffff:0:127.0.0.1]/",
        "https://[fec0::1]/",
        "https://[5f00::1]/",
        "https://[3fff::1]/",
        "https://192.0.0.8/",
        "https://192.88.99.1/",
        "https://[fe80::1%25lo]/",
        "https://[fc00::1]/",
        "https://10.0.0.1/",
        "https://172.16.0.1/",
        "https://192.168.1.1/",
        "https://169.254.169.254/latest/meta-data",
        "https://100.64.0.1/",
        "https://224.0.0.1/",
        "https://0.0.0.0/",
        "https://localhost/",
    ],
)
def test_an_address_that_is_not_public_is_refused(url):
    with pytest.raises(Refused) as refused:
        safe_http.check_url(url)
    assert refused.value.fields == {"url": refused.value.message}


@pytest.mark.parametrize(
    ("url", "words"),
    [
        ("http://93.184.216.34/", "https://"),
        ("ftp://93.184.216.34/", "whole address"),
        ("file:///etc/passwd", "whole address"),
        ("https://somebody:secret@93.184.216.34/", "no user name"),
        ("https://somebody@93.184.216.34/", "no user name"),
        ("https:///path", "whole address"),
        ("https://93.184.216.34:99999/", "not an address"),
        ("https://a b/", "not an address"),
        ("https://x\n/", "not an address"),
        ("https://" + "a" * 2000, "not an address"),
        ("https://host.invalid/", "not found"),
        ("", "whole address"),
    ],
)
def test_something_that_is_not_a_sound_address_is_refused_saying_why(url, words):
    with pytest.raises(Refused, match=words):
        safe_http.check_url(url)


def test_a_public_address_is_taken_with_its_port():
    address = safe_http.check_url("https://93.184.216.34:8443/x")
    assert (address.host, address.port, address.address) == ("93.184.216.34", 8443, "93.184.216.34")


def test_a_listed_host_may_be_private_and_plain(settings):
    settings.OUTBOUND_HOSTS = ["127.0.0.1:9000", "[::1]"]
    assert safe_http.check_url("http://127.0.0.1:9000/").address == "127.0.0.1"
    assert safe_http.check_url("https://[::1]/").address == "::1"
    with pytest.raises(Refused):
        safe_http.check_url("https://127.0.0.1:9001/")


def test_a_listed_suffix_covers_the_hosts_below_it_only(settings):
    settings.OUTBOUND_HOSTS = ["*.0.0.1"]  # of names that need no resolver
    assert safe_http.check_url("http://127.0.0.1/").host == "127.0.0.1"
    with pytest.raises(Refused):
        safe_http.check_url("https://127.0.0.2/")


def test_a_listed_host_may_not_use_another_scheme_than_asked_for(settings):
    settings.OUTBOUND_HOSTS = ["127.0.0.1"]
    with pytest.raises(Refused, match="ssh://"):
        safe_http.check_url("http://127.0.0.1/", schemes=("ssh",))


@pytest.fixture
def elsewhere():
    """A server on loopback that redirects to itself and remembers the names it was asked by."""
    hosts: list[str | None] = []

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self):
            hosts.append(self.headers["Host"])
            self.send_response(302)
            self.send_header("Location", "/again")
            self.send_header("Content-Length", "0")
            self.end_headers()

        def log_message(self, *_args):
            """Keep the test's output clean."""

    server = HTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield server.server_port, hosts
    server.shutdown()
    thread.join()
    server.server_close()


def fetch_answer(url):
    async def fetch():
        async with safe_http.open_client(timeout=5) as client:
            return await client.get(url)

    return asyncio.run(fetch())


def test_the_client_connects_by_the_address_under_the_name_and_follows_no_redirect(settings, elsewhere):
    port, hosts = elsewhere
    settings.OUTBOUND_HOSTS = ["localhost"]
    assert fetch_answer(f"http://localhost:{port}/").status_code == 302
    assert hosts == [f"localhost:{port}"]


def test_the_client_refuses_before_it_connects(elsewhere):
    port, hosts = elsewhere
    with pytest.raises(Refused):
        fetch_answer(f"https://127.0.0.1:{port}/")
    assert hosts == []


def test_the_client_reads_no_proxy_of_the_environment(monkeypatch, settings, elsewhere):
    port, hosts = elsewhere
    settings.OUTBOUND_HOSTS = ["127.0.0.1"]
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:9")
    assert fetch_answer(f"http://127.0.0.1:{port}/").status_code == 302
    assert len(hosts) == 1
