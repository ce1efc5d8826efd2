// The notices above the text: undeclared inputs, samples that lack a value. Their buttons are one-click fixes.
import { createElement, createIcon, findElement } from "../dom.ts";
import { gettext } from "../language.ts";
import { CallError, callServer } from "./api.ts";
import { PreviewValues } from "./preview_values.ts";
import type { PackedSamples } from "./sample_map.ts";
import type { Data, Json } from "./types.ts";

/** The text and the samples after a fix, and a message about it. */
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
  /** The values of the displayed sample, and a function that writes one of them. */
  values: () => Data;
  writeValue: (name: string, value: Json | undefined) => void;
}

const MAX_ATTEMPTS = 5;
const VERBS = /^(?:parts|declare|(?:optional|default|fill)(?:-all)?|remove-samples?|examples):/;

/** The controls that a fix reads; preview values are already in the samples. */
const CHOICES = "select:not([data-value]), input:not([data-value], [type=hidden])";

const editedIn = ({ document, samples, sampleOrder, data }: Record<string, unknown>): string =>
  JSON.stringify([document, samples, sampleOrder, data]);

/** A selector that finds the same control in notices that were redrawn; all fixes share a name and differ in value. */
function findSelector(control: Element | null): string | null {
  if (!(control instanceof HTMLElement)) return null;
  const { enterValue } = control.dataset;
  if (enterValue !== undefined) return `[data-enter-value="${CSS.escape(enterValue)}"]`;
  const name = control.getAttribute("name");
  if (!name) return null;
  const value = control instanceof HTMLButtonElement ? `[value="${CSS.escape(control.value)}"]` : "";
  return `[name="${CSS.escape(name)}"]${value}`;
}

/** Shows the notices of each preview, keeps the author's choices in them, and sends the fixes. */
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
      event.preventDefault(); // otherwise the form's first button would be pressed
      const isOneOfSeveral = (event.target as Element).closest(".notice-defaults") !== null;
      if (name.startsWith("default.")) this.#send(isOneOfSeveral ? "default-all:" : `default:${name.slice(8)}`);
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

  /** Shows the current values beside the undeclared inputs. */
  fillValues(): void {
    this.#values.fill();
  }

  show(html: string): void {
    if (html === this.#html) return;
    this.#html = html;
    const focused = this.#region.contains(document.activeElement) ? findSelector(document.activeElement) : null;
    this.#region.innerHTML = html;
    this.#prepare();
    if (focused) this.#region.querySelector<HTMLElement>(focused)?.focus();
  }

  /** Adds buttons that need scripts, and restores choices made before the notices were redrawn. */
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

  /** Resolves when no fix is pending. */
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

  /** Applies a fix with the choices in the notices; returns null on success, else the reason. */
  fixAsChosen(action: string): Promise<string | null> {
    return this.fix(action, this.#fields());
  }

  /** Has the server fix the text and the samples; returns null on success, else the reason. */
  async fix(action: string, choices: Record<string, string>): Promise<string | null> {
    try {
      for (let attempt = 1; ; attempt++) {
        const body = this.#wiring.body();
        const answer = await callServer<QuickFixAnswer>("POST", this.#wiring.url, { ...body, ...choices, do: action });
        // The response would overwrite what was typed meanwhile: fix the current text instead.
        if (editedIn(this.#wiring.body()) === editedIn(body)) {
          this.#wiring.onFixed(answer);
          return null;
        }
        if (attempt === MAX_ATTEMPTS) throw new Error("the text changes faster than it is fixed");
      }
    } catch (error) {
      if (error instanceof CallError) return error.message;
      return gettext("That did not work. Stop typing for a moment and try again.");
    }
  }
}
