"""A rollout in the browser: the share grows, a reviewer rolls back, and the author starts again from the panel.

It is the rollout of the demo, and goes on as it began: at 5 %, by hand.
"""

import re

from playwright.sync_api import Page, expect

from tests.browser.conftest import PHONE, Visit

NAME = "support/refunds/delay"
CALLERS = [f"customer-{number}" for number in range(40)]


def test_a_rollout_grows_is_rolled_back_and_starts_again(visit: Visit, fetch, until):
    def list_callers_of_candidate() -> list[str]:
        """The callers to whom the server returns the candidate."""
        address = f"/templates/{NAME}@production"
        sides = {caller: fetch(f"{address}?bucket={caller}").headers["Promptuary-Side"] for caller in CALLERS}
        return [caller for caller, side in sides.items() if side == "candidate"]

    author = visit.open("author", "/")
    author.get_by_role("link", name=f"Open rollout of {NAME}").click()
    rollout = find_rollout(author)
    expect(rollout).to_contain_text("collecting")
    first = list_callers_of_candidate()

    rollout.get_by_role("button", name="Next step").click()
    expect(find_rollout(author)).to_contain_text("25 % of the callers")
    until(lambda: len(list_callers_of_candidate()) > len(first))
    assert set(first) < set(list_callers_of_candidate()), "whoever had the candidate keeps it"

    reviewer = visit.open("reviewer", author.url, viewport=PHONE, color_scheme="dark")
    rollout = find_rollout(reviewer)
    rollout.get_by_label(re.compile("^Why everybody goes back")).fill("It sounds too sorry")
    rollout.get_by_role("button", name="Roll back to v1").click()
    expect(find_rollout(reviewer)).to_contain_text("Stopped at 25 %")
    expect(find_rollout(reviewer)).to_contain_text("It sounds too sorry")
    until(lambda: list_callers_of_candidate() == [])

    author.reload()
    author.get_by_role("link", name=re.compile("^Publish")).first.click()
    panel = author.get_by_role("dialog", name="Publish v2 to production")
    expect(panel.get_by_label("Shares in %")).to_be_hidden()
    panel.get_by_text("Gradually", exact=True).click()
    panel.get_by_label("Shares in %").fill("5, 25")
    panel.get_by_label("Hours a step lasts").fill("")
    panel.get_by_role("button", name="Publish v2").click()
    expect(find_rollout(author)).to_contain_text("5 % of the callers")
    expect(find_rollout(author)).to_contain_text("Next: 25 %, by hand.")


def find_rollout(page: Page):
    """The section of the rollout on the page of its change."""
    return page.get_by_role("region", name="Rollout")
