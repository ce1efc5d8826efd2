"""The panel "What can this key do?", and what a new key starts with."""

import re
from datetime import UTC, datetime, timedelta

import pytest

from registry.accounts.actor import Actor
from registry.accounts.models import Key, User
from registry.changes import schedules
from registry.namespaces import keys
from registry.namespaces.verbs import KEY_VERBS
from registry.templates.models import Version
from registry.usage.models import Fetch
from tests.frontend.conftest import REPLY, read_html


@pytest.fixture
def key(reply):
    issued = keys.issue_key(
        actor=reply.actor("admin"), namespace="support", name="chat", verbs=["fetch"], labels=["production"]
    )
    return issued.key


def test_the_panel_says_what_the_key_can_do(key, browser):
    page = read_html(browser("admin").get(f"/n/support/keys?can={key.id}"))
    assert "<b>Can fetch</b> what production serves, where it is approved, in the one template of support." in page
    assert "No key can do that." in page
    assert "What can this key do?" not in read_html(browser("admin").get("/n/support/keys?can=nothing"))


def test_a_trial_shows_what_the_server_would_answer(key, browser):
    client, path = browser("admin"), f"/n/support/keys?can={key.id}&act=fetch&template={REPLY}"
    allowed = read_html(client.get(f"{path}&ref=production"))
    assert re.search(r"Allowed, 200</b> fetch support/refunds/reply@production", allowed)
    assert "Would return v1" in allowed
    refused = read_html(client.get(f"{path}&ref=2"))
    assert "Refused, 403</b>" in refused
    assert "is not" in refused
    assert "Say which version or label" in read_html(client.get(path))


def test_a_trial_is_run_again_for_each_act_that_is_chosen(key, browser):
    client, path = browser("admin"), f"/n/support/keys?can={key.id}"
    assert '#can" class="form" data-autosubmit>' not in read_html(client.get(path))
    page = read_html(client.get(f"{path}&act=fetch&template={REPLY}&ref=production"))
    form = page[page.index('#can" class="form" data-autosubmit>') :].partition("</form>")[0]
    assert re.search(r'<select [^>]*name="act"', form)


def test_a_new_key_starts_as_fetch_only_for_ninety_days(reply, browser):
    page = read_html(browser("admin").get("/n/support/keys"))
    assert '<option value="chosen" selected>' in page
    assert '<option value="90" selected>' in page
    boxes = re.findall(r'name="verbs" value="(\w+)"( checked)?', page)
    assert [verb for verb, checked in boxes if checked] == ["fetch"]


def test_permissions_are_shown_in_plain_words_in_the_form_and_the_list(reply, browser):
    client, path = browser("admin"), "/n/support/keys"
    page = read_html(client.get(path))
    labels = [label.strip() for label in re.findall(r'name="verbs" value="\w+"(?: checked)?>([^<]+)</label>', page)]
    assert len(labels) == len(KEY_VERBS)
    assert {"Fetch", "Roll labels back", "Publish what is approved"} <= set(labels)
    for verbs, shown in ((["fetch", "roll_back"], "fetch, roll labels back"), ([], "write")):
        scope = "chosen" if verbs else "write"
        form = {"name": f"ci-{scope}", "scope": scope, "verbs": verbs, "person": "admin", "days": "30"}
        assert client.post(path, form).status_code == 201
        assert re.search(rf'<td data-head="May">\s*{shown}\s*<', read_html(client.get(path)))
    assert "roll_back" not in re.sub(r'value="roll_back"|id_verb_roll_back', "", read_html(client.get(path)))


def test_the_panel_sets_the_addresses_and_a_trial_is_from_one(key, browser):
    client, path = browser("admin"), "/n/support/keys"
    form = {"do": "addresses", "key": key.id, "addresses": "203.0.113.0/24, 2001:db8::/32"}
    answer = client.post(path, form)
    assert (answer.status_code, answer["Location"]) == (302, f"{path}?can={key.id}#can")
    page = read_html(client.get(f"{path}?can={key.id}"))
    assert "from network addresses other than 203.0.113.0/24 and 2001:db8::/32." in page
    assert "from 203.0.113.0/24, 2001:db8::/32" in page
    trial = f"{path}?can={key.id}&act=fetch&template={REPLY}&ref=production&address="
    assert "Allowed, 200" in read_html(client.get(f"{trial}203.0.113.9"))
    assert "may not be used from 198.51.100.1" in read_html(client.get(f"{trial}198.51.100.1"))


def test_invalid_addresses_are_refused_next_to_their_field(key, browser):
    answer = browser("admin").post("/n/support/keys", {"do": "addresses", "key": key.id, "addresses": "office"})
    page = read_html(answer)
    assert answer.status_code == 422
    assert "&#x27;office&#x27; is not a network, such as 203.0.113.0/24" in page
    assert 'value="office"' in page


def test_the_panel_says_as_whom_the_key_acts_how_long_and_what_it_fetched(key, browser):
    client, path = browser("admin"), f"/n/support/keys?can={key.id}"
    page = read_html(client.get(path))
    assert "Acts as admin for admin." in page
    assert "Expires on" not in page
    assert "It fetched nothing." in page
    Key.objects.update(expires_at=datetime(2099, 1, 22, 12, tzinfo=UTC))
    version, today = Version.objects.get(template__name=REPLY, number=1), datetime.now(UTC)
    Fetch.objects.create(key=key, version=version, ref="production", day=today.date(), count=70, last_at=today)
    page = read_html(client.get(path))
    assert re.search(r"Expires on <time [^>]*>22 Jan 2099</time>", page)
    assert "10 fetches a day" in page
    assert f'<a class="plain-link" href="/t/{REPLY}">{REPLY}</a>' in page
    assert f'href="?revoke={key.id}" data-panel>Revoke</a>' in page
    keys.revoke_key(actor=Actor(User.objects.get(username="admin")), key_id=key.id)
    assert "Replace key" not in read_html(client.get(path))


def test_a_refused_fetch_offers_the_labels_that_the_key_is_for(key, browser):
    client, path = browser("admin"), f"/n/support/keys?can={key.id}&act=fetch&template={REPLY}"
    refused = client.get(f"{path}&ref=2").content.decode()
    (link,) = re.findall(r'<a class="button button-small" href="([^"]+)#can">\s*Try production</a>', refused)
    assert "Allowed, 200</b>" in read_html(client.get(f"/n/support/keys{link.replace('&amp;', '&')}"))
    assert "Try production</a>" not in read_html(client.get(f"{path}&ref=production"))


def test_the_revoke_panel_names_schedules_and_rollouts_of_the_key(reply, browser):
    issued = keys.issue_key(
        actor=reply.actor("admin"), namespace="support", name="deploys", scope="write", person="author"
    ).key
    path = f"/n/support/keys?revoke={issued.id}"
    assert "go live" not in read_html(browser("admin").get(path))
    change = reply.propose(2)
    schedules.schedule_change(
        actor=Actor(issued.person, issued), number=change.number, at=datetime.now(UTC) + timedelta(days=1)
    )
    page = read_html(browser("admin").get(path))
    assert f'<a href="/changes/{change.number}">Change {change.number}</a> won\'t go live at its time</b>' in page
