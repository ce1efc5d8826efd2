"""Publishing before it is approved: a page of its own, with the password once more."""

import pytest

from registry.models import ChangeRequest, Label
from registry.services import namespaces
from tests.frontend.conftest import words


@pytest.fixture
def change(reply):
    namespaces.set_rules(actor=reply.actor("admin"), namespace="support", break_glass=True)
    return reply.propose(2)


@pytest.fixture
def press(change, browser):
    def run(role, **fields):
        sent = {"reason": "Customers are told wrong terms.", "password": f"{role}-promptuary", **fields}
        return browser(role).post(f"/changes/{change.number}/emergency", sent)

    return run


def held():
    return Label.objects.get(name="production").version.number


def test_a_reviewer_publishes_with_a_reason_and_the_review_stays_red(change, press, browser):
    assert press("reviewer").status_code == 302
    assert held() == 2
    page = words(browser("admin").get(f"/changes/{change.number}"))
    assert "production was moved in an emergency, before v2 was approved" in page
    assert 'class="blockers blockers-late"' in page
    sent = {"do": "approve", "digest": change.version.digest, "text": ""}
    browser("admin").post(f"/changes/{change.number}", sent)
    assert "in an emergency, before" not in words(browser("admin").get(f"/changes/{change.number}"))


@pytest.mark.parametrize(
    ("wrong", "told"),
    [({"password": "guess"}, "This is not your password."), ({"reason": " "}, "Say why it can't wait")],
)
def test_without_a_reason_or_the_password_nothing_moves_and_words_stay(press, wrong, told):
    answer = press("reviewer", **wrong)
    assert answer.status_code == 422
    assert told in words(answer).replace("&#x27;", "'")
    assert held() == 1
    if "reason" not in wrong:
        assert "Customers are told wrong terms.</textarea>" in words(answer)


def test_who_has_no_password_here_signs_in_afresh(change, press, browser, reply):
    person = reply.people["reviewer"]
    person.set_unusable_password()
    person.save()
    assert "Your password, once more" not in words(browser("reviewer").get(f"/changes/{change.number}/emergency"))
    assert press("reviewer").status_code == 302, "a session that began just now is proof enough"


def test_the_page_says_what_is_missing_and_who_may(change, browser):
    page = words(browser("reviewer").get(f"/changes/{change.number}/emergency"))
    assert "1 of 1 approval is missing." in page
    assert "takes the reviewer role" in words(browser("author").get(f"/changes/{change.number}/emergency"))
    assert "publish without approval</a>" in words(browser("reviewer").get(f"/changes/{change.number}"))
    assert "publish without approval</a>" not in words(browser("author").get(f"/changes/{change.number}"))


def test_an_author_is_refused_whatever_is_posted(press):
    assert press("author").status_code == 403
    assert held() == 1


def test_where_the_rule_does_not_allow_it_the_page_says_so(change, reply, press, browser):
    namespaces.set_rules(actor=reply.actor("admin"), namespace="support", break_glass=False)
    page = words(browser("reviewer").get(f"/changes/{change.number}/emergency"))
    assert "does not allow publishing without approval" in page
    assert press("reviewer").status_code == 403
    assert ChangeRequest.objects.get(number=change.number).state == "open"
