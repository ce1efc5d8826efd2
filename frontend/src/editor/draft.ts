// Autosave of the draft.
import { findElement } from "../dom.ts";
import { gettext } from "../language.ts";
import { CallError, callServer, OfflineError, SERVER_ANSWERED, SignedOutError } from "./api.ts";
import { createConflict } from "./draft_conflict.ts";
import { type DraftState, isDraftShown, NO_DRAFT, showDraftState } from "./draft_state.ts";
import { isSentText, LocalTexts, pickText, type SentText } from "./local_texts.ts";
import { type PackedSamples, type Samples, unpackSamples } from "./sample_map.ts";

const DELAY = 1200;
const RETRY = 5000;
const MAX_UNANSWERED = 4;
// The longest time that the next page is waited for; after it, leaving was cancelled.
const LEAVING = 15_000;

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

/** Saves unsaved work on the server shortly after each change, and in this browser while the server is unreachable and
 * when the page is left. Work saved elsewhere meanwhile is never overwritten: the author chooses. */
export class Draft {
  readonly #wiring: Wiring;
  /** The texts of the draft that this browser stores. */
  readonly localTexts: LocalTexts;
  readonly #state: HTMLElement;
  readonly #badge: HTMLElement;
  readonly #container: HTMLElement;
  readonly #revisionField: HTMLInputElement;
  readonly #status: DraftState = { ...NO_DRAFT };
  #timer: number | undefined;
  #newer: NewerDraft | null = null;
  #dirty = false;
  #isSubmitted = false;
  // The page is being left: the server may have rendered the next page before it stores what is sent from now on.
  #isLeaving = false;
  #sending: Promise<void> = Promise.resolve();
  // The server may have stored any of these: the answer can be lost, for example when the page is reloaded.
  #unanswered: SentText[] = [];
  // The revisions that the next page may show.
  #revisions: number[] = [];

