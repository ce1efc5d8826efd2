// What stands above and below the rows as they are ticked and filtered.
import { findElement } from "../dom.ts";
import { gettext, ngettext } from "../language.ts";
import type { Filter } from "./filters.ts";

/** Shows the acts for ticked rows in place of those for the chosen row. */
export function showBulkBar(section: HTMLElement, tickedCount: number, shownCount: number): void {
  findElement(section, "[data-row-acts]").hidden = tickedCount > 0;
  findElement(section, "[data-bulk-bar]").hidden = tickedCount === 0;
  findElement(section, "[data-bulk-count]").textContent = ngettext(
    "{count} row ticked",
    "{count} rows ticked",
    tickedCount,
  );
  const tickAll = findElement(section, "[data-act=tick-shown]");
  tickAll.hidden = tickedCount >= shownCount;
  tickAll.textContent = ngettext("Tick the {count} row shown", "Tick all {count} rows shown", shownCount);
}

/** Says that the search or the chosen kind of rows leaves none, with a button that clears both. */
export function showNoMatch(section: HTMLElement, filter: Filter, isShown: boolean): void {
  const words = filter.words.trim();
  const sentence = words ? gettext("No rows match {words}.", { words }) : gettext("No rows match.");
  findElement(section, "[data-no-match-words]").textContent = isShown ? sentence : "";
  findElement(section, "[data-no-match]").hidden = !isShown;
}
