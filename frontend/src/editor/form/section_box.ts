// A loop or a condition in form mode, around the cards of its parts.
import { createElement } from "../../dom.ts";
import { formatNumber, gettext } from "../../language.ts";
import type { Block, Section } from "./outline.ts";
import { drawHandle, installMoves, type NodeActions } from "./part_order.ts";
import { type CardSize, signed } from "./part_sizes.ts";
import { describeStatement } from "./statement_words.ts";
import { type ChipState, drawExpression } from "./value_chips.ts";
import { drawSectionHead } from "./widgets.ts";

/** Where the size of a section's parts is shown, and how many cards come before them and are in them. */
export interface SectionSize {
  element: HTMLElement;
  isLoop: boolean;
  first: number;
  count: number;
  /** Marks anew whether what the section goes by is declared. */
  refreshChip(): void;
}

/** Draws a block: drawNodes gives the cards of a section, countCards how many there are so far, and stateOf what is to be
 * said of a statement. */
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

/** What the head of a loop says: "3 in this sample, 1,891 tokens". */
export function sayLoopSize(size: CardSize | null): string {
  if (!size) return "";
  const change = signed(size.change);
  const words = gettext("{count} in this sample, {tokens} tokens", {
    count: size.count,
    tokens: formatNumber(size.tokens),
  });
  return change ? `${words} ${change}` : words;
}
