// The sample selects: above the values, and in the head of the preview.
import { findElement } from "../dom.ts";
import { gettext } from "../language.ts";

/** Shows the selected sample, and reports another choice. Forms without scripts submit its value. */
export class SamplePicker {
  readonly #list: HTMLSelectElement;
  readonly #shown: HTMLInputElement;
  readonly #container: HTMLElement;
  readonly #preview: HTMLElement;
  readonly #previewList: HTMLSelectElement;

  constructor(root: HTMLElement, choose: (name: string) => void) {
    this.#list = findElement(root, "select[name=sample]");
    this.#shown = findElement(root, "input[name=shown_sample]");
    this.#container = findElement(root, "[data-position]");
    this.#preview = findElement(root, "[data-preview-sample]");
    this.#previewList = findElement(this.#preview, "select");
    this.#showPreview([...this.#list.options].map((option) => option.value));
    this.#showPosition();
    for (const list of [this.#list, this.#previewList]) list.addEventListener("change", () => choose(list.value));
  }

  /** The name of the selected sample; empty if there isn't one. */
  get value(): string {
    return this.#list.value;
  }

  /** Lists these samples, and selects one: the first if the name doesn't exist. */
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
    this.#container.textContent = length > 1 ? gettext("{place} of {count}", { place, count: length }) : "";
  }
}
