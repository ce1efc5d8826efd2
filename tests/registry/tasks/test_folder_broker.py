"""The broker in a folder."""

import threading
from queue import Empty

import pytest
from kombu import Connection


@pytest.fixture
def channel(tmp_path):
    options = {"data_folder_in": str(tmp_path), "data_folder_out": str(tmp_path), "control_folder": str(tmp_path)}
    with Connection(
        "filesystem://localhost", transport="registry.tasks.folder_broker:Transport", transport_options=options
    ) as connection:
        yield connection.channel()


def test_messages_come_out_as_they_went_in_oldest_first(channel):
    for number in range(3):
        channel._put("jobs", {"number": number})
    assert [channel._get("jobs")["number"] for _ in range(3)] == [0, 1, 2]


def test_reading_an_empty_queue_raises_empty(channel):
    with pytest.raises(Empty):
        channel._get("jobs")


def test_queues_do_not_meet(channel):
    channel._put("jobs", {})
    with pytest.raises(Empty):
        channel._get("other")
    assert channel._size("jobs") == 1


def test_a_queue_can_be_emptied(channel):
    channel._put("jobs", {})
    assert channel._purge("jobs") == 1
    assert channel._size("jobs") == 0


def test_a_message_cut_short_is_passed_over(channel, tmp_path):
    (tmp_path / "00000000000000000000_x.jobs.msg").write_text('{"half')
    channel._put("jobs", {"whole": True})
    assert channel._get("jobs") == {"whole": True}


def test_two_workers_never_take_the_same_message(channel):
    for number in range(100):
        channel._put("jobs", {"number": number})
    taken = []

    def take():
        try:
            while True:
                taken.append(channel._get("jobs")["number"])
        except Empty:
            pass

    workers = [threading.Thread(target=take) for _ in range(4)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert sorted(taken) == list(range(100))
