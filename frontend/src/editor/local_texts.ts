// Texts of a draft that this browser stores, because the server doesn't have them.
import { isSameSamples, type PackedSamples, type Samples, unpackSamples } from "./sample_map.ts";

const TAB_KEY = "promptuary-tab";
const TAB = Math.random().toString(36).slice(2);

/** A text as it was sent to the server. */
export interface SentText extends Partial<PackedSamples> {
  document: string;
  message?: string;
}

/** The text in the body of a request. */
export const pickText = ({ document, samples, sampleOrder, message }: Record<string, unknown>): SentText =>
  ({ document, samples, sampleOrder, message }) as SentText;

/** The stored draft and the version that a text began from. */
export interface Origin {
  /** The revision of the draft on the server, 0 if there was none; several if the text was sent while the page was
   * left, because the next page shows one of them. */
  revisions: readonly number[];
  /** The number of the version, empty if there was none. */
  base: string;
}

/** A stored text that didn't reach the server, or whose answer didn't arrive. */
export interface LocalDraft extends SentText {
  at: number;
  /** The tab that it was typed in. */
  tab?: string;
  origin?: Origin;
  /** Texts that were sent without an answer, or while the page was left: the next page can show one of them. */
  sent?: SentText[];
}

/** The content of the page. */
interface Shown {
  document: string;
  samples: Samples;
  message: string;
}

/** Whether the server's text is the one that was sent. */
export const isSentText = (sent: SentText, server: { document?: string } & Partial<PackedSamples>): boolean =>
  sent.document === server.document &&
  isSameSamples(
    unpackSamples({ samples: sent.samples ?? {}, sampleOrder: sent.sampleOrder }),
    unpackSamples({ samples: server.samples ?? {}, sampleOrder: server.sampleOrder }),
  );

const isSameText = (draft: SentText, { document, samples, message }: Shown): boolean =>
  draft.document === document &&
  (!draft.message || draft.message === message) &&
  (!draft.samples || isSameSamples(unpackSamples({ samples: draft.samples, sampleOrder: draft.sampleOrder }), samples));

/** The page's unsent text, and texts of earlier visits that the user hasn't decided about. No method throws: a
 * browser's storage can be full or disabled. */
export class LocalTexts {
  readonly #key: string;
  readonly #leftKey: string;
  readonly #tab: string;

  /** tab: the ID of the browser's tab, which stays the same over reloads. */
  constructor(draft: string, tab: string = identifyTab()) {
    this.#key = `draft:${draft}`;
    this.#leftKey = `unsent:${draft}`;
    this.#tab = tab;
  }

  /** Stores the text of the page, replacing the previous one; returns whether that succeeded. */
  keep(text: LocalDraft): boolean {
    return writeEntry(this.#key, { ...text, tab: this.#tab });
  }

  /** Removes the stored text of this tab, because the server has it. */
  remove(): void {
    const last = read<LocalDraft>(this.#key);
    if (!last?.tab || last.tab === this.#tab) eraseEntry(this.#key);
  }

  /** The text that this tab showed before it was reloaded, if it continues what the page shows: nobody else has
   * written the draft since. It stays stored until it is removed. */
  findOwn(shown: Shown & { revision: number; base: string }): LocalDraft | null {
    const last = read<LocalDraft>(this.#key);
    if (!last?.origin || last.tab !== this.#tab || last.origin.base !== shown.base) return null;
    const isShown =
      last.origin.revisions.includes(shown.revision) || last.sent?.some((sent) => isSameText(sent, shown));
    return isShown ? last : null;
  }

  /** Texts of earlier visits that differ from the page, newest last. They stay until they are removed. */
  listLeft(shown: Shown): LocalDraft[] {
    const last = read<LocalDraft>(this.#key);
    const all = [...this.#left, ...(last ? [last] : [])].filter((draft) => !isSameText(draft, shown));
    if (this.#writeLeft(all)) eraseEntry(this.#key);
    return all;
  }

  /** Removes one of the earlier texts, because it is on the page or not wanted. */
  removeLeft({ at }: LocalDraft): void {
    this.#writeLeft(this.#left.filter((draft) => draft.at !== at));
  }

  /** Puts back a text that was removed. */
  restoreLeft(text: LocalDraft): void {
    this.#writeLeft([...this.#left, text]);
  }

  get #left(): LocalDraft[] {
    return read<LocalDraft[]>(this.#leftKey) ?? [];
  }

  #writeLeft(drafts: LocalDraft[]): boolean {
    if (drafts.length) return writeEntry(this.#leftKey, drafts);
    eraseEntry(this.#leftKey);
    return true;
  }
}

/** The ID of this tab in this browser: random, and the same after a reload unless the browser stores nothing. */
function identifyTab(): string {
  try {
    const stored = sessionStorage.getItem(TAB_KEY);
    if (stored) return stored;
    sessionStorage.setItem(TAB_KEY, TAB);
  } catch {
    // Storage is disabled or full.
  }
  return TAB;
}

function read<Value>(key: string): Value | null {
  try {
    return JSON.parse(localStorage.getItem(key) ?? "null") as Value | null;
  } catch {
    return null;
  }
}

function writeEntry(key: string, value: unknown): boolean {
  try {
    localStorage.setItem(key, JSON.stringify(value));
    return true;
  } catch {
    return false;
  }
}

function eraseEntry(key: string): void {
  try {
    localStorage.removeItem(key);
  } catch {
    // Storage is disabled or full.
  }
}
