// The notices above the text: inputs to declare, samples that lack a value. Their buttons are fixes of one click.
import { createElement, createIcon, findElement } from "../dom.ts";
import { gettext } from "../language.ts";
import { CallError, callServer } from "./api.ts";
import { PreviewValues } from "./preview_values.ts";
import type { PackedSamples } from "./sample_map.ts";
import type { Data, Json } from "./types.ts";

/** The text and the samples after a fix, and a sentence that says what was done. */
export interface QuickFixAnswer extends PackedSamples {
  document: string;
  sample: string;
  status: string;
}

interface Wiring {
  url: string;
  body: () => Record<string, unknown>;
  onFixed: (answer: QuickFixAnswer) => void;
  enterValue: (path: string) => void;
  /** The values of the sample that is shown, and what writes one of them. */
  values: () => Data;
  writeValue: (name: string, value: Json | undefined) => void;
}

const MOST_ATTEMPTS = 5;
const VERBS = /^(?:parts|declare|optional|default|fill|remove-sample|examples):/;

/** The controls that a fix reads; values for the preview are in the samples already. */
const CHOICES = "select:not([data-value]), input:not([data-value], [type=hidden])";

const editedIn = ({ document, samples, sampleOrder, data }: Record<string, unknown>): string =>
  JSON.stringify([document, samples, sampleOrder, data]);

/** Shows the notices that each preview brings, keeps what the author chose in them, and sends the fixes. */
export class Notices {
  readonly #region: HTMLElement;
  readonly #wiring: Wiring;
  readonly #chosen = new Map<string, string | boolean>();
  readonly #values: PreviewValues;
  #html = "";
  #pending: Promise<void> | null = null;

  constructor(root: HTMLFormElement, wiring: Wiring) {
    this.#region = findElement(root, "[data-notices]");
    this.#wiring = wiring;
    this.#html = this.#region.innerHTML;
    this.#region.addEventListener("input", (event) => {
      const control = event.target as HTMLInputElement;
      if (control.dataset.value) return;
      this.#chosen.set(control.name, control.type === "checkbox" ? control.checked : control.value);
    });
    this.#region.addEventListener("keydown", (event) => {
      const { name } = event.target as HTMLInputElement;
      if (event.key !== "Enter" || !/^(?:default|value)\./.test(name) || event.target instanceof HTMLTextAreaElement)
        return;
      event.preventDefault(); // the first button of the form would be pressed
      if (name.startsWith("default.")) this.#send(`default:${name.slice("default.".length)}`);
    });
    this.#region.addEventListener("click", (event) => {
      const path = (event.target as Element).closest<HTMLElement>("[data-enter-value]")?.dataset.enterValue;
      if (path) this.#wiring.enterValue(path);
    });
    root.addEventListener("submit", (event) => {
      const pressed = event.submitter;
      if (!(pressed instanceof HTMLButtonElement) || !VERBS.test(pressed.value)) return;
      event.preventDefault();
      event.stopImmediatePropagation();
      this.#send(pressed.value);
    });
    this.#values = new PreviewValues(this.#region, { values: wiring.values, write: wiring.writeValue });
    this.#prepare();
  }

  /** Shows the values as they are now beside the inputs that are not declared. */
  fillValues(): void {
    this.#values.fill();
  }

  show(html: string): void {
    if (html === this.#html) return;
    this.#html = html;
    const focused = this.#region.contains(document.activeElement)
      ? (document.activeElement as HTMLInputElement).name
      : "";
    this.#region.innerHTML = html;
    this.#prepare();
    if (focused) this.#region.querySelector<HTMLElement>(`[name="${CSS.escape(focused)}"]`)?.focus();
  }

  /** Buttons that only scripts can serve, and the choices made before the notices were drawn again. */
  #prepare(): void {
    this.#values.fill();
    for (const button of this.#region.querySelectorAll<HTMLElement>("[data-enter-value]")) button.hidden = false;
    for (const control of this.#region.querySelectorAll<HTMLInputElement>(CHOICES)) {
      const choice = this.#chosen.get(control.name);
      if (typeof choice === "boolean") control.checked = choice;
      else if (choice !== undefined) control.value = choice;
    }
  }

  #fields(): Record<string, string> {
    const fields: Record<string, string> = {};
    for (const control of this.#region.querySelectorAll<HTMLInputElement>(CHOICES)) {
      if (control.type !== "checkbox" || control.checked) fields[control.name] = control.value;
    }
    return fields;
  }

  /** Resolves when no fix is on its way. */
  async settled(): Promise<void> {
    await this.#pending;
  }

  #send(action: string): void {
    this.#pending ??= this.#fix(action).finally(() => {
      this.#pending = null;
    });
  }

  async #fix(action: string): Promise<void> {
    this.#region.querySelector(".field-error")?.remove();
    const refusal = await this.fixAsChosen(action);
    if (refusal === null) return;
    this.#region.append(createElement("p", { class: "field-error", role: "alert" }, createIcon("circle-x"), refusal));
  }

  /** Fixes with what is chosen in the notices; null where that was done, else why not. */
  fixAsChosen(action: string): Promise<string | null> {
    return this.fix(action, this.#fields());
  }

  /** Has the server fix the text and the samples; null where it did, else why it did not. */
  async fix(action: string, choices: Record<string, string>): Promise<string | null> {
    try {
      for (let attempt = 1; ; attempt++) {
        const body = this.#wiring.body();
        const answer = await callServer<QuickFixAnswer>("POST", this.#wiring.url, { ...body, ...choices, do: action });
        // What was typed while the answer was on its way would be lost with it: fix the text as it is now.
        if (editedIn(this.#wiring.body()) === editedIn(body)) {
          this.#wiring.onFixed(answer);
          return null;
        }
        if (attempt === MOST_ATTEMPTS) throw new Error("the text changes faster than it is fixed");
      }
    } catch (error) {
      if (error instanceof CallError) return error.message;
      return gettext("That did not work. Stop typing for a moment and try again.");
    }
  }
}
