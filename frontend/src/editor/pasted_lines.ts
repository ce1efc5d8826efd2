// Several lines pasted into an item of a list.
import { createElement } from "../dom.ts";
import { gettext } from "../language.ts";

/** The non-blank lines of a text. */
export const splitPastedLines = (text: string): string[] =>
  text
    .split(/\r\n?|\n/)
    .map((line) => line.trim())
    .filter(Boolean);

/** Asks below an item with several pasted lines whether each of them is an item. */
export function offerSplitting(area: HTMLTextAreaElement, lines: string[], split: () => void): void {
  const row = area.closest<HTMLElement>(".list-row");
  row?.parentElement?.querySelector(".list-question")?.remove();
  const several = createElement(
    "button",
    { type: "button", class: "button button-small" },
    gettext("Add as {count} items", { count: lines.length }),
  );
  const one = createElement(
    "button",
    { type: "button", class: "button button-quiet button-small" },
    gettext("Keep as 1"),
  );
  const question = createElement(
    "div",
    { class: "list-question", role: "status" },
    createElement("span", {}, gettext("Pasted {count} lines.", { count: lines.length })),
    several,
    one,
  );
  several.addEventListener("click", split);
  one.addEventListener("click", () => {
    question.remove();
    area.focus();
  });
  row?.after(question);
}
