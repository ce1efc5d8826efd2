// The head of the values in the Samples view: the sample's name as a field, its edits, and links to other samples.
import { createElement, findElement } from "../dom.ts";
import { gettext, ngettext } from "../language.ts";
import { focusFirstField } from "./input_fields.ts";

/** What the head needs from the values below it. */
interface SampleHeadHost {
  sample(): string;
  names(): string[];
  /** How many values differ from the saved sample; null for an unsaved one. */
  countEdits(): number | null;
  rename(name: string): void;
  choose(name: string): void;
}

/** Shows and changes the name of the selected sample, and steps through the samples. */
export class SampleHead {
  readonly #root: HTMLElement;
  readonly #host: SampleHeadHost;
  readonly #name: HTMLInputElement;
  readonly #error: HTMLElement;
  #shown = "";

  constructor(root: HTMLElement, host: SampleHeadHost) {
    this.#root = root;
    this.#host = host;
    this.#name = findElement(root, "[data-sample-name]");
    this.#error = findElement(root, "[data-sample-name-error]");
    this.#name.addEventListener("change", () => this.#rename());
    this.#name.addEventListener("keydown", (event) => {
      if (event.key === "Enter" && this.#rename()) this.#leave();
      else if (event.key === "Escape" && this.#name.value !== this.#shown) {
        event.stopPropagation(); // the first Escape only affects the name
        this.#name.value = this.#shown;
        this.#refuse("");
      } else return;
      event.preventDefault();
    });
    for (const button of root.querySelectorAll<HTMLElement>("[data-step-sample]"))
      button.addEventListener("click", () => this.step(Number(button.dataset.stepSample)));
    findElement(root, "[data-pane=inputs]").addEventListener("keydown", (event) => this.#press(event));
  }

  /** Shows the selected sample; a name being typed is kept. */
  show(): void {
    const { sample } = this;
    if (sample !== this.#shown) {
      this.#shown = this.#name.value = sample;
      this.#refuse("");
    }
    const names = this.#host.names();
    const edits = this.#host.countEdits();
    findElement(this.#root, "[data-sample-head]").hidden = !names.length;
    findElement(this.#root, "[data-sample-edited]").hidden = !edits;
    for (const reset of this.#root.querySelectorAll<HTMLElement>("[data-sample-head] [data-reset]"))
      reset.hidden = !edits;
    findElement(this.#root, "[data-sample-edits]").textContent =
      edits === null
        ? gettext("not saved yet")
        : edits
          ? ngettext("{count} value differs from what is saved", "{count} values differ from what is saved", edits)
          : "";
    const place = { place: names.indexOf(sample) + 1, count: names.length };
    findElement(this.#root, "[data-sample-place]").textContent = gettext("{place} of {count}", place);
  }

  get sample(): string {
    return this.#host.sample();
  }

  /** Focuses and selects the name. */
  focusName(): void {
    if (!this.#name.offsetParent) findElement(this.#root, "[data-tab=inputs]").click();
    this.#name.focus();
    this.#name.select();
  }

  /** Shows the next or previous sample, wrapping around. The focus stays in its field. */
  step(by: number): void {
    const names = this.#host.names();
    const next = names[(names.indexOf(this.sample) + by + names.length) % names.length];
    if (next === undefined || !this.#rename()) return;
    this.#host.choose(next);
  }

  /** Renames the sample; returns false and shows the reason if the name isn't allowed. */
  #rename(): boolean {
    const name = this.#name.value.trim();
    if (name === this.#shown) this.#name.value = name;
    else if (!name) return this.#refuse(gettext("A sample needs a name."));
    else if (this.#host.names().includes(name))
      return this.#refuse(gettext("There is already a sample called {name}.", { name }));
    else {
      this.#shown = this.#name.value = name;
      this.#host.rename(name);
    }
    this.#refuse("");
    return true;
  }

  #refuse(sentence: string): false {
    this.#error.replaceChildren(...(sentence ? [createElement("span", {}, sentence)] : []));
    if (sentence) this.#name.setAttribute("aria-invalid", "true");
    else this.#name.removeAttribute("aria-invalid");
    return false;
  }

  /** Moves the focus from the name to its row in the table; if the table is hidden, to the first value. */
  #leave(): void {
    const row = this.#root.querySelector<HTMLElement>("[data-samples] th [aria-current]");
    if (row?.offsetParent) row.focus();
    else focusFirstField(findElement(this.#root, "[data-fields]"));
  }

  #press(event: KeyboardEvent): void {
    if (this.#root.dataset.view !== "samples" || event.defaultPrevented || event.ctrlKey || event.metaKey) return;
    if (event.altKey && (event.key === "PageDown" || event.key === "PageUp")) {
      event.preventDefault();
      this.step(event.key === "PageDown" ? 1 : -1);
    } else if (event.key === "Escape" && !(event.target as Element).closest("details.menu[open]")) {
      event.preventDefault();
      this.#leave();
    }
  }
}
