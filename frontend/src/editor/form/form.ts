// The form mode of the editor: a card for each part.
import type { EditorView } from "@codemirror/view";
import { createElement } from "../../dom.ts";
import { gettext } from "../../language.ts";
import { makeSingleStep } from "../edit_history.ts";
import { readFormat } from "../language.ts";
import { findSmallestChange } from "../text_changes.ts";
import type { Data, Problem, Schema } from "../types.ts";
import { CardList, scrollsByItself } from "./card_list.ts";
import type { Published, Rename } from "./input_name.ts";
import { InputTable } from "./input_table.ts";
import type { Fragment } from "./insert_completion.ts";
import type { Outline, Refusal } from "./outline.ts";
import { describeShape } from "./outline_diff.ts";
import { readOutline } from "./outline_reader.ts";
import type { PartSize } from "./part_sizes.ts";
import { type ModelFacts, SettingsCard } from "./settings_card.ts";
import { addPart, type Change } from "./text_edits.ts";
import { findFirstName } from "./value_chips.ts";
import { drawProblem, listPaths } from "./widgets.ts";

/** What the form needs from the page around it. */
export interface FormHost {
  inputs(): Record<string, Schema>;
  /** The inputs as just declared in the form, ahead of the server's parse of the text. */
  declare(inputs: Record<string, Schema>): void;
  /** Names that the text uses without declaring them. */
  undeclared(): string[];
  /** Declares them; returns null on success, else the reason. */
  declareAll(): Promise<string | null>;
  /** Templates that can be inserted as fragments, by their pinned ref. */
  fragments(): Promise<Fragment[]>;
  /** The values of the selected sample. */
  sample(): Data;
  /** Models to choose from. */
  models: string[];
  /** Something was removed: the page reports it, with an undo. */
  removed(sentence: string): void;
  /** Renames an input in the text and the samples; returns null on success, else the reason. */
  rename: Rename;
  published(): Published;
  fix(problem: Problem): void;
  goTo(place: { line: number; column: number }): void;
}

/** The document as cards, one per part: a view of the source, which is the only copy of the text. */
export class Form {
  readonly element = createElement("div", { class: "form-mode", hidden: true });
  readonly #source: EditorView;
  readonly #host: FormHost;
  readonly #cards: CardList;
  readonly #inputs: InputTable;
  readonly #settings: SettingsCard;
  readonly #rest = createElement("div", { class: "form-problems" });
  #shape = "";
  #problems: Problem[] = [];
  #isWriting = false;

