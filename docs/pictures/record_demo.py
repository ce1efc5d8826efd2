"""Records the pictures of the docs in a running demo: demo.gif, the way of one sentence from the editor to a service,
and the two pictures of the editor.

    make run                                        # in another terminal; it prints the demo's address and key
    pip install -r requirements-docs.txt            # in an environment of your own
    python docs/pictures/record_demo.py --key pb_…  # --url if the demo is not at http://127.0.0.1:8000

Chromium is taken from the path; without one, it is the one that `playwright install chromium` put in place. The story
begins at version 3 of the refund reply, so it needs a demo in which nothing was published yet.
"""

import argparse
import html
import io
import json
import re
import shutil
import sys
from dataclasses import dataclass, field
from pathlib import Path

from PIL import Image, ImageDraw, ImageFont
from playwright.sync_api import Browser, Locator, Page, ViewportSize, expect, sync_playwright

TEMPLATE = "support/refunds/reply"
BEFORE, SENTENCE = "before you answer.", " Answer in two sentences."
VIEW: ViewportSize = {"width": 1060, "height": 640}
DESKTOP: ViewportSize = {"width": 1280, "height": 800}
CAPTION_HEIGHT = 40
CAPTION_INK, CAPTION_PAPER, POINTER = "#fdfbf6", "#201b14", "#d0641c"
COLOURS = 255
MAX_BYTES = 2_000_000
FETCH = f"""$ curl -H "Authorization: Bearer $PROMPTUARY_KEY" \\
    "$PROMPTUARY_URL/api/v1/templates/{TEMPLATE}@production"
"""
# Where the caret goes: the middle of the last letter of some words, in pixels of the window.
END_OF_WORDS = """(element, words) => {
    const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
    while (walker.nextNode()) {
        const start = walker.currentNode.data.indexOf(words);
        if (start < 0) continue;
        const range = document.createRange();
        range.setStart(walker.currentNode, start + words.length - 1);
        range.setEnd(walker.currentNode, start + words.length);
        const box = range.getBoundingClientRect();
        return [box.x + box.width / 2, box.y + box.height / 2];
    }
}"""


@dataclass
class Film:
    """The frames so far, each with its duration in milliseconds, and the caption of the current scene."""

    caption: str = ""
    frames: list[tuple[Image.Image, int]] = field(default_factory=list)

    def take(self, page: Page, milliseconds: int, pointer: Locator | None = None) -> None:
        """Add what the page shows now; with `pointer`, a ring marks the middle of that element."""
        window = Image.open(io.BytesIO(page.screenshot(animations="disabled", caret="initial"))).convert("RGB")
        if pointer is not None and (box := pointer.bounding_box()):
            left, top = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
            ImageDraw.Draw(window).ellipse((left - 15, top - 15, left + 15, top + 15), outline=POINTER, width=4)
        frame = Image.new("RGB", (window.width, window.height + CAPTION_HEIGHT), CAPTION_PAPER)
        frame.paste(window, (0, CAPTION_HEIGHT))
        ImageDraw.Draw(frame).text((20, 9), self.caption, CAPTION_INK, ImageFont.load_default(19))
        self.frames.append((frame, milliseconds))

    def click(self, page: Page, target: Locator) -> None:
        """Point at an element for a moment, then click it."""
        target.scroll_into_view_if_needed()
        self.take(page, 700, pointer=target)
        target.click()

    def write_gif(self, path: Path) -> int:
        """Write the film, all frames in the same colours; gives the seconds that it lasts."""
        strip = Image.new("RGB", (self.frames[0][0].width, sum(frame.height for frame, _ in self.frames)))
        for number, (frame, _) in enumerate(self.frames):
            strip.paste(frame, (0, number * frame.height))
        palette = strip.quantize(COLOURS)
        first, *others = [frame.quantize(palette=palette, dither=Image.Dither.NONE) for frame, _ in self.frames]
        durations = [milliseconds for _, milliseconds in self.frames]
        first.save(path, save_all=True, append_images=others, duration=durations, loop=0, optimize=True)
        return round(sum(durations) / 1000)


def sign_in(browser: Browser, url: str, person: str) -> Page:
    """A window of its own for one of the demo's people, with the editor as a form."""
    context = browser.new_context(base_url=url, viewport=VIEW, color_scheme="light", reduced_motion="reduce")
    context.add_init_script("localStorage.setItem('editor-mode', 'form')")
    page = context.new_page()
    page.goto("/login")
    page.get_by_label("Account").fill(person)
    page.get_by_label("Password").fill(f"{person}-promptuary")
    page.get_by_role("button", name="Sign in").click()
    page.wait_for_url(lambda address: "/login" not in address)
    return page


def edit_sentence(film: Film, page: Page) -> None:
    """The author opens the editor and types one more sentence; the preview follows."""
    film.caption = "1  The author changes a sentence. The preview shows what the model will read."
    page.goto(f"/t/{TEMPLATE}/-/edit")
    page.locator("form.is-live").wait_for()
    content = page.get_by_role("textbox", name="Content of instructions")
    preview = page.get_by_role("region", name="What the model reads")
    expect(preview).to_contain_text("refund")
    film.take(page, 1300)
    page.mouse.click(*content.evaluate(END_OF_WORDS, BEFORE))
    page.keyboard.press("End")
    for start in range(0, len(SENTENCE), 3):
        page.keyboard.type(SENTENCE[start : start + 3])
        film.take(page, 110)
    expect(preview).to_contain_text(SENTENCE.strip())
    film.take(page, 1300)