  constructor(
    root: HTMLFormElement,
    stored: { name: string; draftName: string; savedAt: number | null; revision: number },
    wiring: Wiring,
  ) {
    this.#wiring = wiring;
    this.localTexts = new LocalTexts(stored.draftName ? `${stored.name}:${stored.draftName}` : stored.name);
    this.#state = findElement(root, "[data-draft-state]");
    this.#badge = findElement(root, "[data-draft-badge]");
    this.#container = findElement(root, "[data-draft-conflict]");
    this.#revisionField = findElement<HTMLInputElement>(root, "[name=revision]");
    this.#status.savedAt = stored.savedAt;
    this.#revision = stored.revision;
    window.setInterval(() => this.#showState(), 5000);
    document.addEventListener("visibilitychange", () => {
      if (document.visibilityState === "hidden") this.#sendBeforeLeaving();
    });
    window.addEventListener("online", () => void this.flush());
    window.addEventListener("pagehide", () => this.#sendBeforeLeaving());
    window.addEventListener("beforeunload", (event) => {
      if (!this.#isSubmitted && (this.#status.trouble || this.#newer)) event.preventDefault();
      this.#isLeaving = true;
      window.setTimeout(() => this.#stay(), LEAVING);
    });
    window.addEventListener("pageshow", (event) => {
      if (event.persisted) this.#stay();
    });
    root.addEventListener("submit", (event) => this.#submitPlainButton(root, event));
    this.#showState();
  }

  /** The draft revision that this page knows. */
  get revision(): number {
    return Number(this.#revisionField.value);
  }

  /** The field is submitted with the buttons of the plain form. */
  set #revision(revision: number) {
    this.#revisionField.value = String(revision);
    this.#revisions = this.#isLeaving ? [...this.#revisions, revision] : [revision];
  }

  saveSoon(): void {
    this.#dirty = true;
    this.#schedule(DELAY);
  }

  /** Resumes after a refused save: sends what was unsent before. */
  resume(): void {
    if (this.#dirty) this.#schedule(DELAY);
  }

  /** Sends the text on the page, which this tab showed before it was reloaded. sent: texts that it may have stored on
   * the server by then. */
  resumeReloaded(sent: readonly SentText[]): void {
    const body = this.#wiring.body();
    this.#unanswered = [...sent, pickText(body)];
    this.#dirty = true;
    this.#keepLocally(body);
    void this.flush();
  }

  /** Stops sending until the next change; resolves when pending requests have completed. */
  async waitForSave(): Promise<void> {
    window.clearTimeout(this.#timer);
    await this.#waitForAnswer();
  }

  /** Sends unsaved work; `keepalive` lets the request outlive the page. */
  flush(keepalive = false): Promise<void> {
    window.clearTimeout(this.#timer);
    // A failed request must not block those after it.
    if (this.#dirty) this.#sending = this.#sending.catch(() => undefined).then(() => this.#send(keepalive));
    return this.#sending;
  }

  /** Whether the draft on the server is one of this tab's own texts, which it stored without an answer. If so, the
   * next request continues from it. */
  takeAnswer(newer: NewerDraft): boolean {
    if (!this.#unanswered.some((sent) => isSentText(sent, newer))) return false;
    this.#revision = newer.revision ?? 0;
    this.#status.savedAt = newer.saved_at ?? null;
    return true;
  }

  /** The browser stores the text first, because a request can be ended with the page. */
  #sendBeforeLeaving(): void {
    if (this.#isSubmitted || !(this.#dirty || this.#unanswered.length)) return;
    this.#keepLocally(this.#wiring.body());
    void this.flush(true);
  }

  /** The page wasn't left after all. */
  #stay(): void {
    this.#isLeaving = this.#isSubmitted = false;
    this.#revision = this.revision;
    void this.#waitForAnswer().then(() => !this.#dirty && this.#forgetAnswered());
  }

  /** Submits a button that loads the page anew, such as Discard, once the server has the text, or the author has to
   * choose between two. */
  #submitPlainButton(root: HTMLFormElement, event: SubmitEvent): void {
    const button = event.submitter;
    if (!button?.hasAttribute("data-plain") || this.#isSubmitted) return;
    event.preventDefault();
    void this.flush().then(() => {
      if (this.#status.isOffline || this.#status.isSignedOut) return;
      this.#isSubmitted = true;
      this.localTexts.remove(); // the form sends the text
      window.setTimeout(() => root.requestSubmit(button)); // ignored while this event is being handled
    });
  }

  #waitForAnswer(): Promise<void> {
    return this.#sending.catch(() => undefined);
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
    this.#unanswered = [...this.#unanswered.slice(1 - MAX_UNANSWERED), pickText(body)];
    try {
      // Browsers refuse a keepalive request above 64 KiB; the local copy covers that case.
      const answer = await callServer<DraftAnswer>("PUT", this.#wiring.url, body, {
        keepalive: keepalive && JSON.stringify(body).length < 60_000,
      });
      this.#status.trouble = "";
      this.#status.isOffline = this.#status.isSignedOut = false;
      document.dispatchEvent(new Event(SERVER_ANSWERED));
      if (answer.newer && this.takeAnswer(answer.newer)) {
        this.#dirty = true;
        await this.#send(keepalive);
      } else if (answer.newer) {
        this.#dirty = true;
        this.#keepLocally(body);
        this.showNewer(answer.newer);
      } else {
        this.#status.savedAt = answer.saved_at;
        this.#revision = answer.revision;
        this.#forgetAnswered();
      }
    } catch (error) {
      this.#dirty = true;
      this.#status.isOffline = error instanceof OfflineError;
      this.#status.isSignedOut = error instanceof SignedOutError;
      this.#status.trouble = error instanceof CallError ? error.message : gettext("Your draft could not be saved.");
      this.#keepLocally(body);
      this.#schedule(RETRY);
    }
    this.#showState();
  }

  /** Forgets the texts that the server has, unless the next page may have been rendered without them. */
  #forgetAnswered(): void {
    if (this.#isLeaving) return;
    this.#unanswered = [];
    if (!this.#dirty) this.localTexts.remove();
  }

  #keepLocally(body: Record<string, unknown>): void {
    const origin = { revisions: this.#revisions, base: String(body.base) };
    this.#status.isKept = this.localTexts.keep({ ...pickText(body), at: Date.now(), origin, sent: this.#unanswered });
  }

  /** Reports that the draft was saved elsewhere, and offers both texts. */
  showNewer(newer: NewerDraft): void {
    this.#newer = newer;
    this.#dirty = true;
    const keep = (): void => {
      this.#revision = newer.revision ?? 0;
      this.#settle();
      this.saveSoon();
    };
    this.#container.replaceChildren(createConflict(newer, { takeNewer: () => this.#takeNewer(newer), keep }));
    this.#showState();
  }

  #takeNewer(newer: NewerDraft): void {
    if (newer.document === undefined) {
      this.#keepLocally(this.#wiring.body());
      if (!this.#status.isKept) {
        this.#status.trouble = gettext("Your text could not be kept in this browser.");
        this.#showState();
        return;
      }
      // The next page that loads offers the stored text.
      this.#dirty = false;
      this.#status.trouble = "";
      this.#settle();
      window.location.reload();
      return;
    }
    this.#settle();
    const { samples = {}, sampleOrder } = newer;
    this.#wiring.use(newer.document, unpackSamples({ samples, sampleOrder }));
    this.#revision = newer.revision ?? 0;
    this.#status.savedAt = newer.saved_at ?? null;
    window.clearTimeout(this.#timer);
    this.#dirty = false;
    this.localTexts.remove();
    this.#showState();
  }

  #settle(): void {
    this.#newer = null;
    this.#container.replaceChildren();
    this.#showState();
  }

  /** A version was saved: the draft no longer exists, on the server either. */
  discard(): void {
    window.clearTimeout(this.#timer);
    this.#dirty = false;
    this.#status.savedAt = null;
    this.#revision = 0;
    this.#unanswered = [];
    this.#status.trouble = "";
    this.localTexts.remove();
    this.#settle();
  }

  #showState(): void {
    this.#status.hasNewer = this.#newer !== null;
    const isShown = isDraftShown(this.#status);
    this.#badge.hidden = !isShown;
    for (const control of document.querySelectorAll<HTMLElement>("[data-draft-discard]")) control.hidden = !isShown;
    showDraftState(this.#state, this.#status);
  }
}
