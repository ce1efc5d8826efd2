// The status line at the foot of every page.
import { createElement, createIcon, findElement } from "../dom.ts";
import { gettext } from "../language.ts";

const SHOWN_FOR = 6000;
const SHOWN_WITH_UNDO_FOR = 10_000;
let timer: number | undefined;

/** Shows a message in the page's status line, with an undo button or a link to the result. Errors are shown where they
 * occur instead. */
export function showStatus(text: string, undo?: () => void, link?: { text: string; url: string }): void {
  const line = findElement(document, "#status");
  window.clearTimeout(timer);
  const close = createElement("button", {
    type: "button",
    class: "status-close",
    "aria-label": gettext("Close this message"),
  });
  close.append(createIcon("x"));
  close.addEventListener("click", () => line.replaceChildren());
  const undoButton = createElement(
    "button",
    { type: "button", class: "button button-quiet button-small" },
    gettext("Undo"),
  );
  undoButton.addEventListener("click", () => {
    line.replaceChildren();
    undo?.();
  });
  const links = link ? [createElement("a", { href: link.url }, link.text)] : [];
  line.replaceChildren(createElement("span", {}, text), ...links, ...(undo ? [undoButton] : []), close);
  timer = window.setTimeout(() => line.replaceChildren(), undo || link ? SHOWN_WITH_UNDO_FOR : SHOWN_FOR);
}

/** Also hides the server's status message after a while; a form in it undoes the action. */
export function hideStatusLater(): void {
  const line = findElement(document, "#status");
  const anchor = line.querySelector("a");
  const form = line.querySelector("form");
  anchor?.remove();
  form?.remove();
  const text = line.textContent?.trim();
  if (!text) return;
  const link = anchor ? { text: anchor.text, url: anchor.href } : undefined;
  showStatus(text, form ? () => submitHidden(form) : undefined, link);
}

/** Submits a form that isn't part of the page. */
function submitHidden(form: HTMLFormElement): void {
  form.hidden = true;
  document.body.append(form);
  form.requestSubmit(form.querySelector("button"));
}

/** Announces each `data-status` of a swapped region or a new page once. */
export function announceStatus(root: ParentNode): void {
  for (const carrier of root.querySelectorAll<HTMLElement>("[data-status]")) {
    const text = carrier.dataset.status;
    delete carrier.dataset.status;
    if (text) showStatus(text);
  }
}
