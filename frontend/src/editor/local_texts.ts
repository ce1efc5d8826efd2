// Texts of a draft that this browser stores, because the server doesn't have them.
import { isSameSamples, type PackedSamples, type Samples, unpackSamples } from "./sample_map.ts";

/** A stored text that didn't reach the server. */
export interface LocalDraft extends Partial<PackedSamples> {
  document: string;
  message?: string;
  at: number;
}

/** The content of the page. */
interface Shown {
  document: string;
  samples: Samples;
  message: string;
}

const isSameText = (draft: LocalDraft, { document, samples, message }: Shown): boolean =>
  draft.document === document &&
  (!draft.message || draft.message === message) &&
  (!draft.samples || isSameSamples(unpackSamples({ samples: draft.samples, sampleOrder: draft.sampleOrder }), samples));

/** The page's unsent text, and texts of earlier visits that the user hasn't decided about. No method throws: a
 * browser's storage can be full or disabled. */
export class LocalTexts {
  readonly #key: string;
  readonly #leftKey: string;

  constructor(draft: string) {
    this.#key = `draft:${draft}`;
    this.#leftKey = `unsent:${draft}`;
  }

  /** Stores the text of the page, replacing the previous one; returns whether that succeeded. */
  keep(text: LocalDraft): boolean {
    return write(this.#key, text);
  }

  /** Removes the stored text, because the server has it. */
  remove(): void {
    erase(this.#key);
  }

  /** Texts of earlier visits that differ from the page, newest last. They stay until they are removed. */
  listLeft(shown: Shown): LocalDraft[] {
    const last = read<LocalDraft>(this.#key);
    const all = [...this.#left, ...(last ? [last] : [])].filter((draft) => !isSameText(draft, shown));
    if (this.#writeLeft(all)) this.remove();
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
    if (drafts.length) return write(this.#leftKey, drafts);
    erase(this.#leftKey);
    return true;
  }
}

function read<Value>(key: string): Value | null {
  try {
    return JSON.parse(localStorage.getItem(key) ?? "null") as Value | null;
  } catch {
    return null;
  }
}

function write(key: string, value: unknown): boolean {
  try {
    localStorage.setItem(key, JSON.stringify(value));
    return true;
  } catch {
    return false;
  }
}

function erase(key: string): void {
  try {
    localStorage.removeItem(key);
  } catch {
    // Storage is disabled or full.
  }
}
