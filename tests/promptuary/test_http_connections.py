"""The connections of the blocking transport: kept, closed by the server, over TLS, through a proxy."""

import datetime
import gzip
import ipaddress
import ssl
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from promptuary import Unavailable, _http_connections
from promptuary._http_transport import HttpTransport
from promptuary._transport import Answer, Request

HOST = "registry.test"


class Server(ThreadingHTTPServer):
    """Keeps connections open, over TLS if it has a context, and notes what it is asked. A CONNECT makes it the host."""

    def __init__(self, certificate: Path, *, tls: bool, hang_up: bool, headers: dict[str, str], body: bytes) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.tls, self.hang_up, self.answer_headers, self.body = tls, hang_up, headers, body
        self.context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
        self.context.load_cert_chain(certificate)
        self.url = f"{'https' if tls else 'http'}://127.0.0.1:{self.server_port}"
        self.lines: list[str] = []
        self.headers: dict[str, str] = {}
        self.connections = 0

    def handle_error(self, *_: object) -> None:
        pass  # the client refused the certificate


class Handler(BaseHTTPRequestHandler):
    """One connection."""

    protocol_version = "HTTP/1.1"
    server: Server

    def setup(self) -> None:
        self.server.connections += 1
        if self.server.tls:
            self.request = self.server.context.wrap_socket(self.request, server_side=True)
        super().setup()

    def do_GET(self) -> None:
        self._note()
        self.rfile.read(int(self.headers.get("Content-Length", 0)))
        self.send_response(200)
        headers = {"Content-Length": str(len(self.server.body)), "ETag": '"x"', **self.server.answer_headers}
        for name, value in headers.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(self.server.body)
        self.close_connection = self.server.hang_up  # without a word about it to the client

    def do_POST(self) -> None:
        self.do_GET()

    def do_CONNECT(self) -> None:
        self._note()
        self.send_response(200)
        self.end_headers()
        self.close_connection = False  # the request was of HTTP/1.0
        self.request = self.server.context.wrap_socket(self.request, server_side=True)
        super().setup()

    def finish(self) -> None:
        super().finish()
        self.request.close()  # the server closes what it was before TLS

    def log_message(self, *_: object) -> None:
        pass

    def _note(self) -> None:
        self.server.lines.append(self.requestline)
        self.server.headers = dict(self.headers)


