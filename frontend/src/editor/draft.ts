// Autosave of the draft.
import { createIcon, findElement, timeAgo } from "../dom.ts";
import { CallError, callServer } from "./api.ts";

const DELAY = 1200;

interface LocalDraft {
  document: string;
  at: number;
}

/** Keeps unsaved work on the server a moment after each change, and in this browser while the server is away. */
export class Draft {
  readonly #url: string;
  readonly #key: string;
  readonly #body: () => Record<string, unknown>;
  readonly #said: HTMLElement;
  readonly #badge: HTMLElement;
  #timer: number | undefined;
  #savedAt: number | null;
  #trouble = "";
  #dirty = false;
  #sending: Promise<void> = Promise.resolve();

  constructor(
    root: HTMLElement,
    name: string,
    url: string,
    savedAt: number | null,
    body: () => Record<string, unknown>,
  ) {
    this.#url = url;
    this.#key = `draft:${name}`;
    this.#body = body;
    this.#said = findElement(root, "[data-draft-state]");
    this.#badge = findElement(root, "[data-draft-badge]");
    this.#savedAt = savedAt;
    window.setInterval(() => this.#tell(), 5000);
    document.addEventListener("visibilitychange", () => {
      if (document.visibilityState === "hidden") void this.flush(true);
    });
    window.addEventListener("pagehide", () => void this.flush(true));
    window.addEventListener("beforeunload", (event) => {
      if (this.#trouble) event.preventDefault();
    });
    this.#tell();
  }

  /** Text that never reached the server, from an earlier visit of this browser. */
  readLocalDraft(): LocalDraft | null {
    try {
      return JSON.parse(localStorage.getItem(this.#key) ?? "null") as LocalDraft | null;
    } catch {
      return null;
    }
  }

  saveSoon(): void {
    this.#dirty = true;
    window.clearTimeout(this.#timer);
    this.#timer = window.setTimeout(() => void this.flush(), DELAY);
  }

  /** Nothing more is sent until the next change; resolves when what was under way has arrived. */
  async waitForSave(): Promise<void> {
    window.clearTimeout(this.#timer);
    await this.#sending;
  }

  /** Sends what is unsent; `keepalive` lets the request outlive the page. */
  flush(keepalive = false): Promise<void> {
    window.clearTimeout(this.#timer);
    if (this.#dirty) this.#sending = this.#sending.then(() => this.#send(keepalive));
    return this.#sending;
  }

  async #send(keepalive: boolean): Promise<void> {
    if (!this.#dirty) return;
    const body = this.#body();
    const text = JSON.stringify({ document: body.document, at: Date.now() } satisfies {
      document: unknown;
      at: number;
    });
    this.#dirty = false;
    try {
      // Browsers refuse a keepalive request above 64 KiB; the copy in this browser covers that case.
      if (keepalive) localStorage.setItem(this.#key, text);
      const answer = await callServer<{ saved_at: number }>("PUT", this.#url, body, {
        keepalive: keepalive && text.length < 60_000,
      });
      this.#savedAt = answer.saved_at;
      this.#trouble = "";
      localStorage.removeItem(this.#key);
    } catch (error) {
      this.#dirty = true;
      this.#trouble = error instanceof CallError ? error.message : "Your draft could not be kept.";
      localStorage.setItem(this.#key, text);
    }
    this.#tell();
  }

  /** A version was saved: the draft is gone, on the server too. */
  discard(): void {
    window.clearTimeout(this.#timer);
    this.#dirty = false;
    this.#savedAt = null;
    this.#trouble = "";
    localStorage.removeItem(this.#key);
    this.#tell();
  }

  removeLocalDraft(): void {
    localStorage.removeItem(this.#key);
  }

  #tell(): void {
    const shown = this.#savedAt !== null || this.#trouble !== "";
    this.#badge.hidden = !shown;
    for (const control of document.querySelectorAll<HTMLElement>("[data-draft-discard]")) control.hidden = !shown;
    this.#said.classList.toggle("is-bad", this.#trouble !== "");
    if (this.#trouble) this.#said.replaceChildren(createIcon("circle-alert"), this.#trouble);
    else this.#said.textContent = this.#savedAt === null ? "" : `kept ${timeAgo(this.#savedAt)}`;
  }
}