  constructor(source: EditorView, host: FormHost) {
    this.#source = source;
    this.#host = host;
    const common = { text: () => this.#text, removed: host.removed };
    const goToLine = (line: number): void => host.goTo({ line, column: 1 });
    this.#cards = new CardList({
      ...common,
      source,
      change: (change, typed) => this.#change(change, { typed }),
      stateOf: (expression) => (host.undeclared().includes(findFirstName(expression)) ? "undeclared" : "sound"),
      namesToInsert: (names, typed) => this.#namesToInsert(names, typed),
      fragments: host.fragments,
      chipMenu: {
        undeclared: host.undeclared,
        declared: () => Object.keys(host.inputs()),
        declareAll: host.declareAll,
        rename: host.rename,
      },
      goToLine,
      fix: host.fix,
    });
    const change = (edit: Change): void => this.#change(edit, { keepsCards: true });
    this.#inputs = new InputTable({
      ...common,
      inputs: host.inputs,
      sample: host.sample,
      declare: host.declare,
      rename: host.rename,
      published: host.published,
      change,
    });
    this.#settings = new SettingsCard({ ...common, change, goToLine, models: host.models });
  }

  get #text(): string {
    return this.#source.state.doc.toString();
  }

  get isOpen(): boolean {
    return !this.element.hidden;
  }

  /** Why the form can't show the document; empty if it can. */
  get refusal(): string {
    const outline = this.#outline();
    return "reason" in outline ? outline.reason : "";
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

  /** Follow the source: cards are kept while the document keeps its shape, so that the cursor stays. */
  draw(): void {
    if (!this.isOpen || this.#isWriting) return;
    const outline = this.#outline();
    if ("reason" in outline) {
      this.#refuse(outline);
      return;
    }
    const shape = describeShape(outline.nodes);
    if (shape === this.#shape) this.#cards.update(outline.nodes, { texts: true });
    else {
      this.#shape = shape;
      this.#build(outline);
    }
    this.#settings.refresh();
    this.showProblems(this.#problems);
  }

  /** Redraw the table of inputs if they, or their values in the sample, have changed. */
  refreshInputs(): void {
    if (this.isOpen) this.#inputs.refresh();
  }

  /** Mark the undeclared names in the cards. */
  refreshChips(): void {
    this.#cards.refreshChips();
  }

  /** Show the tokens of the parts on the sample, and the facts about the model. */
  takeFacts(sizes: PartSize[], facts: ModelFacts): void {
    this.#settings.takeFacts(facts);
    this.#cards.showSizes(sizes);
  }

  /** Put each problem below its part; those outside the parts are shown above all. */
  showProblems(problems: Problem[]): void {
    this.#problems = problems;
    if (!this.isOpen) return;
    const faults = problems.filter((problem) => problem.severity !== "note");
    const remaining = this.#cards.showProblems(faults, this.#source.state.doc);
    this.#rest.replaceChildren(...remaining.map((problem) => drawProblem(problem, this.#host.fix)));
  }

  /** Select the text of the first part, to be overwritten. */
  selectFirst(): void {
    this.#cards.selectFirst();
  }

  /** Put the cursor into the token limit in the settings. */
  focusLimit(): void {
    this.#settings.openAt("limit");
  }

  /** Put the cursor into the text of the first part. */
  focusFirst(): void {
    this.#cards.focusFirst();
  }

  /** Scroll to the first problem in the form; returns whether there is one. */
  goToProblem(): boolean {
    const first = this.element.querySelector<HTMLElement>(".cm-problem");
    first?.scrollIntoView({ block: "center" });
    first?.querySelector("button")?.focus();
    return first !== null;
  }

  #outline(): Outline | Refusal {
    return readOutline(this.#text, readFormat(this.#source.state));
  }

  #empty(): void {
    this.#cards.close();
    this.element.replaceChildren();
  }

  #refuse(refusal: Refusal): void {
    this.#shape = "";
    this.#empty();
    const go = createElement("button", { type: "button", class: "button" }, gettext("Edit it as source"));
    go.addEventListener("click", () => this.#host.goTo({ line: refusal.line, column: 1 }));
    this.element.append(createElement("div", { class: "form-refusal" }, createElement("p", {}, refusal.reason), go));
  }

  #build(outline: Outline): void {
    const scroller = scrollsByItself(this.element) ? this.element : document.documentElement;
    const scrollTop = scroller.scrollTop;
    const parts = outline.format === "parts";
    const pieces = [this.#rest, this.#cards.element, this.#inputs.element, this.#settings.element];
    this.element.replaceChildren(this.#drawHead(parts), ...pieces);
    this.#cards.build(outline.nodes, parts, this.element);
    this.refreshInputs();
    scroller.scrollTop = scrollTop;
  }

  #drawHead(parts: boolean): HTMLElement {
    const [title, aside] = parts
      ? [gettext("Parts"), gettext("in the order the model reads them")]
      : [gettext("Text"), gettext("one text, as it is")];
    const createLink = (text: string, run: () => void): HTMLElement => {
      const button = createElement("button", { type: "button", class: "link" }, text);
      button.addEventListener("click", run);
      return button;
    };
    const end = createElement("span", { class: "end buttons" });
    end.append(createLink(gettext("Settings"), () => this.#settings.openAt()));
    if (parts) end.append(createLink(gettext("Add a part"), () => this.#add()));
    const heads = [createElement("h2", {}, title), createElement("span", { class: "aside", title: aside }, aside)];
    return createElement("div", { class: "form-head" }, ...heads, end);
  }

  /** What can be printed in a part: names of loops around it, inputs, and undeclared names in use. */
  #namesToInsert(names: string[], typed = ""): string[] {
    const undeclared = this.#host.undeclared().filter((name) => name !== typed);
    return [...new Set([...names, ...listPaths(this.#host.inputs()), ...undeclared])];
  }

  #add(): void {
    this.#change(addPart(this.#text, this.#cards.findFreshName()));
    this.#cards.selectLast();
  }

  /** Edit the source: as a separate step, or with `typed`, the user event, as part of the typing in a card. While the
   * user types, that card is left alone and only places are updated. `keepsCards`: the edit is in the front matter, so
   * the cards are unchanged. */
  #change(change: Change, { typed, keepsCards }: { typed?: string | undefined; keepsCards?: boolean } = {}): void {
    const { state } = this.#source;
    const smallest = findSmallestChange(state.sliceDoc(change.from, change.to), change.insert, change.from);
    if (!smallest) return;
    this.#isWriting = typed !== undefined;
    this.#source.dispatch(
      typed === undefined ? makeSingleStep({ changes: smallest }) : { changes: smallest, userEvent: typed },
    );
    this.#isWriting = false;
    if (typed === undefined) {
      if (!keepsCards) this.#shape = "";
      this.draw();
      return;
    }
    const currentOutline = this.#outline();
    if ("reason" in currentOutline || describeShape(currentOutline.nodes) !== this.#shape) this.draw();
    else this.#cards.update(currentOutline.nodes, { texts: false });
  }
}
