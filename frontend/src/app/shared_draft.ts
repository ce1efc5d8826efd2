// The page of a shared draft: shows each change, and reports when the sharing has ended.
import { createElement } from "../dom.ts";
import { gettext } from "../language.ts";
import { pauseAfter } from "./live_events.ts";

/** Starts if the page shows a shared draft. */
export function installSharedDraft(): void {
  const page = document.querySelector<HTMLElement>("[data-shared-draft]");
  if (page && "EventSource" in window) new SharedDraft(page).start();
}

class SharedDraft {
  #page: HTMLElement;
  #stream: EventSource | undefined;
  #failures = 0;
  #timer: number | undefined;
  #isOver = false;

  constructor(page: HTMLElement) {
    this.#page = page;
  }

  /** Only a visible page holds a stream, because browsers open few connections to one server. */
  start(): void {
    document.addEventListener("visibilitychange", () => this.#follow());
    window.addEventListener("pagehide", () => this.#close());
    this.#follow();
  }

  #follow(): void {
    if (document.visibilityState === "hidden") this.#close();
    else if (!this.#stream && !this.#isOver) this.#connect();
  }

  #close(): void {
    window.clearTimeout(this.#timer);
    this.#stream?.close();
    this.#stream = undefined;
  }

  #connect(): void {
    this.#close();
    const stream = new EventSource(`${this.#page.dataset.sharedDraft}?after=${this.#page.dataset.revision}`);
    this.#stream = stream;
    stream.addEventListener("draft", () => void this.#load());
    stream.addEventListener("ended", () => this.#end());
    stream.addEventListener("error", () => {
      this.#close();
      this.#timer = window.setTimeout(() => void this.#load().then(() => this.#follow()), pauseAfter(this.#failures++));
    });
  }

  /** Reloads the draft; the selected sample is kept, because it is in the URL. */
  async #load(): Promise<void> {
    const answer = await fetch(window.location.href, { headers: { Accept: "text/html" } }).catch(() => null);
    if (answer === null || answer.redirected) return;
    if (answer.status === 404) {
      this.#end();
      return;
    }
    if (!answer.ok) return;
    this.#failures = 0;
    const fresh = new DOMParser().parseFromString(await answer.text(), "text/html").querySelector("#shared-draft");
    if (!(fresh instanceof HTMLElement)) return;
    this.#page.dataset.revision = fresh.dataset.revision;
    for (const part of ["[data-shared-body]", "[data-shared-state]"]) {
      const freshPart = fresh.querySelector(part);
      if (freshPart) this.#page.querySelector(part)?.replaceChildren(...freshPart.childNodes);
    }
  }

  #end(): void {
    this.#isOver = true;
    this.#close();
    const message = gettext(
      "This draft is not shared any more: it was saved or discarded, or its author stopped sharing it.",
    );
    this.#page.querySelector("[data-shared-body]")?.remove();
    this.#page.querySelector("[data-shared-state]")?.replaceChildren(createElement("b", {}, message));
  }
}
