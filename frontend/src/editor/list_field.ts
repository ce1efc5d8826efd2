// The field of a list of texts.
import { createElement, createIcon } from "../dom.ts";
import { gettext, ngettext } from "../language.ts";
import type { Json, ValueStore } from "./types.ts";

/** The items of a list of texts, one field each, with the first of them in the closed head. */
export function drawList(store: ValueStore, path: string[], id: string, showFacts: () => void): HTMLElement {
  const items = ((store.read(path) as Json[] | undefined) ?? []).map(String);
  const first = items[0] ?? "";
  const summary = createElement("summary", { class: "list-head" });
  const tell = (): void => {
    const head = items[0]
      ? `${[...items[0]].slice(0, 40).join("")}${[...items[0]].length > 40 ? "…" : ""}`
      : gettext("none yet");
    const more =
      items.length > 1
        ? gettext("and {count} more", { count: items.length - 1 })
        : ngettext("{count} item", "{count} items", items.length);
    summary.replaceChildren(
      createElement("span", { class: "list-first", dir: "auto" }, head),
      createElement("span", { class: "note" }, more),
    );
  };
  const rows = createElement("div", { class: "list-rows" });
  const draw = (): void => {
    rows.replaceChildren(
      ...items.map((item, index) => {
        const area = createElement("textarea", {
          rows: 2,
          dir: "auto",
          spellcheck: "false",
          "aria-label": gettext("{name}, item {number}", { name: path.join("."), number: index + 1 }),
        });
        area.value = item;
        area.addEventListener("input", () => {
          items[index] = area.value;
          tell();
          store.write(path, [...items]);
          showFacts();
        });
        const askPasted = (lines: string[]): void =>
          askHowMany(area, lines, () => {
            items.splice(index, 1, ...lines);
            draw();
            tell();
            store.write(path, [...items]);
            rows.querySelectorAll("textarea")[index + lines.length - 1]?.focus();
          });
        area.addEventListener("paste", (event) => {
          const pasted = event.clipboardData?.getData("text/plain") ?? "";
          const lines = linesOf(pasted);
          if (lines.length < 2) return;
          // The field has the text after the browser pasted it; what stood there before keeps the item as it is.
          window.setTimeout(() => {
            if (linesOf(area.value).join("\n") === lines.join("\n")) askPasted(lines);
          });
        });
        const drop = createElement("button", {
          type: "button",
          class: "icon-button",
          "aria-label": gettext("Remove item {number}", { number: index + 1 }),
        });
        drop.append(createIcon("x"));
        drop.addEventListener("click", () => {
          items.splice(index, 1);
          draw();
          tell();
          store.write(path, [...items]);
        });
        return createElement("div", { class: "list-row" }, area, drop);
      }),
    );
    const add = createElement("button", { type: "button", class: "button button-small" }, gettext("Add an item"));
    add.addEventListener("click", () => {
      items.push("");
      draw();
      tell();
      store.write(path, [...items]);
      rows.querySelectorAll("textarea")[items.length - 1]?.focus();
    });
    rows.append(add);
  };
  tell();
  draw();
  const box = createElement("details", { class: "list", id }, summary, rows);
  box.open = items.length === 1 && first.length < 80;
  return createElement("div", { role: "group" }, box);
}

const linesOf = (text: string): string[] =>
  text
    .split(/\r\n?|\n/)
    .map((line) => line.trim())
    .filter(Boolean);

/** Asks under an item, which several lines were pasted into, whether each of them is an item. */
function askHowMany(area: HTMLTextAreaElement, lines: string[], split: () => void): void {
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
