// The switch between form and source.
import type { EditorView } from "@codemirror/view";
import { findElement } from "../dom.ts";
import { gettext } from "../language.ts";
import type { Form } from "./form/form.ts";

export type Mode = "source" | "form";
const KEY = "editor-mode";

/** The switch as the page uses it. */
export interface ModeSwitch {
  /** Show a mode without storing it as the user's choice. */
  show(mode: Mode): void;
  /** Update whether the form can show the text. */
  refresh(): void;
}

/** Installs the switch. The form is the default if it can show the text; this browser remembers the user's choice. */
export function installModes(root: HTMLElement, source: EditorView, form: Form): ModeSwitch {
  const buttons = [...root.querySelectorAll<HTMLButtonElement>("[data-mode]")];
  const reason = findElement(root, "[data-form-reason]");
  source.dom.after(form.element);
  const refresh = (): void => {
    const refusal = form.isOpen ? "" : form.refusal;
    reason.hidden = refusal === "";
    reason.textContent = refusal;
    findElement(root, "[data-mode=form]").setAttribute("aria-disabled", String(refusal !== ""));
  };
  const show = (mode: Mode): void => {
    // CodeMirror's layout uses !important, which overrides the attribute `hidden`.
    if (mode === "form") source.dom.style.setProperty("display", "none", "important");
    else source.dom.style.removeProperty("display");
    if (mode === "form") form.open();
    else form.close();
    root.dataset.as = mode;
    const word = mode === "form" ? gettext("Form") : gettext("Source");
    findElement(root, "#source-head").textContent = word;
    for (const button of buttons) button.setAttribute("aria-pressed", String(button.dataset.mode === mode));
    if (mode === "source") source.requestMeasure();
    refresh();
  };
  for (const button of buttons) {
    button.addEventListener("click", () => {
      const mode = button.dataset.mode === "form" ? "form" : "source";
      localStorage.setItem(KEY, mode);
      root.dataset.open = "source";
      show(mode);
    });
  }
  findElement(root, "[data-modes]").hidden = false;
  show(localStorage.getItem(KEY) === "source" || form.refusal ? "source" : "form");
  return { show, refresh };
}
