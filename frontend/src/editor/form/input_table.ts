// The declared inputs in form mode, kept in sync with the text.
import { createElement } from "../../dom.ts";
import { gettext } from "../../language.ts";
import type { Data, Schema } from "../types.ts";
import { addInput, dropInput, setInput } from "./input_edits.ts";
import { findKind } from "./input_kinds.ts";
import type { Published, Rename } from "./input_name.ts";
import { drawInputs, type InputEdits, makeEmptyInput } from "./inputs.ts";
import type { Change } from "./text_edits.ts";

/** What the table needs from the form around it. */
export interface InputTableHost {
  text(): string;
  inputs(): Record<string, Schema>;
  /** The values of the selected sample. */
  sample(): Data;
  /** The inputs as just declared in the table, ahead of the server's parse of the text. */
  declare(inputs: Record<string, Schema>): void;
  change(change: Change): void;
  rename: Rename;
  published(): Published;
  removed(sentence: string): void;
}

/** The table of declared inputs. It is never redrawn over what the user is typing. */
export class InputTable {
  readonly element = createElement("div");
  readonly #host: InputTableHost;
  readonly #newInput = makeEmptyInput();
  #drawn = "";

  constructor(host: InputTableHost) {
    this.#host = host;
    this.element.addEventListener("focusout", () => setTimeout(() => this.refresh())); // the focus has moved on
  }

  /** Redraw the table if the inputs have changed. */
  refresh(): void {
    const inputs = this.#host.inputs();
    const now = this.#write(inputs);
    if (!this.element.isConnected || (now === this.#drawn && this.element.childElementCount)) return;
    if (this.#isBeingTyped()) return; // it is redrawn when that field is left
    this.#draw();
  }

  #draw(): void {
    const inputs = this.#host.inputs();
    this.#drawn = this.#write(inputs);
    const focused = document.activeElement?.getAttribute("aria-label");
    this.element.replaceChildren(
      drawInputs(inputs, this.#host.sample(), this.#edits(), this.#newInput, this.#host.published()),
    );
    if (focused) this.element.querySelector<HTMLElement>(`[aria-label="${CSS.escape(focused)}"]`)?.focus();
  }

  /** A string that identifies what the table shows of these inputs. */
  #write(inputs: Record<string, Schema>): string {
    return JSON.stringify([inputs, this.#host.sample()]);
  }

  #edits(): InputEdits {
    return {
      add: (name, schema) =>
        this.#change(addInput(this.#host.text(), name, schema), { ...this.#host.inputs(), [name]: schema }),
      set: (name, schema) => {
        const before = this.#host.inputs();
        const declared = { ...before, [name]: schema };
        const isDrawn = this.#write(before) === this.#drawn && findKind(before[name] ?? {}) === findKind(schema);
        // The row that made the edit already shows it; redrawing would lose the focus and the pending click.
        if (isDrawn) this.#drawn = this.#write(declared);
        return this.#change(setInput(this.#host.text(), name, schema), declared);
      },
      drop: (name) => {
        const { [name]: _gone, ...rest } = this.#host.inputs();
        const isDone = this.#change(dropInput(this.#host.text(), name), rest);
        if (isDone) this.#host.removed(gettext("Removed the input {name}.", { name }));
        return isDone;
      },
      rename: (name, next) => this.#rename(name, next),
    };
  }

  async #rename(name: string, next: string): Promise<string | null> {
    const refusal = await this.#host.rename(name, next);
    if (refusal === null) {
      const entries = Object.entries(this.#host.inputs());
      this.#host.declare(Object.fromEntries(entries.map(([key, schema]) => [key === name ? next : key, schema])));
      this.#draw();
    }
    return refusal;
  }

  #change(change: Change | null, declared: Record<string, Schema>): boolean {
    if (!change) return false;
    this.#host.declare(declared);
    this.#host.change(change);
    this.refresh();
    return true;
  }

  /** Whether the user is typing in a row of the table, so that the text doesn't have that value yet. */
  #isBeingTyped(): boolean {
    const field = document.activeElement;
    if (!(field instanceof HTMLInputElement) || !this.element.contains(field)) return false;
    return field.closest("tr") !== null && field.type !== "checkbox" && field.value !== field.defaultValue;
  }
}