@pytest.fixture
def serve(certificate: Path) -> Iterator[Callable[..., Server]]:
    """Start a server; it ends with the test."""
    servers = []

    def start(
        *, tls: bool = False, hang_up: bool = False, headers: dict[str, str] | None = None, body: bytes = b"hi"
    ) -> Server:
        server = Server(certificate, tls=tls, hang_up=hang_up, headers=headers or {}, body=body)
        servers.append(server)
        threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
        return server

    yield start
    for server in servers:
        server.shutdown()
        server.server_close()


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A file with a certificate for 127.0.0.1 and HOST that only itself vouches for, and its key."""
    key, name = ec.generate_private_key(ec.SECP256R1()), x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, HOST)])
    now = datetime.datetime.now(datetime.UTC)
    names = [x509.DNSName(HOST), x509.IPAddress(ipaddress.ip_address("127.0.0.1"))]
    builder = x509.CertificateBuilder(
        name, name, key.public_key(), x509.random_serial_number(), now, now + datetime.timedelta(days=1)
    ).add_extension(x509.SubjectAlternativeName(names), critical=False)
    path = tmp_path_factory.mktemp("tls") / "both.pem"
    encodings = (serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
    signed = builder.sign(key, hashes.SHA256()).public_bytes(serialization.Encoding.PEM)
    path.write_bytes(signed + key.private_bytes(*encodings))
    return path


@pytest.fixture(autouse=True)
def _no_proxy_and_no_certificates_of_this_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("http_proxy", "https_proxy", "all_proxy", "no_proxy", "ssl_cert_file", "ssl_cert_dir"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.upper(), raising=False)


def _ask(url: str, *methods: str, path: str = "/x", body: bytes | None = None) -> list[Answer]:
    transport = HttpTransport(url, {"Authorization": "Bearer key"})
    try:
        return [transport.send(Request(method, path, 5.0, body=body)) for method in methods or ("GET",)]
    finally:
        transport.close()


def test_a_connection_is_used_again(serve):
    server = serve()
    assert [answer.body for answer in _ask(server.url, "GET", "POST", "GET", body=b"{}")] == [b"hi"] * 3
    assert server.connections == 1
    assert server.headers["Authorization"] == "Bearer key"


def test_a_connection_that_the_server_closed_meanwhile_is_opened_again_also_for_a_post(serve):
    server = serve(hang_up=True)
    transport = HttpTransport(server.url, {})
    for count in range(1, 4):
        assert transport.send(Request("POST", "/x", 5.0, body=b"{}")).status == 200
        idle = transport._find_connections()._idle
        for _ in range(500):  # until its end has arrived
            if _http_connections._has_input(idle[-1][1].sock):
                break
            threading.Event().wait(0.01)
        assert server.connections == count
    transport.close()


def test_a_connection_is_not_kept_longer_than_servers_do(serve, monkeypatch):
    monkeypatch.setattr(_http_connections, "IDLE_SECONDS", 0.0)
    server = serve()
    _ask(server.url, "GET", "GET")
    assert server.connections == 2


def test_no_more_connections_are_kept_than_the_limit_and_none_after_the_end(serve, monkeypatch):
    monkeypatch.setattr(_http_connections, "MAX_IDLE", 1)
    connections = _http_connections.Connections(serve().url)
    taken = [connections.take(5.0) for _ in range(3)]
    for connection in taken:
        connection.connect()
    for connection in taken[:2]:
        connections.give_back(connection)
    connections.close()
    connections.give_back(taken[2])
    assert [connection.sock for connection in taken] == [None, None, None]


def test_a_path_in_the_address_comes_before_the_requests(serve):
    server = serve()
    _ask(f"{server.url}/prömpts", path="/api/v1/x?y=1")
    assert server.lines == ["GET /pr%C3%B6mpts/api/v1/x?y=1 HTTP/1.1"]


def test_a_compressed_answer_is_unpacked(serve):
    server = serve(headers={"Content-Encoding": "gzip"}, body=gzip.compress(b"many words " * 9000))
    assert _ask(server.url)[0].body == b"many words " * 9000
    assert server.headers["Accept-Encoding"] == "gzip"


def test_a_compressed_answer_without_its_end_is_unavailable(serve):
    server = serve(headers={"Content-Encoding": "gzip"}, body=gzip.compress(b"many words " * 9000)[:-20])
    with pytest.raises(Unavailable, match="cannot be reached"):
        _ask(server.url)


def test_an_answer_in_chunks_is_read_to_its_end(serve):
    server = serve(headers={"Transfer-Encoding": "chunked"}, body=b"2\r\nhi\r\n4\r\n you\r\n0\r\n\r\n")
    assert [answer.body for answer in _ask(server.url, "GET", "GET")] == [b"hi you", b"hi you"]
    assert server.connections == 1


def test_a_header_with_a_line_break_is_not_sent(serve):
    server = serve()
    transport = HttpTransport(server.url, {"User-Agent": "x\r\nX-Other: y"})
    with pytest.raises(Unavailable, match="cannot be reached"):
        transport.send(Request("GET", "/x", 5.0))
    assert server.lines == []


def test_a_certificate_from_nobody_is_refused(serve):
    server = serve(tls=True)
    with pytest.raises(Unavailable, match="CERTIFICATE_VERIFY_FAILED"):
        _ask(server.url)
    assert server.lines == []


def test_a_certificate_for_another_name_is_refused(serve, certificate, monkeypatch):
    monkeypatch.setenv("SSL_CERT_FILE", str(certificate))
    server = serve(tls=True)
    with pytest.raises(Unavailable, match=r"(?i)hostname mismatch"):
        _ask(server.url.replace("127.0.0.1", "localhost"))


def test_certificates_of_ones_own_are_trusted_by_the_environment(serve, certificate, monkeypatch):
    monkeypatch.setenv("SSL_CERT_FILE", str(certificate))
    server = serve(tls=True)
    assert [answer.body for answer in _ask(server.url, "GET", "GET")] == [b"hi", b"hi"]
    assert server.connections == 1


def test_without_a_setting_mozillas_certificates_are_trusted():
    context = _http_connections.make_tls_context()
    assert (context.verify_mode, context.check_hostname) == (ssl.CERT_REQUIRED, True)
    assert len(context.get_ca_certs()) > 50


def test_a_proxy_is_asked_for_a_whole_address_with_its_own_credentials(serve, monkeypatch):
    proxy = serve()
    monkeypatch.setenv("http_proxy", proxy.url.replace("://", "://me:s%40y@"))
    assert _ask(f"http://{HOST}:8000/base")[0].body == b"hi"
    assert proxy.lines == [f"GET http://{HOST}:8000/base/x HTTP/1.1"]
    assert proxy.headers["Proxy-Authorization"] == "Basic bWU6c0B5"
    assert proxy.headers["Host"] == f"{HOST}:8000"


@pytest.mark.parametrize("name", ["HTTPS_PROXY", "all_proxy"])
def test_over_tls_a_proxy_makes_a_tunnel_and_does_not_see_the_key(serve, certificate, monkeypatch, name):
    proxy = serve()
    monkeypatch.setenv(name, proxy.url.replace("http://", "me:say@"))
    monkeypatch.setenv("SSL_CERT_FILE", str(certificate))
    transport = HttpTransport(f"https://{HOST}", {"Authorization": "Bearer key"})
    tunnel = transport._find_connections().take(5.0)
    tunnel.connect()
    assert proxy.lines[0].startswith(f"CONNECT {HOST}:443 ")
    assert proxy.headers["Proxy-Authorization"] == "Basic bWU6c2F5"
    assert "Authorization" not in proxy.headers
    tunnel.close()
    assert transport.send(Request("GET", "/x", 5.0)).body == b"hi"
    assert proxy.lines[-1] == "GET /x HTTP/1.1"
    assert proxy.headers["Authorization"] == "Bearer key"
    assert "Proxy-Authorization" not in proxy.headers
    transport.close()


def test_addresses_that_the_environment_excepts_need_no_proxy(serve, monkeypatch):
    server = serve()
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:1")
    monkeypatch.setenv("NO_PROXY", "example.org,127.0.0.1")
    assert _ask(server.url)[0].body == b"hi"


def test_a_proxy_that_is_not_reached_by_http_is_refused_by_name(monkeypatch):
    monkeypatch.setenv("ALL_PROXY", "socks5://127.0.0.1:1080")
    with pytest.raises(Unavailable, match=r"cannot be reached: .* proxy of the form socks5://; only http:// is"):
        _ask(f"http://{HOST}")
