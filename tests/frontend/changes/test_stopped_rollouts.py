"""A rollout that was stopped is told of with the version, whichever change proposes it next."""

import pytest

from promptuary.commands.label_preview import tell_preview
from registry.changes import services as change_services
from registry.changes.models import ChangeRequest
from registry.changes.queries import read_stopped_rollouts
from registry.rollouts import services as rollout_services
from registry.templates import labels
from registry.templates.models import Version
from tests.frontend.changes.test_rollouts import approve
from tests.frontend.conftest import OTHER, REPLY, read_html

SAID = "Rollout 1 was stopped at 5 % <time"
WHY = "Helpful 0.52, needs 0.85."
PROPOSE = f"/t/{REPLY}/-/propose?label=production&version=2"
PREVIEW = f"/api/v1/templates/{REPLY}/-/labels/production/preview?version=2"


@pytest.fixture
def stopped(reply):
    """A rollout of version 2 was stopped, and its change withdrawn."""
    first = reply.propose(2).number
    approve(reply, first)
    rollout_services.start_rollout(actor=reply.actor("author"), change=first)
    rollout_services.stop_rollout(actor=reply.actor("reviewer"), number=1, reason="helpful 0.52, needs 0.85")
    change_services.withdraw_change(actor=reply.actor("author"), number=first, reason="It failed")
    return reply


def read(label="production", number=2):
    version = Version.objects.get(template__name=REPLY, number=number)
    return read_stopped_rollouts([(label, version.pk)]).get((label, version.pk))


def test_the_panel_and_environments_show_the_stop_before_another_proposal(stopped, browser):
    for page in (PROPOSE, "/environments/"):
        text = read_html(browser("author").get(page))
        assert (text.count(SAID), WHY in text) == (1, True), page
    assert "was stopped in a rollout" in read_html(browser("author").get("/environments/"))


def test_the_api_and_the_command_line_report_the_stop(stopped, browser, capsys):
    body = browser("author").get(PREVIEW).json()
    stop = body["stopped_rollout"]
    assert (stop["number"], stop["change"], stop["share"], stop["reason"]) == (1, 2, 500, "helpful 0.52, needs 0.85")
    tell_preview(body, as_json=False)
    assert f"  Rollout 1 of this version was stopped at 5 % at {stop['at']}: helpful 0.52" in capsys.readouterr().err


def test_another_proposal_shows_the_stop_on_every_page(stopped, browser):
    number = stopped.propose(2).number
    pages = ["/environments/", f"/t/{REPLY}", f"/changes/{number}", f"/changes/{number}/publish"]
    for page in pages:
        assert read_html(browser("author").get(page)).count(SAID) == 1, page
    approve(stopped, number)
    for page in ["/", *pages]:
        text = read_html(browser("author").get(page))
        assert (text.count(SAID), WHY in text) == (1, True), page


def test_a_newer_rollout_of_it_that_runs_is_not_called_stopped(stopped, browser):
    number = stopped.propose(2).number
    approve(stopped, number)
    rollout_services.start_rollout(actor=stopped.actor("author"), change=number)
    assert read() is None
    assert SAID not in read_html(browser("author").get(f"/changes/{number}"))


def test_once_the_label_came_to_it_the_stop_is_past(stopped, browser):
    stopped.publish(2)
    assert read() is None
    labels.roll_back_label(
        actor=stopped.actor("reviewer"), name=REPLY, label="production", version=1, reason="Wrong answers"
    )
    text = read_html(browser("author").get(PROPOSE))
    assert (SAID in text, "production was rolled back from v2" in text) == (False, True)


def test_another_version_and_another_label_have_none(stopped, browser, django_assert_num_queries):
    assert read().number == 1
    assert read("staging") is None
    assert read(number=1) is None
    stopped.save(OTHER + "\n")
    assert SAID not in read_html(browser("author").get(f"/t/{REPLY}/-/propose?label=production&version=3"))
    with django_assert_num_queries(0):
        assert read_stopped_rollouts([]) == {}
    with django_assert_num_queries(1):
        read_stopped_rollouts([("production", 1), ("production", 2), ("staging", 3)])


def test_a_closed_change_does_not_show_the_stop(stopped, browser):
    number = ChangeRequest.objects.get(state="withdrawn").number
    assert SAID not in read_html(browser("author").get(f"/changes/{number}")).partition('id="rollout"')[0]
