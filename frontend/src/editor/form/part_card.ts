// The card of one part in form mode.
import type { Extension } from "@codemirror/state";
import type { EditorView } from "@codemirror/view";
import { createElement } from "../../dom.ts";
import { capitalize, gettext, ngettext } from "../../language.ts";
import type { Problem } from "../types.ts";
import type { Part, Value } from "./outline.ts";
import { drawHandle, installMoves, type NodeActions } from "./part_order.ts";
import { type CardSize, formatSigned } from "./part_sizes.ts";
import { type Change, quoteYaml, writeContent, writeKey } from "./text_edits.ts";
import { type ChipState, createTextEditor, drawFixedText, redrawChips, setEditorText } from "./value_chips.ts";
import { createSelect, drawInsert, drawProblem, listPriorities } from "./widgets.ts";

/** What a card needs from the form around it. */
export interface PartCardHost {
  text(): string;
  /** Edit the source: as one step, or with `typed`, the user event, as part of the typing in this card. */
  change(change: Change, typed?: string): void;
  stateOf(source: string): ChipState;
  /** What can be printed in this part. */
  namesToInsert(): string[];
  historyKeys: Extension;
  completion: Extension;
  menu: Extension;
  editAsSource(offset: number): void;
  fix(problem: Problem): void;
}

const ROLES = ["system", "developer", "user", "assistant", "tool"];
const DEFAULT_ROLE = "user"; // the renderer's default role
const SHORT = 60; // longest content shown beside the settings of a part

/** A part: its name and settings in the head, its content below, its problems at the bottom. The content is static
 * until it becomes visible, because a hundred editors would make the form slow. */
export class PartCard {
  readonly element: HTMLElement;
  /** The part with its current place. */
  readonly part: Part;
  readonly #host: PartCardHost;
  readonly #body = createElement("div", { class: "form-text" });
  readonly #size = createElement("span", { class: "form-size" });
  readonly #problems = createElement("div", { class: "form-problems" });
  readonly #errorTexts = new Set<string>();
  #text: EditorView | null = null;

  /** list, actions: the list of nodes that contains the part, and the part's actions in it; null if it can't move. */
  constructor(part: Part, list: object, actions: NodeActions | null, host: PartCardHost) {
    this.part = part;
    this.#host = host;
    this.element = createElement("article", { class: "form-card", "aria-label": this.name || gettext("part") });
    this.element.dataset.part = this.name;
    if (part.content?.style !== "body") {
      const head = this.#drawHead(actions);
      this.element.append(head);
      if (actions) installMoves(this.element, head, list, actions);
    }
    this.element.append(this.#body, this.#problems);
    if (part.content) this.#drawFixedText(part.content.text);
    else this.#drawRefusal();
    this.#showShortness();
  }

  get name(): string {
    return this.part.name?.text ?? "";
  }

  /** Make the content editable. */
  open(): void {
    const { content } = this.part;
    if (this.#text || !content) return;
    const host = this.#host;
    this.#text = createTextEditor(content.text, this.#label, {
      changed: (typed, userEvent) => {
        if (this.part.content) host.change(writeContent(this.part, this.part.content, typed), userEvent);
        this.#showShortness();
      },
      stateOf: (source) => this.#stateOf(source),
      historyKeys: host.historyKeys,
      completion: host.completion,
      menu: host.menu,
    });
    const isFocused = this.#body.contains(document.activeElement);
    this.#body.replaceChildren(this.#text.dom);
    if (isFocused) this.#text.focus();
  }

