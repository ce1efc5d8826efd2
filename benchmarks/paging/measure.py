"""Requests a page in this process a given number of times and measures the server's time and queries."""

import json
import statistics
import sys
import time
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.cache import caches
from django.db import connection
from django.test import Client
from django.test.utils import override_settings

from benchmarks.paging.addresses import ADMIN, KEY, QUIET_KEY, READER, Address, list_addresses
from benchmarks.paging.fill import Filled, issue_keys
from benchmarks.paging.names import QUIET

__all__ = ["PageCost", "answer_questions", "measure_page", "open_clients"]


@dataclass(frozen=True)
class PageCost:
    """Median wall-clock and processor milliseconds of a page, and its number of queries.

    processor: of this process and of PostgreSQL's process for its connection.
    """

    wall: float
    processor: float
    queries: int


def open_clients(filled: Filled) -> dict[str, Client]:
    """The clients of the requesters, by name."""
    clients = {name: Client(raise_request_exception=True) for name in (ADMIN, READER)}
    for name, person in ((ADMIN, filled.cast.admin), (READER, filled.reader)):
        clients[name].force_login(person, backend=settings.AUTHENTICATION_BACKENDS[0])
    for name, namespace in ((KEY, "ns0"), (QUIET_KEY, QUIET)):
        secret = issue_keys(filled)[namespace]
        clients[name] = Client(headers={"Authorization": f"Bearer {secret}"})
    return clients


def answer_questions(filled: Filled) -> None:
    """Print the names of all addresses as a line of JSON; then answer each line `index rounds` with the page's cost.

    An index means the same page in every database; the cursor in its address is this database's own.
    """
    addresses, clients = list_addresses(), open_clients(filled)
    _print_answer([address.name for address in addresses])
    with override_settings(ALLOWED_HOSTS=["*"]):
        for line in sys.stdin:
            index, rounds = map(int, line.split())
            address = addresses[index]
            _print_answer(asdict(measure_page(clients[address.who], address, rounds)))


def measure_page(client: Client, address: Address, rounds: int) -> PageCost:
    """The medians of several rounds after a warm-up, and the queries of a request with empty caches of the frame."""
    client.get(address.path)
    statements: list[str] = []

    def note_statement(execute: Any, sql: str, parameters: Any, many: bool, context: Any) -> Any:
        statements.append(sql)
        return execute(sql, parameters, many, context)

    caches["frames"].clear()  # else it would depend on the time whether the counts of the navigation are queried
    with connection.execute_wrapper(note_statement):
        response = client.get(address.path)
    if response.status_code != 200:
        raise SystemExit(f"{address.path} answered {response.status_code}")
    times, processor_times = [], []
    for _ in range(rounds):
        started, processor_started = time.perf_counter(), _read_processor_seconds()
        client.get(address.path)
        processor_times.append(_read_processor_seconds() - processor_started)
        times.append(time.perf_counter() - started)
    return PageCost(statistics.median(times) * 1000, statistics.median(processor_times) * 1000, len(statements))


def _read_processor_seconds() -> float:
    """The processor seconds so far of this process and of PostgreSQL's process for its connection."""
    seconds = time.process_time()
    if connection.vendor == "postgresql":
        times = Path(f"/proc/{connection.connection.info.backend_pid}/schedstat").read_text()
        seconds += int(times.split()[0]) / 1e9
    return seconds


def _print_answer(answer: Any) -> None:
    print(json.dumps(answer), flush=True)
