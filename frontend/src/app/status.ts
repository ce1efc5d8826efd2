import { find, icon, make } from "../dom.ts";

const SHOWN_FOR = 6000;
let timer: number | undefined;

/** Says something in the page's one status line; errors stand where they arose instead. */
export function say(text: string): void {
  const line = find(document, "#status");
  window.clearTimeout(timer);
  const close = make("button", { type: "button", class: "status-close", "aria-label": "Close this message" });
  close.append(icon("x"));
  close.addEventListener("click", () => line.replaceChildren());
  line.replaceChildren(make("span", {}, text), close);
  timer = window.setTimeout(() => line.replaceChildren(), SHOWN_FOR);
}

/** What the server put into the status line goes away by itself as well. */
export function fadeStatus(): void {
  const text = find(document, "#status").textContent?.trim();
  if (text) say(text);
}

/** Announces what a swapped region or a fresh page carries in `data-status`, each once. */
export function announce(root: ParentNode): void {
  for (const carrier of root.querySelectorAll<HTMLElement>("[data-status]")) {
    const text = carrier.dataset.status;
    delete carrier.dataset.status;
    if (text) say(text);
  }
}
