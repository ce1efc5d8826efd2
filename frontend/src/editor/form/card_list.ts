// The cards of a document in form mode, in the order of its parts.
import type { Text } from "@codemirror/state";
import type { EditorView } from "@codemirror/view";
import { createElement } from "../../dom.ts";
import { gettext } from "../../language.ts";
import { bindHistoryKeys } from "../edit_history.ts";
import { findOffset } from "../positions.ts";
import type { Problem } from "../types.ts";
import { type ChipMenuHost, chipMenu } from "./chip_menu.ts";
import { type Fragment, insertCompletion } from "./insert_completion.ts";
import type { Node, Part } from "./outline.ts";
import { updateOutline } from "./outline_diff.ts";
import { PartCard } from "./part_card.ts";
import type { NodeActions } from "./part_order.ts";
import { matchSizes, type PartSize, sumSizes } from "./part_sizes.ts";
import { describeLoopSize, drawBlock, type SectionSize } from "./section_box.ts";
import { describeStatement, listLoopNames } from "./statement_words.ts";
import { type Change, dropNode, moveNode } from "./text_edits.ts";
import { type ChipState, findExpressionAt } from "./value_chips.ts";
import { drawLines } from "./widgets.ts";

/** What the cards need from the form around them. */
export interface CardListHost {
  source: EditorView;
  text(): string;
  change(change: Change, typed?: string): void;
  stateOf(source: string): ChipState;
  /** What can be printed in a part: `names` are those of the loops around it, `typed` is what is being typed. */
  namesToInsert(names: string[], typed?: string): string[];
  fragments(): Promise<Fragment[]>;
  chipMenu: ChipMenuHost;
  goToLine(line: number): void;
  removed(sentence: string): void;
  fix(problem: Problem): void;
}

const NEAR = "600px"; // distance from the viewport at which a card becomes editable

/** The cards. They are kept while the document keeps its shape, so that the cursor stays. */
export class CardList {
  readonly element = createElement("div", { class: "form-nodes" });
  readonly #host: CardListHost;
  readonly #elements = new Map<Node, HTMLElement>();
  #nodes: Node[] = [];
  #cards: PartCard[] = [];
  #sections: SectionSize[] = [];
  #sizes: PartSize[] = [];
  #observer: IntersectionObserver | null = null;

  constructor(host: CardListHost) {
    this.#host = host;
  }

