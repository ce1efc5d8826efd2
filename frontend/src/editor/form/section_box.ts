// A loop or a condition in form mode, around the cards of its parts.
import { createElement } from "../../dom.ts";
import { formatNumber, gettext } from "../../language.ts";
import type { Block, Section } from "./outline.ts";
import { drawHandle, installMoves, type NodeActions } from "./part_order.ts";
import { type CardSize, formatSigned } from "./part_sizes.ts";
import { describeStatement } from "./statement_words.ts";
import { type ChipState, drawExpression } from "./value_chips.ts";
import { drawSectionHead } from "./widgets.ts";

/** The element for the size of a section, and how many cards come before it and are in it. */
export interface SectionSize {
  element: HTMLElement;
  isLoop: boolean;
  first: number;
  count: number;
  /** Updates whether the input that the section depends on is declared. */
  refreshChip(): void;
}

/** Renders a block: drawNodes renders the cards of a section, countCards returns how many there are so far, and stateOf
 * the state of a statement. */
export function drawBlock(
  block: Block,
  list: object,
  actions: NodeActions,
  drawNodes: (section: Section) => HTMLElement[],
  countCards: () => number,
  stateOf: (statement: string) => ChipState,
): { element: HTMLElement; sizes: SectionSize[] } {
  const sizes: SectionSize[] = [];
  const box = createElement("div", { class: "form-block" });
  for (const [index, section] of block.sections.entries()) {
    const element = createElement("span", { class: "form-size end" });
    const chip = createElement("span");
    const { expression } = describeStatement(section.head);
    const refreshChip = (): void => {
      if (expression) chip.replaceChildren(drawExpression(expression, stateOf(`{% ${section.head} %}`)));
    };
    refreshChip();
    const head = drawSectionHead(section.head, index ? null : drawHandle(actions), chip, element);
    const first = countCards();
    const cards = drawNodes(section);
    const isLoop = describeStatement(section.head).kind === "loop";
    sizes.push({ element, isLoop, first, count: countCards() - first, refreshChip });
    box.append(createElement("section", { class: "form-section" }, head, ...cards));
    if (!index) installMoves(box, head, list, actions);
  }
  return { element: box, sizes };
}

/** The text in the head of a loop: "3 in this sample, 1,891 tokens". */
export function describeLoopSize(size: CardSize | null): string {
  if (!size) return "";
  const change = formatSigned(size.change);
  const title = gettext("{count} in this sample, {tokens} tokens", {
    count: size.count,
    tokens: formatNumber(size.tokens),
  });
  return change ? `${title} ${change}` : title;
}
