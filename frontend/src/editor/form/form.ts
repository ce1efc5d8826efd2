// The form mode of the editor: a card for each part.
import type { EditorView } from "@codemirror/view";
import { createElement, createIcon } from "../../dom.ts";
import { historyKeysOf, singleStep } from "../edit_history.ts";
import { formatOf } from "../language.ts";
import { offsetAt } from "../positions.ts";
import { smallestChange } from "../text_changes.ts";
import type { Problem, Schema } from "../types.ts";
import { addInput, dropInput, setInput } from "./input_edits.ts";
import { drawInputs, emptyInput, type InputEdits, kindOf } from "./inputs.ts";
import { type Fragment, insertCompletion } from "./insert_completion.ts";
import { type Node, type Outline, outlineOf, type Part, type Refusal, type Section } from "./outline.ts";
import { shapeOf, updateOutline } from "./outline_diff.ts";
import { addPart, type Change, dropPart, quoteYaml, swapNodes, writeContent, writeKey } from "./text_edits.ts";
import { createTextEditor, redrawChips, setEditorText } from "./value_chips.ts";
import {
  capitalize,
  createSelect,
  drawInsert,
  drawLines,
  drawProblem,
  drawSectionHead,
  namesOf,
  pathsOf,
  priorities,
} from "./widgets.ts";

/** What the form asks of the page around it. */
export interface FormHost {
  inputs(): Record<string, Schema>;
  /** The inputs as the form has just declared them; the server's reading of the text follows. */
  declare(inputs: Record<string, Schema>): void;
  /** Names that the text uses and does not declare. */
  undeclared(): string[];
  /** Templates that can be put in as fragments, by their pinned reference. */
  fragments(): Promise<Fragment[]>;
  /** Something was taken out: the page says so, with a way back. */
  removed(sentence: string): void;
  fix(problem: Problem): void;
  goTo(place: { line: number; column: number }): void;
}

interface Card {
  part: Part;
  box: HTMLElement;
  text: EditorView | null;
  problems: HTMLElement;
}

const ROLES = ["system", "developer", "user", "assistant", "tool"];
const DEFAULT_ROLE = "user"; // what the renderer takes a part for that names none

/** The document as cards, one a part: a view of the source, which stays the one text there is. */
export class Form {
  readonly element = createElement("div", { class: "form-mode", hidden: true });
  readonly #source: EditorView;
  readonly #around: FormHost;
  readonly #declared = createElement("div");
  readonly #newInput = emptyInput();
  #nodes: Node[] = [];
  #cards: Card[] = [];
  #known = "";
  #shape = "";
  #problems: Problem[] = [];
  #isWriting = false;

  constructor(source: EditorView, around: FormHost) {
    this.#source = source;
    this.#around = around;
    this.#declared.addEventListener("focusout", () => setTimeout(() => this.refreshInputs())); // the focus has moved on
  }

  get isOpen(): boolean {
    return !this.element.hidden;
  }

