"""Importing a prompt from another system, counted in clicks."""

import secrets
from pathlib import Path

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import PHONE, Visit
from tests.support.accessibility import list_barriers
from tests.support.keyboard import press_tab_to

CHATML = """<|im_start|>system
You answer refund questions for Harbour Outfitters.<|im_end|>
<|im_start|>user
Order {order_id}: {question}<|im_end|>
<|im_start|>assistant
"""


@pytest.fixture
def chatml(tmp_path: Path) -> Path:
    """A ChatML file with a unique name."""
    path = tmp_path / f"late-reply-{secrets.token_hex(3)}.txt"
    path.write_text(CHATML, encoding="utf-8")
    return path


@pytest.mark.parametrize("options", [{}, {"viewport": PHONE}], ids=str)
def test_a_chatml_file_is_a_template_after_three_clicks(visit: Visit, chatml: Path, options):
    page = visit.open("author", "/t/support/", **options)
    page.get_by_role("link", name="Import", exact=True).click()  # 1
    with page.expect_file_chooser() as chooser:
        page.locator("#files").click()  # 2
    chooser.value.set_files(chatml)
    expect(page.get_by_role("region", name="What it becomes")).to_contain_text("read as ChatML")
    page.get_by_role("button", name="Import 1 template").click()  # 3
    page.wait_for_url(f"**/t/support/{chatml.stem}")
    expect(page.locator("#status")).to_contain_text("Imported 1 template.")


def test_the_same_by_keyboard_alone(visit: Visit, chatml: Path):
    page = visit.open("author", "/t/support/")
    # Whoever listens is given the choosers. Asked for just before the key, the first one may open and not be given.
    page.on("filechooser", lambda _chooser: None)
    press_tab_to(page, page.get_by_role("link", name="Import", exact=True))
    page.keyboard.press("Enter")
    page.wait_for_url("**/t/import*")
    expect(page.get_by_role("textbox", name="Prompt")).to_be_focused()
    press_tab_to(page, page.locator("#files"), "Shift+Tab", limit=3)
    with page.expect_file_chooser() as chooser:
        page.keyboard.press("Enter")
    chooser.value.set_files(chatml)
    button = page.get_by_role("button", name="Import 1 template")
    button.wait_for()
    press_tab_to(page, button)
    page.keyboard.press("Enter")
    page.wait_for_url(f"**/t/support/{chatml.stem}")


def test_the_same_without_scripts_takes_one_more(visit: Visit, chatml: Path):
    page = visit.open("author", "/t/import?in=support", java_script_enabled=False)
    page.locator("#files").set_input_files(chatml)
    page.get_by_role("button", name="Show what it becomes").click()
    page.get_by_role("button", name="Import 1 template").click()
    page.wait_for_url(f"**/t/support/{chatml.stem}")


def test_a_pasted_prompt_is_shown_while_it_is_typed(visit: Visit):
    page = visit.open("author", "/t/import")
    page.get_by_role("textbox", name="Prompt").fill("Hi {{ name }}")
    verdict = page.locator("#verdict")
    expect(verdict).to_contain_text("Looks like plain text")
    page.get_by_role("textbox", name="Prompt").fill(CHATML)
    expect(verdict).to_contain_text("Looks like ChatML")
    page.locator("#folder").fill("refunds")
    page.keyboard.press("Tab")
    expect(page.get_by_label("Address inside the namespace")).to_have_value("refunds/pasted")
    assert list_barriers(page) == []


DROP = """([name, text]) => {
  const dataTransfer = new DataTransfer();
  dataTransfer.items.add(new File([text], name, { type: "text/plain" }));
  for (const kind of ["dragenter", "dragover"]) {
    document.body.dispatchEvent(new DragEvent(kind, { dataTransfer, bubbles: true, cancelable: true }));
  }
}"""