def save_and_propose(film: Film, page: Page) -> str:
    """The author saves a version and proposes it; gives the address of the change."""
    film.caption = "2  Every save is checked and becomes a numbered version that never changes."
    page.get_by_label("What changed").fill("Keep it to two sentences")
    film.click(page, page.get_by_role("button", name=re.compile("^Save as v")))
    propose = page.get_by_role("button", name=re.compile("for production$"))
    expect(propose).to_be_visible()
    film.take(page, 1200)
    film.caption = "3  production is protected: the author can only ask to move it."
    film.click(page, propose)
    link = page.get_by_role("link", name=re.compile(r"Open change \d+"))
    expect(link).to_be_visible()
    film.take(page, 1200)
    return str(link.get_attribute("href"))


def review(film: Film, page: Page, change: str) -> None:
    """The reviewer reads the difference, approves and publishes."""
    film.caption = "4  A reviewer sees the difference in the text and in what the model reads."
    page.goto(change)
    approve = page.get_by_role("button", name=re.compile(r"^Approve v\d+")).first
    expect(approve).to_be_enabled()
    expect(page.locator("main")).not_to_contain_text("has not finished")
    film.take(page, 2000)
    film.click(page, page.get_by_role("link", name="Rendered", exact=True))
    expect(page.locator("main")).to_contain_text("Next that differs")
    film.take(page, 2400)
    film.caption = "5  The reviewer approves exactly these bytes, and publishes them."
    film.click(page, approve)
    publish = page.get_by_role("link", name=re.compile("^Publish")).first
    expect(publish).to_be_visible()
    film.take(page, 900)
    film.click(page, publish)
    film.click(page, page.get_by_role("button", name=re.compile("^Publish")).first)
    expect(page.locator(".change-facts .badge")).to_have_text("Published")
    film.take(page, 1500)


def fetch(film: Film, page: Page, url: str, key: str) -> None:
    """A service fetches the label: the command, and what the server really answers to it."""
    film.caption = "6  A second later, services fetch it: same version, same digest, same bytes."
    page.wait_for_timeout(1500)  # a move holds in every process of the server within a second
    address = f"{url}/api/v1/templates/{TEMPLATE}@production"
    answer = page.request.get(address, headers={"Authorization": f"Bearer {key}"}, fail_on_status_code=True)
    served = answer.json()
    if SENTENCE.strip() not in served["document"]:
        raise RuntimeError("production does not serve the sentence yet")
    line = next(line for line in served["document"].splitlines() if SENTENCE.strip() in line)
    facts = {"version": served["version"], "digest": served["digest"][:23] + "…", "document": "… " + line.strip()}
    page.set_content(
        "<body style='margin:0;padding:36px 44px;background:#fdfbf6;color:#201b14;font:18px/1.6 monospace'>"
        f"<pre style='margin:0'>{html.escape(FETCH)}</pre><hr style='border:0;border-top:1px solid #dcd3c2'>"
        "<pre style='margin:0;white-space:pre-wrap;color:#1b4b72'>"
        f"{html.escape(json.dumps(facts, indent=2, ensure_ascii=False))}</pre>"
    )
    film.take(page, 3500)


def picture_editor(page: Page, folder: Path) -> None:
    """Write editor.png and source.png: the editor as a form and as source, as the author opens it."""
    page.set_viewport_size(DESKTOP)
    page.goto(f"/t/{TEMPLATE}/-/edit")
    page.locator("form.is-live").wait_for()
    for name, mode in (("editor.png", "form"), ("source.png", "source")):
        page.locator(f"[data-mode={mode}]").click()
        expect(page.locator("[data-preview-state]")).to_contain_text("rendered")
        page.mouse.move(0, 0)
        page.screenshot(path=folder / name, animations="disabled")
    page.locator("[data-mode=form]").click()
    page.set_viewport_size(VIEW)


def record_demo(url: str, key: str, path: Path) -> None:
    """Play the story once and write it to `path`. Raises RuntimeError if the file is too large to show."""
    film = Film()
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
        author, reviewer = sign_in(browser, url, "author"), sign_in(browser, url, "reviewer")
        picture_editor(author, path.parent)
        edit_sentence(film, author)
        change = save_and_propose(film, author)
        review(film, reviewer, change)
        fetch(film, browser.new_page(viewport=VIEW), url, key)
        browser.close()
    seconds = film.write_gif(path)
    size = path.stat().st_size
    sys.stdout.write(f"{path}: {seconds} s, {len(film.frames)} frames, {size:,} bytes\n")
    if size > MAX_BYTES:
        raise RuntimeError(f"{path} is larger than {MAX_BYTES:,} bytes")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="Record the demo as an animated GIF.")
    parser.add_argument("--url", default="http://127.0.0.1:8000", help="where the demo is served")
    parser.add_argument("--key", required=True, help="the demo's key, as `make run` prints it")
    parser.add_argument("--out", type=Path, default=Path(__file__).with_name("demo.gif"), help="the file to write")
    arguments = parser.parse_args()
    record_demo(arguments.url.rstrip("/"), arguments.key, arguments.out)
