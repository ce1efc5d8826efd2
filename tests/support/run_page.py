"""Page object of the playground, the editor's Run: find its columns, run them, wait for their texts."""

from playwright.sync_api import Locator, Page

from tests.support.editor_page import EditorPage

__all__ = ["RunPage"]


class RunPage(EditorPage):
    """The editor with Run open, as a user sees it."""

    def __init__(self, page: Page) -> None:
        super().__init__(page)
        self.run_button = page.locator("[data-play-run]")
        self.reason = page.locator("[data-play-reason]")
        self.announcement = page.locator("[data-play-announcement]")
        self.history = page.get_by_role("region", name="Earlier runs")

    def ready(self) -> "RunPage":
        """Wait until the script has started and the choices are loaded."""
        super().ready()
        self.columns.first.wait_for()
        return self

    @property
    def columns(self) -> Locator:
        return self.page.locator(".play-column")

    def column(self, title: str) -> "ColumnPart":
        """The column with this title: `This draft`, `production`, `v1`."""
        return ColumnPart(self.page.get_by_role("region", name=title, exact=True))

    def run(self) -> None:
        self.run_button.click()


class ColumnPart:
    """One column: its text and its buttons."""

    def __init__(self, column: Locator) -> None:
        self.element = column
        self.verdict = column.locator(".play-head .play-verdict")
        self.body = column.locator(".play-body")
        self.stale = column.locator(".play-stale")
        self.figures = column.locator(".play-figures")
        self.source = column.get_by_label("What this column runs")
        self.model = column.get_by_label("Model")

    def button(self, name: str) -> Locator:
        return self.element.get_by_role("button", name=name)

    def choose(self, action: str) -> None:
        """Open the column's menu and choose an action."""
        self.element.locator("summary[aria-label='More for this column']").click()
        self.button(action).click()
