// Navigation to a place in the text: a line of the source, the next problem, the token limit.
import { EditorView } from "@codemirror/view";
import { showStatus } from "../app/status.ts";
import { gettext } from "../language.ts";
import type { Form } from "./form/form.ts";
import type { ModeSwitch } from "./modes.ts";
import { findOffset } from "./positions.ts";
import { goToProblem } from "./problems.ts";

/** A place in the document: 1-based line and column. */
export interface TextPlace {
  line: number;
  column: number;
}

/** Scrolls to places of the text, in the form if it shows them, else in the source. */
export class Navigation {
  readonly #root: HTMLElement;
  readonly #view: EditorView;
  readonly #form: Form;
  readonly #modes: ModeSwitch;

  constructor(root: HTMLElement, view: EditorView, form: Form, modes: ModeSwitch) {
    this.#root = root;
    this.#view = view;
    this.#form = form;
    this.#modes = modes;
    root.addEventListener("click", (event) => {
      if ((event.target as Element).closest("[data-set-limit]")) this.showTokenLimit();
    });
  }

  /** Shows a place in the source. */
  goTo(place: TextPlace): void {
    const view = this.#view;
    this.#modes.show("source");
    const offset = findOffset(view.state.doc, place.line, place.column);
    view.dispatch({ selection: { anchor: offset }, effects: EditorView.scrollIntoView(offset, { y: "center" }) });
    this.#root.dataset.open = "source";
    view.focus();
  }

  showNextProblem(): void {
    if (this.#form.isOpen && this.#form.goToProblem()) return;
    if (this.#form.isOpen) this.#modes.show("source");
    goToProblem(this.#view, 1);
  }

  /** Opens the field of the token limit; if the form can't show the text, explains what to write. */
  showTokenLimit(): void {
    if (this.#form.isOpen || !this.#form.refusal) {
      this.#modes.show("form");
      this.#root.dataset.open = "source";
      this.#form.focusLimit();
    } else {
      this.goTo({ line: 1, column: 1 });
      showStatus(gettext("Add token_limit and a number to the settings above the text."));
    }
  }
}
