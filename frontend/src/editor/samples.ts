// The samples view: the text rendered on each sample, beside the values of the one that is chosen.
import { findElement } from "../dom.ts";
import { gettext } from "../language.ts";
import { CallError } from "./api.ts";

/** Keeps the list of samples true to the text while it is shown. */
export class SampleList {
  readonly #place: HTMLElement;
  readonly #load: () => Promise<string>;
  #asked = 0;

  /** `load` gives the list as the server draws it. */
  constructor(root: HTMLElement, load: () => Promise<string>, choose: (sample: string) => void) {
    this.#place = findElement(root, "[data-samples]");
    this.#load = load;
    this.#place.addEventListener("click", (event) => {
      const name = (event.target as Element).closest<HTMLElement>("[data-choose]")?.dataset.choose;
      if (name !== undefined) choose(name);
    });
  }

  /** Loads the list; the answer to an older question is dropped. */
  async refresh(): Promise<void> {
    this.#asked++;
    const asked = this.#asked;
    try {
      const html = await this.#load();
      if (asked !== this.#asked) return;
      const focused = (document.activeElement as HTMLElement | null)?.dataset.choose;
      const hadFocus = this.#place.contains(document.activeElement);
      this.#place.innerHTML = html;
      if (!hadFocus || focused === undefined) return;
      this.#place.querySelector<HTMLElement>(`[data-choose=${CSS.escape(focused)}]`)?.focus();
    } catch (error) {
      if (asked === this.#asked && !this.#place.childElementCount) {
        this.#place.textContent =
          error instanceof CallError ? error.message : gettext("The samples could not be rendered.");
      }
    }
  }
}
