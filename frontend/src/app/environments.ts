// The environments page: labels to choose from as pills; on a phone, rows that need action come first within their
// namespace, and rows with nothing to promote are folded.
import { findElement } from "../dom.ts";

const PHONE = "(width < 720px)";
/** Whether templates are stacked cards. */
export const isPhone = (): boolean => matchMedia(PHONE).matches;

let isUnfolded = false; // for as long as this page is open, even if its table is swapped

/** Follows the label selects. */
export function installEnvironments(): void {
  document.addEventListener("change", (event) => {
    const select = (event.target as Element).closest<HTMLElement>("[data-label-select]");
    if (select) showPill(select);
  });
  matchMedia(PHONE).addEventListener("change", sortRows);
  showEnvironments();
}

/** Shows the pills and folds the current table. */
export function showEnvironments(): void {
  for (const select of document.querySelectorAll<HTMLElement>("[data-label-select]")) showPill(select);
  if (isPhone()) sortRows();
  const table = document.querySelector<HTMLElement>("[data-folds]");
  if (table && !isUnfolded) foldRows(table);
}

/** Sorts the rows of each namespace: on a phone by urgency, else by name. */
function sortRows(): void {
  const readPlace = (row: HTMLElement): number => Number(row.dataset.place);
  for (const body of document.querySelectorAll(".environments-table tbody")) {
    const rows = [...body.querySelectorAll<HTMLElement>("[data-row]")];
    for (const [at, row] of rows.entries()) row.dataset.place ??= String(at);
    const rank = (row: HTMLElement): number => (isPhone() ? Number(row.dataset.rank) : 0);
    rows.sort((one, other) => rank(one) - rank(other) || readPlace(one) - readPlace(other));
    body.append(...rows);
  }
}

function showPill(select: HTMLElement): void {
  const chosen = findElement<HTMLSelectElement>(select, "select").value;
  for (const pill of select.querySelectorAll<HTMLElement>("[data-label]")) pill.hidden = pill.dataset.label !== chosen;
  select.classList.add("has-pill");
}

function foldRows(table: HTMLElement): void {
  const note = findElement(document, "[data-settled]");
  const rows = [...table.querySelectorAll<HTMLElement>(".is-settled")];
  table.classList.add("is-folded");
  note.hidden = false;
  findElement(note, "button").addEventListener("click", () => {
    isUnfolded = true;
    table.classList.remove("is-folded");
    note.hidden = true;
    rows[0]?.querySelector("a")?.focus();
  });
}