def test_a_file_dropped_anywhere_on_the_page_is_read_and_names_the_template(visit: Visit):
    page = visit.open("author", "/t/import?in=support")
    page.evaluate(DROP, ["Late refund.txt", CHATML])
    expect(page.get_by_text("Drop to import")).to_be_visible()
    page.evaluate(DROP.replace('["dragenter", "dragover"]', '["drop"]'), ["Late refund.txt", CHATML])
    expect(page.get_by_text("Drop to import")).to_be_hidden()
    expect(page.locator("#verdict")).to_contain_text("Looks like ChatML: 2 messages, 2 inputs")
    expect(page.locator("#name")).to_have_value("Late refund")
    expect(page.locator("#address")).to_contain_text("support / late-refund")
    expect(page.get_by_role("button", name="Create draft from ChatML")).to_be_visible()


def test_a_chosen_folder_is_read_as_a_dropped_one(visit: Visit, tmp_path: Path):
    folder = tmp_path / "prompts"
    for path in ("a/greet.txt", "b/greet.txt", ".git/greet.txt", "logo.png"):
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(CHATML, encoding="utf-8")
    page = visit.open("author", "/t/import?in=support")
    page.locator("#folder_files").set_input_files(folder)
    expect(page.locator("[data-chosen]")).to_have_text("2 files chosen")
    expect(page.locator("#verdict")).to_contain_text("2 templates found")
    addresses = page.get_by_label("Address inside the namespace")
    expect(addresses).to_have_count(2)
    assert {addresses.nth(index).input_value() for index in range(2)} == {"a/greet", "b/greet"}


def test_the_proposed_name_follows_the_file_and_the_heading_until_one_is_typed(visit: Visit, tmp_path: Path):
    page = visit.open("author", "/t/import?in=support")
    files, name = page.locator("#files"), page.locator("#name")
    paths = [tmp_path / f"{stem}.txt" for stem in ("first", "second", "third")]
    for path in paths:
        path.write_text(CHATML, encoding="utf-8")
    for path in paths[:2]:
        files.set_input_files(path)
        expect(name).to_have_value(path.stem)
    files.set_input_files(paths)
    expect(name).to_have_value("")
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.evaluate("navigator.clipboard.writeText('# Late refund\\n\\n## Tone\\nHi')")
    page.locator("#text").press("Control+v")
    expect(name).to_have_value("Late refund")
    name.fill("Mine")
    files.set_input_files(paths[2])
    expect(name).to_have_value("Mine")


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_the_address_follows_the_name_and_axe_finds_nothing(visit: Visit, theme):
    page = visit.open("author", "/t/import?in=support", color_scheme=theme)
    expect(page.locator("#text")).to_be_focused()
    page.locator("#text").fill(CHATML)
    page.get_by_role("textbox", name="Name").fill("Late refund reply")
    expect(page.locator("#address")).to_contain_text("support / late-refund-reply")
    becomes = page.get_by_role("region", name="What it becomes")
    becomes.get_by_role("radio", name="Parts").press("ArrowRight")
    expect(becomes.get_by_role("group", name="Document of late-refund-reply")).to_contain_text("role: system")
    expect(becomes.locator(".messages")).to_be_hidden()
    expect(page.get_by_label("Address inside the namespace")).to_have_value("late-refund-reply")
    assert list_barriers(page) == []


def test_the_kind_of_an_input_is_chosen_before_the_draft_is_made(visit: Visit):
    page = visit.open("author", "/t/import?in=support")
    page.get_by_role("textbox", name="Prompt").fill(CHATML)
    expect(page.get_by_label("Read as").locator("option:checked")).to_have_text("ChatML (recognised)")
    kind = page.get_by_label("question, kind")
    kind.focus()
    kind.select_option("Text, from users")
    becomes = page.get_by_role("region", name="What it becomes")
    expect(becomes.locator(".import-source")).to_contain_text("untrusted: true")
    expect(kind).to_be_focused()
    expect(kind.locator("option:checked")).to_have_text("Text, from users")
    assert list_barriers(page) == []


def test_a_possible_secret_is_named_while_a_text_is_pasted(visit: Visit):
    page = visit.open("author", "/t/import?in=support")
    page.get_by_role("textbox", name="Prompt").focus()
    page.keyboard.insert_text("Call it with api_key = 9f8e7d6c5b4a39281706f5e4d3c2b1a0 now.")
    result = page.get_by_role("region", name="What it becomes")
    expect(result.get_by_role("heading", name="Check for secrets before importing")).to_be_visible()
    expect(result).to_contain_text("This looks like a secret")
    assert not list_barriers(page)
