// The lists to choose a sample from: above the values, and in the head of the preview, which it names.
import { findElement } from "../dom.ts";
import { gettext } from "../language.ts";

/** Shows which sample is chosen, and hears of another choice. Forms without scripts send what it holds. */
export class SamplePicker {
  readonly #list: HTMLSelectElement;
  readonly #shown: HTMLInputElement;
  readonly #place: HTMLElement;
  readonly #preview: HTMLElement;
  readonly #previewList: HTMLSelectElement;

  constructor(root: HTMLElement, choose: (name: string) => void) {
    this.#list = findElement(root, "select[name=sample]");
    this.#shown = findElement(root, "input[name=shown_sample]");
    this.#place = findElement(root, "[data-position]");
    this.#preview = findElement(root, "[data-preview-sample]");
    this.#previewList = findElement(this.#preview, "select");
    this.#showPreview([...this.#list.options].map((option) => option.value));
    this.#showPosition();
    for (const list of [this.#list, this.#previewList]) list.addEventListener("change", () => choose(list.value));
  }

  /** The name of the chosen sample; empty where there is none. */
  get value(): string {
    return this.#list.value;
  }

  /** Offers these samples, with one of them chosen: the first if there is none of this name. */
  show(names: string[], chosen: string): void {
    const offered = names.length ? names.map((name) => new Option(name)) : [new Option(gettext("no samples yet"), "")];
    this.#list.replaceChildren(...offered);
    this.#list.value = names.includes(chosen) ? chosen : (names[0] ?? "");
    this.#shown.value = this.value;
    this.#showPreview(names);
    this.#showPosition();
  }

  #showPreview(names: string[]): void {
    this.#previewList.replaceChildren(...names.map((name) => new Option(name)));
    this.#previewList.value = this.value;
    this.#preview.hidden = !this.value;
  }

  #showPosition(): void {
    const { length } = this.#list.options;
    const place = this.#list.selectedIndex + 1;
    this.#place.textContent = length > 1 ? gettext("{place} of {count}", { place, count: length }) : "";
  }
}