  /** Show the current content of the text. */
  refreshText(): void {
    const { content } = this.part;
    if (!content) return;
    if (this.#text) setEditorText(this.#text, content.text);
    else this.#drawFixedText(content.text);
    this.#showShortness();
  }

  /** Mark the undeclared names. */
  refreshChips(): void {
    if (this.#text) this.#text.dispatch({ effects: redrawChips.of(null) });
    else if (this.part.content) this.#drawFixedText(this.part.content.text);
  }

  /** wrong: the expressions with errors. */
  showProblems(problems: Problem[], errorTexts: string[]): void {
    this.#problems.replaceChildren(...problems.map((problem) => drawProblem(problem, this.#host.fix)));
    const isBad = problems.some((problem) => problem.severity === "error");
    this.element.classList.toggle("is-bad", isBad);
    if (errorTexts.length === this.#errorTexts.size && errorTexts.every((source) => this.#errorTexts.has(source)))
      return;
    this.#errorTexts.clear();
    for (const source of errorTexts) this.#errorTexts.add(source);
    this.refreshChips();
  }

  /** Show the part's number of tokens on the sample; empty if unknown. */
  showSize(size: CardSize | null): void {
    if (!size) {
      this.#size.replaceChildren();
      return;
    }
    const times = size.count > 1 ? [gettext("{count} in this sample", { count: size.count })] : [];
    const change = formatSigned(size.change);
    this.#size.replaceChildren(
      [...times, ngettext("{count} token", "{count} tokens", size.tokens)].join(", "),
      ...(change ? [" ", createElement("b", {}, change)] : []),
    );
  }

  /** Select the content, to be overwritten. */
  selectContent(): void {
    this.open();
    if (!this.#text) return;
    this.#text.dispatch({ selection: { anchor: 0, head: this.#text.state.doc.length } });
    this.#text.focus();
  }

  /** Put the cursor before the content. */
  focusContent(): void {
    this.open();
    this.#text?.focus();
  }

  /** Focus the handle, after the part was moved. */
  focusHandle(): void {
    this.element.querySelector<HTMLElement>(".form-handle > summary")?.focus();
  }

  close(): void {
    this.#text?.destroy();
  }

  get #label(): string {
    return this.name ? gettext("Content of {name}", { name: this.name }) : gettext("Content");
  }

  #stateOf(source: string): ChipState {
    return this.#errorTexts.has(source) ? "wrong" : this.#host.stateOf(source);
  }

  #drawFixedText(text: string): void {
    const attributes = { class: "form-static", role: "textbox", "aria-multiline": "true", tabindex: 0, dir: "auto" };
    const still = createElement("div", { ...attributes, "aria-label": this.#label });
    still.append(...drawFixedText(text, (source) => this.#stateOf(source)));
    still.addEventListener("focus", () => this.open());
    this.#body.replaceChildren(still);
  }

  #drawRefusal(): void {
    const go = createElement("button", { type: "button", class: "link" }, gettext("Edit it in the source"));
    go.addEventListener("click", () => this.#host.editAsSource(this.part.from));
    this.#body.append(createElement("p", { class: "note" }, gettext("This content is more than plain text."), " ", go));
  }

  /** Short content is shown beside the settings, as in a table. */
  #showShortness(): void {
    const text = this.part.content?.text ?? "\n";
    this.element.classList.toggle("is-short", text.length <= SHORT && !text.includes("\n"));
  }

  #drawHead(actions: NodeActions | null): HTMLElement {
    const end = createElement("span", { class: "end buttons" }, this.#size);
    if (this.part.content) {
      end.append(
        drawInsert(
          () => this.#host.namesToInsert(),
          (name) => this.#insert(name),
        ),
      );
    }
    const { others } = this.part;
    return createElement(
      "header",
      { class: "form-card-head" },
      ...(actions ? [drawHandle(actions)] : []),
      this.#drawName(),
      this.#drawRole(),
      this.#drawPriority(),
      ...(others.length ? [createElement("span", { class: "note" }, others.join(", "))] : []),
      end,
    );
  }

  /** The name field. Expressions in it look like chips until it is edited. */
  #drawName(): HTMLElement {
    const { name } = this;
    const field = createElement("input", { value: name, "aria-label": gettext("Name of the part"), size: 16 });
    field.placeholder = gettext("a part without a name");
    field.addEventListener("change", () => this.#writeKey("name", this.part.name, quoteYaml(field.value.trim())));
    const box = createElement("span", { class: "form-name" }, field);
    if (name.includes("{{")) {
      box.classList.add("has-chips");
      const look = createElement("span", { class: "form-name-highlight", "aria-hidden": "true" });
      look.append(...drawFixedText(name, () => "sound"));
      box.append(look);
    }
    return box;
  }

  #drawRole(): HTMLElement {
    const now = this.part.role?.text ?? DEFAULT_ROLE;
    const roles = ROLES.includes(now) ? ROLES : [...ROLES, now];
    const role = createSelect(
      this.name ? gettext("Role of {name}", { name: this.name }) : gettext("Role of the part"),
      roles.map((role) => [role, capitalize(role)]),
      now,
    );
    role.addEventListener("change", () => this.#writeKey("role", this.part.role, role.value));
    return role;
  }

  #drawPriority(): HTMLElement {
    const now = this.part.priority?.text ?? "0";
    const priority = createSelect(
      this.name ? gettext("When {name} may be cut", { name: this.name }) : gettext("When the part may be cut"),
      listPriorities(now),
      now,
    );
    priority.addEventListener("change", () =>
      this.#writeKey("truncation_priority", this.part.priority, priority.value),
    );
    return priority;
  }

  #insert(name: string): void {
    this.open();
    this.#text?.dispatch(this.#text.state.replaceSelection(`{{ ${name} }}`), { userEvent: "input" });
    this.#text?.focus();
  }

  #writeKey(key: string, present: Value | null, value: string): void {
    this.#host.change(writeKey(this.#host.text(), this.part, key, present, value));
  }
}
