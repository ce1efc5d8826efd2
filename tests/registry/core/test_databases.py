"""The connections to the database that a process keeps between requests."""

import threading

import psycopg
import pytest
from django.db import close_old_connections, connection


@pytest.mark.postgres
@pytest.mark.django_db
def test_a_request_after_a_restart_of_the_database_does_not_get_the_ended_connection():
    settings, answers = connection.get_connection_params(), []

    def handle_two_requests():  # in a thread, as the test's own connection is in a transaction
        try:
            for _request in range(2):
                close_old_connections()
                with connection.cursor() as cursor:
                    cursor.execute("SELECT pg_backend_pid()")
                    answers.append(cursor.fetchone()[0])
                end_session(settings, answers[-1])
        finally:
            connection.close()

    server = threading.Thread(target=handle_two_requests)
    server.start()
    server.join()
    assert len(set(answers)) == 2


def end_session(settings, pid):
    """End a connection at the server, as its restart does."""
    names = ("host", "port", "user", "password", "dbname")
    with psycopg.connect(**{name: settings[name] for name in names if name in settings}) as admin:
        admin.execute("SELECT pg_terminate_backend(%s, 5000)", [pid])
