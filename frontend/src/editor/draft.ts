// Autosave of the draft.
import { createElement, createIcon, findElement, timeAgo } from "../dom.ts";
import { gettext } from "../language.ts";
import { CallError, callServer, OfflineError } from "./api.ts";
import type { Data } from "./types.ts";

const DELAY = 1200;
const RETRY = 5000;

/** Text that did not reach the server, as this browser keeps it. */
export interface LocalDraft {
  document: string;
  samples?: Record<string, Data>;
  at: number;
}

/** The draft as it was written in another tab or on another device; empty where it is gone. */
export interface NewerDraft {
  saved_at?: number;
  revision?: number;
  document?: string;
  samples?: Record<string, Data>;
}

interface DraftAnswer {
  saved_at: number | null;
  revision: number;
  newer?: NewerDraft;
}

interface Wiring {
  url: string;
  body: () => Record<string, unknown>;
  /** Shows another text and its samples in the editor, as one step of the history. */
  use: (document: string, samples: Record<string, Data>) => void;
}

/** Stores unsaved work on the server a moment after each change, and in this browser while the server is away. Work that
 * was written elsewhere meanwhile is never written over: the author chooses. */
export class Draft {
  readonly #wiring: Wiring;
  readonly #key: string;
  readonly #state: HTMLElement;
  readonly #badge: HTMLElement;
  readonly #place: HTMLElement;
  #timer: number | undefined;
  #savedAt: number | null;
  #revision: number;
  #trouble = "";
  #isOffline = false;
  #newer: NewerDraft | null = null;
  #dirty = false;
  #sending: Promise<void> = Promise.resolve();

  constructor(
    root: HTMLElement,
    stored: { name: string; draftName: string; savedAt: number | null; revision: number },
    wiring: Wiring,
  ) {
    this.#wiring = wiring;
    this.#key = `draft:${stored.name}${stored.draftName ? `:${stored.draftName}` : ""}`;
    this.#state = findElement(root, "[data-draft-state]");
    this.#badge = findElement(root, "[data-draft-badge]");
    this.#place = findElement(root, "[data-draft-conflict]");
    this.#savedAt = stored.savedAt;
    this.#revision = stored.revision;
    window.setInterval(() => this.#showState(), 5000);
    document.addEventListener("visibilitychange", () => {
      if (document.visibilityState === "hidden") void this.flush(true);
    });
    window.addEventListener("online", () => void this.flush());
    window.addEventListener("pagehide", () => void this.flush(true));
    window.addEventListener("beforeunload", (event) => {
      if (this.#trouble || this.#newer) event.preventDefault();
    });
    this.#showState();
  }

  /** The revision of the draft that this page knows. */
  get revision(): number {
    return this.#revision;
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
    this.#schedule(DELAY);
  }

  /** Goes on after a save that was refused: what was unsent before is sent. */
  resume(): void {
    if (this.#dirty) this.#schedule(DELAY);
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

  #schedule(delay: number): void {
    window.clearTimeout(this.#timer);
    this.#timer = window.setTimeout(() => void this.flush(), delay);
  }

  async #send(keepalive: boolean): Promise<void> {
    if (!this.#dirty) return;
    const body = this.#wiring.body();
    const { document, samples } = body;
    const text = JSON.stringify({ document, samples, at: Date.now() });
    if (this.#newer) {
      // Nothing is sent before the author has chosen; this browser keeps the text.
      localStorage.setItem(this.#key, text);
      return;
    }
    this.#dirty = false;
    try {
      // Browsers refuse a keepalive request above 64 KiB; the copy in this browser covers that case.
      if (keepalive) localStorage.setItem(this.#key, text);
      const answer = await callServer<DraftAnswer>("PUT", this.#wiring.url, body, {
        keepalive: keepalive && text.length < 60_000,
      });
      this.#trouble = "";
      this.#isOffline = false;
      if (answer.newer) {
        this.#dirty = true;
        localStorage.setItem(this.#key, text);
        this.showNewer(answer.newer);
      } else {
        this.#savedAt = answer.saved_at;
        this.#revision = answer.revision;
        localStorage.removeItem(this.#key);
      }
    } catch (error) {
      this.#dirty = true;
      this.#isOffline = error instanceof OfflineError;
      this.#trouble = error instanceof CallError ? error.message : gettext("Your draft could not be saved.");
      localStorage.setItem(this.#key, text);
      this.#schedule(RETRY);
    }
    this.#showState();
  }

  /** Says that the draft was written elsewhere, and offers both texts. */
  showNewer(newer: NewerDraft): void {
    this.#newer = newer;
    this.#dirty = true;
    const isGone = newer.document === undefined;
    const when = newer.saved_at ? timeAgo(newer.saved_at) : "";
    const words = isGone
      ? gettext("This draft was saved or discarded in another tab or on another device.")
      : gettext("This draft is newer elsewhere: it was changed in another tab or on another device {when}.", { when });
    const take = createElement(
      "button",
      { type: "button", class: "button" },
      isGone ? gettext("Load what is saved") : gettext("Use that one"),
    );
    const keep = createElement("button", { type: "button", class: "button" }, gettext("Use this one"));
    take.addEventListener("click", () => this.#take(newer));
    keep.addEventListener("click", () => {
      this.#revision = newer.revision ?? 0;
      this.#settle();
      this.saveSoon();
    });
    const text = createElement(
      "p",
      {},
      createElement("b", {}, words),
      " ",
      gettext("Nothing is overwritten until you choose."),
    );
    const buttons = createElement("span", { class: "end buttons" }, take, keep);
    const banner = createElement(
      "div",
      { class: "banner banner-warn", role: "alert" },
      createIcon("users"),
      text,
      buttons,
    );
    this.#place.replaceChildren(banner);
  }

  #take(newer: NewerDraft): void {
    if (newer.document === undefined) {
      this.discard();
      this.#settle();
      window.location.reload();
      return;
    }
    this.#settle();
    this.#wiring.use(newer.document, newer.samples ?? {});
    this.#revision = newer.revision ?? 0;
    this.#savedAt = newer.saved_at ?? null;
    window.clearTimeout(this.#timer);
    this.#dirty = false;
    localStorage.removeItem(this.#key);
    this.#showState();
  }

  #settle(): void {
    this.#newer = null;
    this.#place.replaceChildren();
  }

  /** A version was saved: the draft is gone, on the server too. */
  discard(): void {
    window.clearTimeout(this.#timer);
    this.#dirty = false;
    this.#savedAt = null;
    this.#revision = 0;
    this.#trouble = "";
    localStorage.removeItem(this.#key);
    this.#showState();
  }

  removeLocalDraft(): void {
    localStorage.removeItem(this.#key);
  }

  #showState(): void {
    const isShown = this.#savedAt !== null || this.#trouble !== "";
    this.#badge.hidden = !isShown;
    for (const control of document.querySelectorAll<HTMLElement>("[data-draft-discard]")) control.hidden = !isShown;
    this.#state.classList.toggle("is-bad", this.#trouble !== "");
    if (this.#trouble) {
      const words = this.#isOffline ? gettext("Offline, kept in this browser") : this.#trouble;
      this.#state.replaceChildren(createIcon("circle-alert"), words);
    } else
      this.#state.textContent = this.#savedAt === null ? "" : gettext("saved {when}", { when: timeAgo(this.#savedAt) });
  }
}
