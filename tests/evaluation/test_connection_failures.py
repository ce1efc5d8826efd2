"""Messages for failed connections: each names the model, the host and the cause, but no errno."""

import asyncio
import datetime
import re
import socket
import ssl
import threading

import httpx
import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from promptuary.evaluation import HTTPModel, ModelError
from promptuary.evaluation.connection_failures import describe_failure
from promptuary.evaluation.partial_reply import PartialReply
from promptuary.evaluation.streaming_models import HTTPStream, StreamRequest
from tests.support.slow_server import serve_slowly

REQUEST = StreamRequest([{"role": "user", "content": "May I?"}], {})
SYSTEM_WORDS = re.compile(r"errno|ssl\.c|\[SSL|Error|attempts failed", re.IGNORECASE)


def ask_whole(url):
    HTTPModel("m", url, title="Shop model", attempts=1, timeout=5).complete(REQUEST, {})


def ask_streamed(url):
    async def collect():
        stream = HTTPStream("m", url, title="Shop model", timeout=5)
        return [piece async for piece in stream.stream(REQUEST, PartialReply())]

    asyncio.run(collect())


@pytest.fixture(params=[ask_whole, ask_streamed])
def failure_of(request):
    """The sentence that asking a model at this address ends with."""

    def ask(url):
        with pytest.raises(ModelError) as caught:
            request.param(url)
        sentence = str(caught.value)
        assert not SYSTEM_WORDS.search(sentence)
        assert caught.value.retryable
        return sentence

    return ask


@pytest.fixture
def free_port():
    with socket.socket() as closed:
        closed.bind(("127.0.0.1", 0))
        return closed.getsockname()[1]


@pytest.fixture
def listen():
    """Answer each connection by a function of it; gives the port."""
    servers = []

    def serve(answer):
        server = socket.create_server(("127.0.0.1", 0))
        servers.append(server)

        def accept():
            while True:
                try:
                    connection, _ = server.accept()
                except OSError:
                    return  # the test is over
                with connection:
                    try:
                        answer(connection)
                    except OSError:
                        pass  # the caller went away, as one does who trusts no certificate

        threading.Thread(target=accept, daemon=True).start()
        return server.getsockname()[1]

    yield serve
    for server in servers:
        server.shutdown(socket.SHUT_RDWR)
        server.close()


def test_nothing_that_answers_is_named_by_host_and_port(failure_of, free_port):
    sentence = failure_of(f"http://127.0.0.1:{free_port}/v1")
    assert sentence == f"Shop model can't be reached: nothing answers at 127.0.0.1 on port {free_port}"


def test_nothing_at_any_of_several_addresses_is_reported_once(monkeypatch, failure_of, free_port):
    addresses = [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (f"127.0.0.{n}", free_port)) for n in (1, 2)]
    monkeypatch.setattr(socket, "getaddrinfo", lambda *_, **__: addresses)
    sentence = failure_of(f"http://models.example:{free_port}/v1")
    assert sentence == f"Shop model can't be reached: nothing answers at models.example on port {free_port}"


def test_a_name_that_is_unknown_is_reported(monkeypatch, failure_of):
    def refuse(*_, **__):
        raise socket.gaierror(-2, "Name or service not known")

    monkeypatch.setattr(socket, "getaddrinfo", refuse)
    assert failure_of("https://nowhere.example/v1") == (
        "Shop model can't be reached: the name nowhere.example is not found"
    )


def test_a_server_without_tls_is_reported(failure_of, listen):
    port = listen(lambda connection: connection.sendall(b"SSH-2.0-x\r\n"))
    assert failure_of(f"https://127.0.0.1:{port}/v1") == (
        f"Shop model can't be reached: 127.0.0.1 speaks no TLS that is understood here on port {port}"
    )


def test_a_certificate_of_an_unknown_authority_is_reported(failure_of, listen, tmp_path):
    key, name = ec.generate_private_key(ec.SECP256R1()), x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "x")])
    now = datetime.datetime.now(datetime.UTC)
    builder = x509.CertificateBuilder(
        name, name, key.public_key(), x509.random_serial_number(), now, now.replace(year=now.year + 1, day=1)
    )
    certificate = builder.sign(key, hashes.SHA256())
    path = tmp_path / "both.pem"
    encodings = (serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
    path.write_bytes(certificate.public_bytes(serialization.Encoding.PEM) + key.private_bytes(*encodings))
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    context.load_cert_chain(path)
    port = listen(lambda connection: context.wrap_socket(connection, server_side=True).recv(1))
    assert failure_of(f"https://127.0.0.1:{port}/v1") == (
        "Shop model can't be reached: the certificate of 127.0.0.1 is from nobody who is trusted here"
    )


def test_an_answer_that_is_not_http_is_reported(failure_of):
    with serve_slowly([b"HTTP/2 200\r\n\r\n"]) as url:
        sentence = failure_of(url)
    place = url.removeprefix("http://")
    assert sentence == f"Shop model at {place} sent an answer that is not valid HTTP"


def test_a_server_that_hangs_up_is_reported(failure_of, listen):
    port = listen(lambda connection: connection.recv(65536))
    assert failure_of(f"http://127.0.0.1:{port}/v1") == (
        f"Shop model at 127.0.0.1:{port} closed the connection before it answered"
    )


@pytest.mark.parametrize(
    ("cause", "words"),
    [
        (10, "the certificate of models.example has expired"),
        (62, "the certificate at models.example is for another name"),
        (64, "the certificate at models.example is for another name"),
        (20, "the certificate of models.example is from nobody who is trusted here"),
        (ConnectionResetError(104, "Connection reset by peer"), "models.example closed the connection on port 443"),
        (OSError(113, "No route to host"), "there is no connection to models.example on port 443"),
        (None, "there is no connection to models.example on port 443"),
    ],
)
def test_each_cause_has_its_words(cause, words):
    if isinstance(cause, int):
        code, cause = cause, ssl.SSLCertVerificationError(1, "certificate verify failed")
        cause.verify_code = code
    error = httpx.ConnectError("[Errno 1] words of the system")
    error.__cause__ = cause
    assert describe_failure("Shop model", "https://models.example/v1", error) == (
        f"Shop model can't be reached: {words}"
    )


@pytest.mark.parametrize(
    ("error", "sentence"),
    [
        (httpx.ProxyError("403"), "Shop model can't be reached: the proxy on the way to models.example refused"),
        (httpx.DecodingError("zlib"), "Shop model at models.example sent an answer that can't be unpacked"),
    ],
)
def test_a_proxy_and_a_broken_encoding_are_reported(error, sentence):
    assert describe_failure("Shop model", "https://models.example/v1", error) == sentence
