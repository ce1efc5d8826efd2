// Texts of a draft that this browser keeps, because the server does not have them.
import { isSameSamples, type PackedSamples, type Samples, unpackSamples } from "./sample_map.ts";

/** Text that did not reach the server, as this browser keeps it. */
export interface LocalDraft extends Partial<PackedSamples> {
  document: string;
  message?: string;
  at: number;
}

/** What is on the page. */
interface Shown {
  document: string;
  samples: Samples;
  message: string;
}

const isSameText = (draft: LocalDraft, { document, samples, message }: Shown): boolean =>
  draft.document === document &&
  (!draft.message || draft.message === message) &&
  (!draft.samples || isSameSamples(unpackSamples({ samples: draft.samples, sampleOrder: draft.sampleOrder }), samples));

/** The text of the page that is not sent yet, and texts of earlier visits that nobody chose about yet. No method throws:
 * a browser can be full, or told to keep nothing. */
export class LocalTexts {
  readonly #key: string;
  readonly #leftKey: string;

  constructor(draft: string) {
    this.#key = `draft:${draft}`;
    this.#leftKey = `unsent:${draft}`;
  }

  /** Keeps the text of the page in place of what was kept of it; says whether the browser does. */
  keep(text: LocalDraft): boolean {
    return write(this.#key, text);
  }

  /** The server has the text of the page. */
  remove(): void {
    erase(this.#key);
  }

  /** Texts of earlier visits that differ from the page, the newest last. They stay until they are removed. */
  listLeft(shown: Shown): LocalDraft[] {
    const last = read<LocalDraft>(this.#key);
    const all = [...this.#left, ...(last ? [last] : [])].filter((draft) => !isSameText(draft, shown));
    if (this.#writeLeft(all)) this.remove();
    return all;
  }

  /** Takes one of the left texts out, as it is on the page or not wanted. */
  removeLeft({ at }: LocalDraft): void {
    this.#writeLeft(this.#left.filter((draft) => draft.at !== at));
  }

  /** Puts a text back that was taken out. */
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
    // Nothing is kept where nothing may be kept.
  }
}
