"""How fast the editor's form is: `python benchmarks/editor_form.py ADDRESS`, where a server with the demo runs.

Opens a draft of 200 KB with 100 parts in Chromium, signed in as the demo's author. Prints how long the form takes to
open, and the median and slowest time from a key press to its paint over 60 keys, in the form and in the source of the
same text. The goals: the form opens in at most 1 s, and the median key is painted in at most 50 ms. Nothing is saved;
the draft is discarded at the end.
"""

import argparse
import shutil
import statistics
import sys
from dataclasses import dataclass

from playwright.sync_api import Page, sync_playwright

PARTS, BYTES, KEYS = 100, 200_000, 60
MOST_OPEN_MS, MOST_KEY_MS = 1000.0, 50.0
TEMPLATE = "demo/form-benchmark"

# Milliseconds from a click on Form until the browser has painted the form.
OPEN_FORM = """async () => {
  const painted = () => new Promise((done) => requestAnimationFrame(() => setTimeout(done)));
  const start = performance.now();
  document.querySelector("[data-mode=form]").click();
  await painted();
  return performance.now() - start;
}"""
# Collects, for each key, the milliseconds from the event until the frame after it is painted.
WATCH_KEYS = """() => {
  window.keyTimes = [];
  document.addEventListener("keydown", (event) => {
    const start = event.timeStamp;
    requestAnimationFrame(() => setTimeout(() => window.keyTimes.push(performance.now() - start)));
  }, { capture: true });
}"""


@dataclass(frozen=True)
class KeyTimes:
    """Milliseconds from a key press to its paint."""

    median: float
    slowest: float


def write_document(size: int = BYTES) -> str:
    """A document of this many bytes: 100 parts, each with inputs."""
    lines = ["---", "description: A long prompt", "inputs:"]
    lines += [f"  value_{number}: {{type: string, default: plain}}" for number in range(10)]
    lines.append("---")
    sentence = "Answer in whole sentences, quote the line you rely on, and say so when you do not know."
    each = size // PARTS
    for number in range(PARTS):
        lines += [f"- name: part {number}", f"  role: {'system' if number % 2 else 'user'}", "  content: |"]
        written = 0
        while written < each - 120:
            line = f"    {sentence} {{{{ value_{number % 10} }}}}"
            lines.append(line)
            written += len(line) + 1
    return "\n".join(lines) + "\n"


def measure_keys(page: Page, keys: int = KEYS) -> KeyTimes:
    """Type at the cursor."""
    page.evaluate("window.keyTimes = []")
    for _ in range(keys):
        page.keyboard.press("x")
        page.wait_for_timeout(60)
    page.wait_for_function("count => window.keyTimes.length >= count", arg=keys)
    times = page.evaluate("window.keyTimes")
    return KeyTimes(statistics.median(times), max(times))


def sign_in(page: Page, address: str) -> None:
    """Sign in as the demo's author."""
    page.goto(f"{address}/login")
    page.fill("[name=username]", "author")
    page.fill("[name=password]", "author-promptuary")
    page.keyboard.press("Enter")
    page.wait_for_url(f"{address}/")


def measure_form(address: str) -> tuple[float, KeyTimes, KeyTimes]:
    """Milliseconds until the form is open, the key times in one of its cards, and those in the source."""
    with sync_playwright() as playwright:
        chromium = shutil.which("chromium") or shutil.which("chromium-browser")
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        page = browser.new_page(viewport={"width": 1280, "height": 800})
        sign_in(page, address)
        page.evaluate("localStorage.setItem('editor-mode', 'source')")
        page.goto(f"{address}/t/{TEMPLATE}/-/edit")
        page.locator("form.is-live").wait_for()
        source = page.get_by_role("textbox", name="Source of the template")
        source.click()
        page.keyboard.press("Control+a")
        page.keyboard.insert_text(write_document())
        page.get_by_text("rendered just now").wait_for()
        page.evaluate(WATCH_KEYS)
        page.keyboard.press("Control+Home")
        page.wait_for_timeout(1500)
        in_source = measure_keys(page)
        page.keyboard.press("Control+z")
        page.wait_for_timeout(3000)  # the draft is stored and the preview has loaded
        opened = page.evaluate(OPEN_FORM)
        page.get_by_role("textbox", name="Content of part 3", exact=True).click()
        page.wait_for_timeout(2000)
        in_form = measure_keys(page)
        page.wait_for_timeout(2500)
        page.get_by_role("button", name="Discard the draft").first.click()
        browser.close()
    return opened, in_form, in_source


def main() -> int:
    """Measure and print; return 1 if a goal is missed."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("address", help="of a server with the demo, as http://127.0.0.1:8000")
    opened, in_form, in_source = measure_form(parser.parse_args().address.rstrip("/"))
    print(f"{BYTES // 1000} KB, {PARTS} parts")
    print(f"the form opens in {opened:.0f} ms (goal {MOST_OPEN_MS:.0f})")
    for words, times in (("form", in_form), ("source", in_source)):
        print(
            f"a key in the {words}: median {times.median:.0f} ms (goal {MOST_KEY_MS:.0f}), slowest {times.slowest:.0f}"
        )
    return int(opened > MOST_OPEN_MS or in_form.median > MOST_KEY_MS)


if __name__ == "__main__":
    sys.exit(main())
