// The switch between form and source.
import type { EditorView } from "@codemirror/view";
import { findElement } from "../dom.ts";
import type { Form } from "./form/form.ts";

export type Mode = "source" | "form";
const KEY = "editor-mode";

/** The switch between form and source. The form comes first; once a person picks one, this browser remembers it.
 * Gives the function that shows one of them without its being picked. */
export function installModes(root: HTMLElement, source: EditorView, form: Form): (mode: Mode) => void {
  const buttons = [...root.querySelectorAll<HTMLButtonElement>("[data-mode]")];
  source.dom.after(form.element);
  const show = (mode: Mode): void => {
    // CodeMirror lays itself out with !important, so the attribute `hidden` would not count.
    if (mode === "form") source.dom.style.setProperty("display", "none", "important");
    else source.dom.style.removeProperty("display");
    if (mode === "form") form.open();
    else form.close();
    const word = mode === "form" ? "Form" : "Source";
    for (const each of root.querySelectorAll("#source-head, [data-tab=source]")) each.textContent = word;
    for (const each of buttons) each.setAttribute("aria-pressed", String(each.dataset.mode === mode));
    if (mode === "source") source.requestMeasure();
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
  const kept = localStorage.getItem(KEY);
  show(kept === "source" || (kept === null && !form.canShow()) ? "source" : "form");
  return show;
}