  /** Render new cards. movable: false if the document is one text. root: the scrolling element. */
  build(nodes: Node[], movable: boolean, root: HTMLElement): void {
    this.close();
    this.#nodes = nodes;
    this.element.replaceChildren(...this.#drawNodes(nodes, movable, []));
    if (!nodes.length) this.element.append(createElement("p", { class: "note" }, gettext("No part yet.")));
    this.#openCardsInSight(root);
    this.showSizes(this.#sizes);
  }

  /** Take the current places of nodes of the same shape; with `texts`, also their contents. */
  update(nodes: Node[], { texts }: { texts: boolean }): void {
    updateOutline(this.#nodes, nodes);
    if (texts) for (const card of this.#cards) card.refreshText();
  }

  close(): void {
    this.#observer?.disconnect();
    for (const card of this.#cards) card.close();
    this.#cards = [];
    this.#sections = [];
    this.#elements.clear();
  }

  /** Mark the undeclared names. */
  refreshChips(): void {
    for (const card of this.#cards) card.refreshChips();
    for (const section of this.#sections) section.refreshChip();
  }

  /** Put each problem below its part; returns those outside the parts. */
  showProblems(problems: Problem[], doc: Text): Problem[] {
    const remaining = new Set(problems);
    const findProblemOffset = (problem: Problem): number => findOffset(doc, problem.line, problem.column);
    for (const card of this.#cards) {
      const here = [...remaining].filter(
        (problem) => findProblemOffset(problem) >= card.part.from && findProblemOffset(problem) < card.part.to,
      );
      for (const problem of here) remaining.delete(problem);
      const errors = here.filter((problem) => problem.severity === "error");
      const errorTexts = errors.map((problem) => {
        const line = doc.lineAt(findProblemOffset(problem));
        return findExpressionAt(line.text, findProblemOffset(problem) - line.from);
      });
      card.showProblems(here, errorTexts.filter(Boolean));
    }
    return [...remaining];
  }

  /** Show the tokens of the parts on the sample. */
  showSizes(rendered: PartSize[]): void {
    this.#sizes = rendered;
    const names = this.#cards.map((card) => card.name);
    const sizes = matchSizes(names, rendered);
    for (const [index, card] of this.#cards.entries()) card.showSize(sizes[index] ?? null);
    for (const { element, isLoop, first, count } of this.#sections) {
      const own = sizes.slice(first, first + count).filter((size) => size !== null);
      element.textContent = isLoop && own.length ? describeLoopSize(sumSizes(own)) : "";
    }
  }

  /** A name that no part uses yet. */
  findFreshName(): string {
    const names = new Set(this.#cards.map((card) => card.name));
    let number = this.#cards.length + 1;
    while (names.has(`part ${number}`)) number++;
    return `part ${number}`;
  }

  /** Select the content of the first part, to be overwritten. */
  selectFirst(): void {
    this.#cards[0]?.selectContent();
  }

  /** Put the cursor before the content of the first part that can be edited in a card. */
  focusFirst(): void {
    this.#cards.find((card) => card.part.content)?.focusContent();
  }

  /** Select the content of the last part, to be overwritten. */
  selectLast(): void {
    this.#cards[this.#cards.length - 1]?.selectContent();
  }

  /** `names`: those of the loops around these nodes. */
  #drawNodes(nodes: Node[], movable: boolean, names: string[]): HTMLElement[] {
    return nodes.map((node, index) => {
      const element = this.#drawNode(nodes, index, node, movable, names);
      this.#elements.set(node, element);
      return element;
    });
  }

  #drawNode(nodes: Node[], index: number, node: Node, movable: boolean, names: string[]): HTMLElement {
    if (node.kind === "lines") return drawLines(node.text, () => this.#editAsSource(node.from));
    const actions = this.#buildActions(nodes, index, node);
    if (node.kind === "part") return this.#drawCard(node, nodes, movable ? actions : null, names);
    const block = drawBlock(
      node,
      nodes,
      actions,
      (section) => this.#drawNodes(section.nodes, true, [...names, ...listLoopNames(section.head)]),
      () => this.#cards.length,
      (statement) => this.#host.stateOf(statement),
    );
    this.#sections.push(...block.sizes);
    return block.element;
  }

  #drawCard(part: Part, list: Node[], actions: NodeActions | null, names: string[]): HTMLElement {
    const host = this.#host;
    const card = new PartCard(part, list, actions, {
      text: () => host.text(),
      change: (change, typed) => host.change(change, typed),
      stateOf: (source) => host.stateOf(source),
      namesToInsert: () => host.namesToInsert(names),
      historyKeys: bindHistoryKeys(host.source),
      completion: insertCompletion({
        names: (typed) => host.namesToInsert(names, typed),
        fragments: () => host.fragments(),
      }),
      menu: chipMenu(host.chipMenu),
      editAsSource: (offset) => this.#editAsSource(offset),
      fix: (problem) => host.fix(problem),
    });
    this.#cards.push(card);
    return card.element;
  }

  #openCardsInSight(root: HTMLElement): void {
    const cards = new Map(this.#cards.map((card) => [card.element as Element, card]));
    const observer = new IntersectionObserver(
      (entries) => {
        for (const entry of entries) {
          if (!entry.isIntersecting) continue;
          cards.get(entry.target)?.open();
          observer.unobserve(entry.target);
        }
      },
      { root: scrollsByItself(root) ? root : null, rootMargin: `${NEAR} 0px` },
    );
    for (const card of this.#cards) observer.observe(card.element);
    this.#observer = observer;
  }

  #buildActions(nodes: Node[], index: number, node: Node): NodeActions {
    const title = nameNode(node);
    return {
      title,
      index,
      count: nodes.length,
      move: (from, to) => this.#move(nodes, from, to),
      remove: () => {
        const current = nodes[index];
        if (!current) return;
        this.#host.change(dropNode(current));
        this.#host.removed(gettext("Removed {part}.", { part: title }));
      },
    };
  }

  /** Moves a node and keeps its handle focused, so that it can be moved further. */
  #move(nodes: Node[], from: number, to: number): void {
    const node = nodes[from];
    const change = moveNode(this.#host.text(), nodes, from, to);
    if (!node || !change) return;
    const size = node.to - node.from;
    const isLastLine = !this.#host.text().slice(0, node.to).endsWith("\n");
    const end = change.from + change.insert.length;
    const start = from > to ? change.from : end - size - (isLastLine ? 1 : 0);
    this.#host.change(change);
    const moved = [...this.#elements].find(([part]) => part.from === start);
    moved?.[1].querySelector<HTMLElement>(".form-handle > summary")?.focus();
  }

  #editAsSource(offset: number): void {
    this.#host.goToLine(this.#host.source.state.doc.lineAt(offset).number);
  }
}

/** The name of a node in a sentence. */
function nameNode(node: Node): string {
  if (node.kind === "part") return node.name?.text || gettext("the part");
  const head = node.kind === "block" ? (node.sections[0]?.head ?? "") : "";
  return describeStatement(head).kind === "loop" ? gettext("the repeated parts") : gettext("the conditional parts");
}

/** Whether an element scrolls; on a phone the page does instead. */
export function scrollsByItself(element: HTMLElement): boolean {
  return getComputedStyle(element).overflowY !== "visible";
}
