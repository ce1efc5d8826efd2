"""Page object of the editor: find its regions, type, wait for the server's messages."""

import re

from playwright.sync_api import Locator, Page, expect

__all__ = ["EditorPage"]


class EditorPage:
    """The editor page, as a person sees it."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.source = page.get_by_role("textbox", name="Source of the template")
        self.document = page.locator("textarea[name=document]")
        self.preview = page.get_by_role("region", name="What the model reads")
        self.budget = page.get_by_role("region", name="Token budget")
        self.problem_count = page.locator("[data-problem-count]")
        self.message = page.get_by_label("What changed")
        self.banner = page.locator("[data-preview-stopped]")
        self.outcome = page.locator("[data-outcome]")

    def ready(self) -> "EditorPage":
        """Wait until the script controls the form and the first preview has arrived."""
        self.page.locator("form.is-live").wait_for()
        self.page.locator("[data-preview-state]:not(:empty), [data-preview-stopped]:not([hidden])").first.wait_for(
            state="attached"
        )
        return self

    @property
    def text(self) -> str:
        """What the document is at this moment. An assertion about it waits: `expect_text` and its siblings."""
        return str(self.document.evaluate("area => area.value"))

    def expect_text(self, words: str) -> None:
        """Wait until the document contains `words`."""
        expect(self.document).to_have_value(re.compile(re.escape(words)))

    def expect_no_text(self, words: str) -> None:
        """Wait until the document contains no `words`."""
        expect(self.document).not_to_have_value(re.compile(re.escape(words)))

    def expect_text_end(self, words: str) -> None:
        """Wait until the document ends with `words`."""
        expect(self.document).to_have_value(re.compile(f"{re.escape(words)}$"))

    def expect_whole_text(self, text: str) -> None:
        """Wait until the document is `text`."""
        expect(self.document).to_have_value(text)

    def replace(self, old: str, new: str) -> None:
        """Select the first `old` in the source and type `new` over it, as a person would."""
        self.select(old)
        self.page.keyboard.insert_text(new)

    def select(self, words: str) -> None:
        """Find the words with the editor's search, which leaves them selected."""
        self.source.focus()  # messages on a phone may leave so little room that its middle is out of view
        self.page.keyboard.press("Control+Home")
        self.page.keyboard.press("Control+f")
        self.page.locator(".cm-search [name=search]").fill("")
        self.page.keyboard.type(words)
        self.page.keyboard.press("Enter")
        self.page.keyboard.press("Escape")

    def line(self, words: str) -> Locator:
        return self.page.locator(".cm-line", has_text=words)

    def block(self, severity: str) -> Locator:
        """The block under a line that has a problem of this severity."""
        return self.page.locator(f".cm-problem-{severity}")

    @property
    def lit(self) -> Locator:
        """The expressions in the source that are highlighted."""
        return self.page.locator(".cm-lit")
