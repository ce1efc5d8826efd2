// The bars above and below the grid: counts of ticked and filtered rows, and their actions.
import { createElement, findElement } from "../dom.ts";
import { gettext, ngettext } from "../language.ts";
import type { Filter } from "./filters.ts";
import type { Column } from "./types.ts";

/** How many rows are ticked, and how many of these are hidden by the filter. */
export interface TickedCounts {
  all: number;
  hidden: number;
}

/** Shows the actions for ticked rows instead of those for the current row. */
export function showBulkBar(section: HTMLElement, ticked: TickedCounts, shownCount: number): void {
  findElement(section, "[data-row-acts]").hidden = ticked.all > 0;
  findElement(section, "[data-bulk-bar]").hidden = ticked.all === 0;
  const count = ngettext("{count} row ticked", "{count} rows ticked", ticked.all);
  const hidden = ngettext("{count} of them not shown", "{count} of them not shown", ticked.hidden);
  findElement(section, "[data-bulk-count]").textContent = ticked.hidden ? `${count}, ${hidden}` : count;
  const tickAll = findElement(section, "[data-act=tick-shown]");
  tickAll.hidden = ticked.all - ticked.hidden >= shownCount;
  const tickWords = ngettext("Tick the {count} row shown", "Tick all {count} rows shown", shownCount);
  findElement(tickAll, "span").textContent = tickAll.title = tickWords;
}

/** Says that the filter matches no rows, with a button that clears it. */
export function showNoMatch(section: HTMLElement, filter: Filter, isShown: boolean): void {
  const query = filter.query.trim();
  const sentence = query ? gettext("No rows match {words}.", { words: query }) : gettext("No rows match.");
  findElement(section, "[data-no-match-text]").textContent = isShown ? sentence : "";
  findElement(section, "[data-no-match]").hidden = !isShown;
}

/** The changes of the next version, without a full stop; empty for none. */
export function describeChanges({ added, edited, removed }: Record<"added" | "edited" | "removed", number>): string {
  return [
    added ? ngettext("{count} row added", "{count} rows added", added) : "",
    edited ? ngettext("{count} row changed", "{count} rows changed", edited) : "",
    removed ? ngettext("{count} row removed", "{count} rows removed", removed) : "",
  ]
    .filter(Boolean)
    .join(", ");
}

/** Shows next to the save button what the next version changes, and what has to be fixed first. */
export function showSaveLine(line: HTMLElement, changes: string, faultyRows: number): void {
  const fix = ngettext("Fix {count} row to save.", "Fix {count} rows to save.", faultyRows);
  line.replaceChildren(
    changes ? gettext("{changes}, not saved.", { changes }) : gettext("No changes."),
    ...(faultyRows ? [" ", createElement("span", { class: "bad" }, fix)] : []),
  );
}

/** Labels the undo and redo buttons with their steps. */
export function nameSteps(section: HTMLElement, undo: string, redo: string): void {
  const undoName = undo ? gettext("Undo {step} ({keys})", { step: undo, keys: "Ctrl Z" }) : gettext("Nothing to undo");
  const redoName = redo
    ? gettext("Redo {step} ({keys})", { step: redo, keys: "Ctrl Shift Z" })
    : gettext("Nothing to redo");
  nameStep(findElement(section, "[data-act=undo]"), undoName, undo !== "");
  nameStep(findElement(section, "[data-act=redo]"), redoName, redo !== "");
}

function nameStep(button: HTMLElement, name: string, isPossible: boolean): void {
  button.setAttribute("aria-disabled", String(!isPossible));
  button.setAttribute("aria-label", name);
  button.title = name;
}

/** Lists the grid's columns for the search, with the selected one, empty for all. */
export function listSearchColumns(select: HTMLSelectElement, columns: readonly Column[], chosen: string): void {
  const options = columns.map((column) => {
    const name = column.section === "expected" ? gettext("expected {name}", { name: column.name }) : column.name;
    return createElement("option", { value: column.key }, name);
  });
  select.replaceChildren(createElement("option", { value: "" }, gettext("all columns")), ...options);
  select.value = chosen;
}
