// Autosave of the draft.
import { createElement, createIcon, findElement, timeAgo } from "../dom.ts";
import { gettext } from "../language.ts";
import { CallError, callServer, OfflineError, SERVER_ANSWERED, SignedOutError } from "./api.ts";
import { type LocalDraft, LocalTexts } from "./local_texts.ts";
import { type PackedSamples, type Samples, unpackSamples } from "./sample_map.ts";

const DELAY = 1200;
const RETRY = 5000;

/** The draft as it was saved in another tab or on another device; empty if it no longer exists. */
export interface NewerDraft extends Partial<PackedSamples> {
  saved_at?: number;
  revision?: number;
  document?: string;
}

interface DraftAnswer {
  saved_at: number | null;
  revision: number;
  newer?: NewerDraft;
}

interface Wiring {
  url: string;
  body: () => Record<string, unknown>;
  /** Replaces the text and its samples in the editor, as one step of the history. */
  use: (document: string, samples: Samples) => void;
}

/** Saves unsaved work on the server shortly after each change, and in this browser while the server is unreachable.
 * Work saved elsewhere meanwhile is never overwritten: the author chooses. */
export class Draft {
  readonly #wiring: Wiring;
  /** The texts of the draft that this browser stores. */
  readonly localTexts: LocalTexts;
  readonly #state: HTMLElement;
  readonly #badge: HTMLElement;
  readonly #place: HTMLElement;
  readonly #revisionField: HTMLInputElement;
  #timer: number | undefined;
  #savedAt: number | null;
  #trouble = "";
  #isOffline = false;
  #isSignedOut = false;
  #isKept = true;
  #newer: NewerDraft | null = null;
  #dirty = false;
  #sending: Promise<void> = Promise.resolve();

  constructor(
    root: HTMLElement,
    stored: { name: string; draftName: string; savedAt: number | null; revision: number },
    wiring: Wiring,
  ) {
    this.#wiring = wiring;
    this.localTexts = new LocalTexts(stored.draftName ? `${stored.name}:${stored.draftName}` : stored.name);
    this.#state = findElement(root, "[data-draft-state]");
    this.#badge = findElement(root, "[data-draft-badge]");
    this.#place = findElement(root, "[data-draft-conflict]");
    this.#revisionField = findElement<HTMLInputElement>(root, "[name=revision]");
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

  /** The draft revision that this page knows. */
  get revision(): number {
    return Number(this.#revisionField.value);
  }

  /** The field is submitted with the buttons of the plain form. */
  set #revision(revision: number) {
    this.#revisionField.value = String(revision);
  }

  saveSoon(): void {
    this.#dirty = true;
    this.#schedule(DELAY);
  }

  /** Resumes after a refused save: sends what was unsent before. */
  resume(): void {
    if (this.#dirty) this.#schedule(DELAY);
  }

  /** Stops sending until the next change; resolves when pending requests have completed. */
  async waitForSave(): Promise<void> {
    window.clearTimeout(this.#timer);
    await this.#sending.catch(() => undefined);
  }

  /** Sends unsaved work; `keepalive` lets the request outlive the page. */
  flush(keepalive = false): Promise<void> {
    window.clearTimeout(this.#timer);
    // A failed request must not block those after it.
    if (this.#dirty) this.#sending = this.#sending.catch(() => undefined).then(() => this.#send(keepalive));
    return this.#sending;
  }

  #schedule(delay: number): void {
    window.clearTimeout(this.#timer);
    this.#timer = window.setTimeout(() => void this.flush(), delay);
  }

  async #send(keepalive: boolean): Promise<void> {
    if (!this.#dirty) return;
    const body = this.#wiring.body();
    if (this.#newer) {
      // Nothing is sent until the author has chosen; this browser stores the text.
      this.#keepLocally(body);
      return;
    }
    this.#dirty = false;
    try {
      // Browsers refuse a keepalive request above 64 KiB; the local copy covers that case.
      if (keepalive) this.#keepLocally(body);
      const answer = await callServer<DraftAnswer>("PUT", this.#wiring.url, body, {
        keepalive: keepalive && JSON.stringify(body).length < 60_000,
      });
      this.#trouble = "";
      this.#isOffline = this.#isSignedOut = false;
      document.dispatchEvent(new Event(SERVER_ANSWERED));
      if (answer.newer) {
        this.#dirty = true;
        this.#keepLocally(body);
        this.showNewer(answer.newer);
      } else {
        this.#savedAt = answer.saved_at;
        this.#revision = answer.revision;
        this.localTexts.remove();
      }
    } catch (error) {
      this.#dirty = true;
      this.#isOffline = error instanceof OfflineError;
      this.#isSignedOut = error instanceof SignedOutError;
      this.#trouble = error instanceof CallError ? error.message : gettext("Your draft could not be saved.");
      this.#keepLocally(body);
      this.#schedule(RETRY);
    }
    this.#showState();
  }

  #keepLocally({ document, samples, sampleOrder, message }: Record<string, unknown>): void {
    this.#isKept = this.localTexts.keep({ document, samples, sampleOrder, message, at: Date.now() } as LocalDraft);
  }

  /** Reports that the draft was saved elsewhere, and offers both texts. */
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
    this.#showState();
  }

  #take(newer: NewerDraft): void {
    if (newer.document === undefined) {
      this.#keepLocally(this.#wiring.body());
      if (!this.#isKept) {
        this.#trouble = gettext("Your text could not be kept in this browser.");
        this.#showState();
        return;
      }
      // The next page that loads offers the stored text.
      this.#dirty = false;
      this.#trouble = "";
      this.#settle();
      window.location.reload();
      return;
    }
    this.#settle();
    const { samples = {}, sampleOrder } = newer;
    this.#wiring.use(newer.document, unpackSamples({ samples, sampleOrder }));
    this.#revision = newer.revision ?? 0;
    this.#savedAt = newer.saved_at ?? null;
    window.clearTimeout(this.#timer);
    this.#dirty = false;
    this.localTexts.remove();
    this.#showState();
  }

  #settle(): void {
    this.#newer = null;
    this.#place.replaceChildren();
    this.#showState();
  }

  /** A version was saved: the draft no longer exists, on the server either. */
  discard(): void {
    window.clearTimeout(this.#timer);
    this.#dirty = false;
    this.#savedAt = null;
    this.#revision = 0;
    this.#trouble = "";
    this.localTexts.remove();
    this.#settle();
  }

  #showState(): void {
    const isShown = this.#savedAt !== null || this.#trouble !== "";
    this.#badge.hidden = !isShown;
    for (const control of document.querySelectorAll<HTMLElement>("[data-draft-discard]")) control.hidden = !isShown;
    const words = this.#newer && !this.#trouble ? gettext("Not saved: newer elsewhere") : this.#troubleWords;
    this.#state.classList.toggle("is-bad", words !== "");
    if (words) {
      const link = createElement("a", { href: "/login", target: "_blank" }, gettext("Sign in"));
      this.#state.replaceChildren(createIcon("circle-alert"), words, ...(this.#isSignedOut ? [" ", link] : []));
    } else
      this.#state.textContent = this.#savedAt === null ? "" : gettext("saved {when}", { when: timeAgo(this.#savedAt) });
  }

  get #troubleWords(): string {
    if (this.#isSignedOut) return gettext("Not saved: signed out.");
    if (!this.#isOffline) return this.#trouble;
    return this.#isKept ? gettext("Offline, kept in this browser") : gettext("Offline, not kept in this browser");
  }
}