  /** Whether the form can show the document as it stands. */
  canShow(): boolean {
    return !("reason" in this.#outline());
  }

  open(): void {
    this.element.hidden = false;
    this.#shape = "";
    this.draw();
  }

  close(): void {
    this.element.hidden = true;
    this.#empty();
  }

  /** Follow the source: cards are kept while the document keeps its shape, so a cursor in one of them stays. */
  draw(): void {
    if (!this.isOpen || this.#isWriting) return;
    const found = this.#outline();
    if ("reason" in found) {
      this.#refuse(found);
      return;
    }
    const shape = shapeOf(found.nodes);
    if (shape !== this.#shape) {
      this.#shape = shape;
      this.#build(found);
    } else {
      updateOutline(this.#nodes, found.nodes);
      for (const { part, text } of this.#cards) if (text && part.content) setEditorText(text, part.content.text);
    }
    this.showProblems(this.#problems);
  }

  /** Draw the table of inputs again where they are others than before. */
  refreshInputs(): void {
    const inputs = this.#around.inputs();
    const known = JSON.stringify(inputs);
    if (!this.isOpen || (known === this.#known && this.#declared.childElementCount)) return;
    if (this.#isTypedInTable()) return; // it is drawn when that field is left
    this.#known = known;
    const focused = document.activeElement?.getAttribute("aria-label");
    const change = (made: Change | null, declared: Record<string, Schema>): boolean => {
      if (!made) return false;
      this.#around.declare(declared);
      this.#change(made, { keepsCards: true });
      this.refreshInputs();
      return true;
    };
    const text = (): string => this.#source.state.doc.toString();
    const without = (name: string): Record<string, Schema> => {
      const { [name]: _gone, ...rest } = this.#around.inputs();
      return rest;
    };
    const edits: InputEdits = {
      add: (name, schema) => change(addInput(text(), name, schema), { ...this.#around.inputs(), [name]: schema }),
      set: (name, schema) => {
        const before = this.#around.inputs();
        const declared = { ...before, [name]: schema };
        const isDrawn = JSON.stringify(before) === this.#known && kindOf(before[name] ?? {}) === kindOf(schema);
        // The row that wrote it shows it already; drawn again, it would lose the focus and the click on its way there.
        if (isDrawn) this.#known = JSON.stringify(declared);
        return change(setInput(text(), name, schema), declared);
      },
      drop: (name) => {
        const isDone = change(dropInput(text(), name), without(name));
        if (isDone) this.#around.removed(`Removed the input ${name}.`);
        return isDone;
      },
    };
    this.#declared.replaceChildren(drawInputs(inputs, edits, this.#newInput));
    if (focused) this.#declared.querySelector<HTMLElement>(`[aria-label="${CSS.escape(focused)}"]`)?.focus();
  }

  /** Whether somebody is typing in a row of the table: the text does not have that value yet. */
  #isTypedInTable(): boolean {
    const field = document.activeElement;
    if (!(field instanceof HTMLInputElement) || !this.#declared.contains(field)) return false;
    return field.closest("tr") !== null && field.type !== "checkbox" && field.value !== field.defaultValue;
  }

  /** Mark the names that are undeclared now in the cards. */
  refreshChips(): void {
    for (const { text } of this.#cards) text?.dispatch({ effects: redrawChips.of(null) });
  }

  /** Put each problem under the part it stands in; what stands in none goes above them all. */
  showProblems(problems: Problem[]): void {
    this.#problems = problems;
    if (!this.isOpen) return;
    const { doc } = this.#source.state;
    const left = new Set(problems.filter((problem) => problem.severity !== "note"));
    for (const card of this.#cards) {
      const here = [...left].filter((problem) => {
        const offset = offsetAt(doc, problem.line, problem.column);
        return offset >= card.part.from && offset < card.part.to;
      });
      for (const problem of here) left.delete(problem);
      card.problems.replaceChildren(...here.map((problem) => drawProblem(problem, this.#around.fix)));
      card.box.classList.toggle(
        "is-bad",
        here.some((problem) => problem.severity === "error"),
      );
    }
    const rest = this.element.querySelector("[data-form-rest]");
    rest?.replaceChildren(...[...left].map((problem) => drawProblem(problem, this.#around.fix)));
  }

  /** Bring the first problem that the form shows into view; whether there is one. */
  goToProblem(): boolean {
    const first = this.element.querySelector<HTMLElement>(".cm-problem");
    first?.scrollIntoView({ block: "center" });
    first?.querySelector("button")?.focus();
    return first !== null;
  }

  #outline(): Outline | Refusal {
    const { state } = this.#source;
    return outlineOf(state.doc.toString(), formatOf(state));
  }

  #empty(): void {
    for (const card of this.#cards) card.text?.destroy();
    this.#cards = [];
    this.element.replaceChildren();
  }

  #refuse(refusal: Refusal): void {
    this.#shape = "";
    this.#empty();
    const go = createElement("button", { type: "button", class: "button" }, "Edit it as source");
    go.addEventListener("click", () => this.#around.goTo({ line: refusal.line, column: 1 }));
    this.element.append(createElement("div", { class: "form-refusal" }, createElement("p", {}, refusal.reason), go));
  }

  #build(outline: Outline): void {
    this.#empty();
    this.#nodes = outline.nodes;
    const parts = outline.format === "parts";
    const head = createElement("div", { class: "form-head" }, createElement("h2", {}, parts ? "Parts" : "Text"));
    head.append(
      createElement("span", { class: "aside" }, parts ? "in the order the model reads them" : "one text, as it is"),
    );
    if (parts) {
      const add = createElement("button", { type: "button", class: "link end" }, "Add a part");
      add.addEventListener("click", () => this.#add());
      head.append(add);
    }
    const nodes = createElement("div", { class: "form-nodes" }, ...this.#drawNodes(outline.nodes, parts, []));
    this.element.append(head, createElement("div", { "data-form-rest": true }), nodes, this.#declared);
    this.refreshInputs();
    if (parts && !outline.nodes.length) nodes.append(createElement("p", { class: "note" }, "No part yet."));
  }

  /** `names`: what the loops around these nodes give them. */
  #drawNodes(nodes: Node[], movable: boolean, names: string[]): HTMLElement[] {
    return nodes.map((node, index) => {
      if (node.kind === "lines") return drawLines(node.text, () => this.#editAsSource(node.from));
      const moves = movable ? this.#moves(nodes, index) : [];
      if (node.kind === "part") return this.#drawCard(node, moves, names);
      return createElement(
        "div",
        { class: "form-block" },
        ...node.sections.map((section, place) => this.#drawSection(section, place ? [] : moves, names)),
      );
    });
  }

  #drawSection(section: Section, moves: HTMLElement[], names: string[]): HTMLElement {
    const head = drawSectionHead(section.head, moves);
    const inner = [...names, ...namesOf(section.head)];
    return createElement("section", { class: "form-section" }, head, ...this.#drawNodes(section.nodes, true, inner));
  }

  #moves(nodes: Node[], index: number): HTMLElement[] {
    const button = (sign: string, words: string, first: number): HTMLElement => {
      const made = createElement("button", { type: "button", class: "icon-button", "aria-label": words, title: words });
      made.append(createIcon(sign));
      made.addEventListener("click", () => this.#swap(nodes, first));
      return made;
    };
    return [
      ...(index > 0 ? [button("arrow-up", "Move up", index - 1)] : []),
      ...(index < nodes.length - 1 ? [button("arrow-down", "Move down", index)] : []),
    ];
  }

  #drawCard(part: Part, moves: HTMLElement[], names: string[]): HTMLElement {
    const index = this.#cards.length;
    const title = part.name?.text ?? "";
    const problems = createElement("div", { class: "form-problems" });
    const box = createElement("article", { class: "form-card", "aria-label": title || "part" });
    const content = part.content;
    const text = content
      ? createTextEditor(content.text, title ? `Content of ${title}` : "Content", {
          changed: (typed, userEvent) => this.#writeContent(index, typed, userEvent),
          isUndeclared: (name) => this.#around.undeclared().includes(name),
          historyKeys: historyKeysOf(this.#source),
          completion: insertCompletion({
            names: (typed) => this.#namesToInsert(names, typed),
            fragments: this.#around.fragments,
          }),
        })
      : null;
    const card: Card = { part, box, text, problems };
    this.#cards.push(card);
    if (part.content?.style !== "body") box.append(this.#drawHead(index, card, moves, names));
    if (text) box.append(createElement("div", { class: "form-text" }, text.dom));
    else {
      const go = createElement("button", { type: "button", class: "link" }, "Edit it in the source");
      go.addEventListener("click", () => this.#editAsSource(this.#cards[index]?.part.from ?? 0));
      box.append(createElement("p", { class: "form-text note" }, "This content is more than plain text. ", go));
    }
    box.append(problems);
    return box;
  }

  #drawHead(index: number, card: Card, moves: HTMLElement[], names: string[]): HTMLElement {
    const { part } = card;
    const title = part.name?.text ?? "";
    const name = createElement("input", {
      class: "form-name",
      value: title,
      "aria-label": "Name of the part",
      size: 16,
    });
    name.placeholder = "a part without a name";
    name.addEventListener("change", () =>
      this.#writeKey(index, "name", (each) => each.name, quoteYaml(name.value.trim())),
    );
    const head = createElement("header", { class: "form-card-head" }, name);
    const words = title || "the part";
    const roles = part.role && !ROLES.includes(part.role.text) ? [...ROLES, part.role.text] : ROLES;
    const role = createSelect(
      `Role of ${words}`,
      roles.map((each) => [each, capitalize(each)]),
      part.role?.text ?? DEFAULT_ROLE,
    );
    role.addEventListener("change", () => this.#writeKey(index, "role", (each) => each.role, role.value));
    const now = part.priority?.text ?? "0";
    const priority = createSelect(`When ${words} may be cut`, priorities(now), now);
    priority.addEventListener("change", () =>
      this.#writeKey(index, "truncation_priority", (each) => each.priority, priority.value),
    );
    head.append(role, priority);
    if (part.others.length) head.append(createElement("span", { class: "note" }, part.others.join(", ")));
    const end = createElement("span", { class: "end buttons" });
    if (card.text) {
      end.append(
        drawInsert(
          () => this.#namesToInsert(names),
          (chosen) => this.#insert(index, chosen),
        ),
      );
    }
    const drop = createElement("button", { type: "button", class: "icon-button", "aria-label": `Remove ${words}` });
    drop.append(createIcon("trash-2"));
    drop.addEventListener("click", () => {
      this.#change(dropPart(this.#cards[index]?.part ?? part));
      this.#around.removed(`Removed ${words}.`);
    });
    head.append(end);
    end.append(...moves, drop);
    return head;
  }

  /** What can be printed in a part: what loops around it give, inputs, and names that are only used so far. */
  #namesToInsert(names: string[], typed = ""): string[] {
    const undeclared = this.#around.undeclared().filter((name) => name !== typed);
    return [...new Set([...names, ...pathsOf(this.#around.inputs()), ...undeclared])];
  }

  #insert(index: number, name: string): void {
    const text = this.#cards[index]?.text;
    text?.dispatch(text.state.replaceSelection(`{{ ${name} }}`), { userEvent: "input" });
    text?.focus();
  }

  #editAsSource(offset: number): void {
    this.#around.goTo({ line: this.#source.state.doc.lineAt(offset).number, column: 1 });
  }

  #writeContent(index: number, text: string, userEvent: string): void {
    const part = this.#cards[index]?.part;
    if (!part?.content) return;
    this.#change(writeContent(part, part.content, text), { typed: userEvent });
  }

  #writeKey(index: number, key: string, present: (part: Part) => Part["name"], value: string): void {
    const part = this.#cards[index]?.part;
    if (part) this.#change(writeKey(this.#source.state.doc.toString(), part, key, present(part), value));
  }

  #swap(nodes: Node[], first: number): void {
    const [before, node] = [nodes[first], nodes[first + 1]];
    if (before && node) this.#change(swapNodes(this.#source.state.doc.toString(), before, node));
  }

  #add(): void {
    const names = new Set(this.#cards.map((card) => card.part.name?.text));
    let number = this.#cards.length + 1;
    while (names.has(`part ${number}`)) number++;
    this.#change(addPart(this.#source.state.doc.toString(), `part ${number}`));
    const text = this.#cards[this.#cards.length - 1]?.text;
    if (!text) return;
    text.dispatch({ selection: { anchor: 0, head: text.state.doc.length } });
    text.focus();
  }

  /** Edit the source: as one step of its own, or with `typed`, the kind of event, as part of the typing in a card.
   * While somebody types, that card is left alone and only places are read again. `keepsCards`: the edit is to the
   * front matter, so the cards are as they were. */
  #change(change: Change, { typed, keepsCards }: { typed?: string; keepsCards?: boolean } = {}): void {
    const { state } = this.#source;
    const smallest = smallestChange(state.sliceDoc(change.from, change.to), change.insert, change.from);
    if (!smallest) return;
    this.#isWriting = typed !== undefined;
    this.#source.dispatch(
      typed === undefined ? singleStep({ changes: smallest }) : { changes: smallest, userEvent: typed },
    );
    this.#isWriting = false;
    if (typed === undefined) {
      if (!keepsCards) this.#shape = "";
      this.draw();
      return;
    }
    const found = this.#outline();
    if ("reason" in found || shapeOf(found.nodes) !== this.#shape) this.draw();
    else updateOutline(this.#nodes, found.nodes);
  }
}
