// Selects in the bar above the grid: filter by tag, or by value of a column with choices.
import { createElement, createIcon } from "../dom.ts";
import { gettext } from "../language.ts";
import type { Filter } from "./filters.ts";
import { listTags } from "./tags.ts";
import type { Column, Grid, GridRow } from "./types.ts";

const MAX_SELECTS = 3;
const tagsOfRows = new WeakMap<readonly GridRow[], string[]>();

export interface FilterSelect {
  /** The column's key. */
  key: string;
  name: string;
  values: readonly string[];
}

/** The tags of the rows, and the columns with choices, those of expected outputs first. */
export function listFilterSelects(grid: Grid): FilterSelect[] {
  const tags = tagsOfRows.get(grid.rows) ?? listTags(grid.rows);
  tagsOfRows.set(grid.rows, tags);
  const choices = grid.columns.filter((column) => column.choices?.length);
  const ordered = [...choices.filter(isExpected), ...choices.filter((column) => !isExpected(column))];
  const selects = ordered.map(({ key, name, choices: values = [] }) => ({ key, name, values }));
  return [...(tags.length ? [{ key: "tags", name: gettext("Tag"), values: tags }] : []), ...selects].slice(
    0,
    MAX_SELECTS,
  );
}

const isExpected = (column: Column): boolean => column.section === "expected";

/** Draws the selects, and redraws them only if their options changed. */
export function drawFilterSelects(container: HTMLElement, grid: Grid, picks: Filter["picks"]): void {
  const selects = listFilterSelects(grid);
  const drawing = JSON.stringify(selects);
  if (container.dataset.drawn !== drawing) {
    container.dataset.drawn = drawing;
    container.replaceChildren(...selects.map(drawSelect));
  }
  for (const select of container.querySelectorAll("select")) select.value = picks[select.dataset.pick ?? ""] ?? "";
}

function drawSelect({ key, name, values }: FilterSelect): HTMLElement {
  const options = values.map((value) => createElement("option", { value }, value));
  const any = createElement("option", { value: "" }, gettext("{name}: any", { name }));
  const select = createElement("select", { "data-pick": key, "aria-label": name }, any, ...options);
  const icon = createIcon("chevrons-up-down");
  icon.classList.add("icon-small");
  return createElement("span", { class: "select" }, select, icon);
}

/** The selections after a change, without those of columns that no longer have a select. */
export function readPicks(container: HTMLElement): Record<string, string> {
  const selects = [...container.querySelectorAll("select")].filter((select) => select.value);
  return Object.fromEntries(selects.map((select) => [select.dataset.pick ?? "", select.value]));
}
