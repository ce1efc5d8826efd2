// The grid of a dataset's rows: what is shown, chosen and edited. The rows themselves change in `edits.ts`.
import { showStatus } from "../app/status.ts";
import { createElement, findElement } from "../dom.ts";
import { gettext, ngettext } from "../language.ts";
import { type CellEditor, type Move, openCellEditor } from "./cell_editor.ts";
import { cellText } from "./cells.ts";
import { openColumn, openNewColumn } from "./column_form.ts";
import { parseClipboard } from "./delimited.ts";
import * as edits from "./edits.ts";
import { listFaults, type ServerFault } from "./faults.ts";
import { type Baseline, countChanges, type Filter, filterRows, makeBaseline, NO_FILTER } from "./filters.ts";
import { type History, pushStep, redoStep, startHistory, undoStep } from "./history.ts";
import { makeRow } from "./rows.ts";
import { clearCells, copyCells, STEPS, selectCells } from "./selection.ts";
import { type CellPlace, drawHead, drawRows } from "./table_view.ts";
import type { Cell, Column, Fault, Grid, GridRow } from "./types.ts";
import { findVisibleRange, rowTops } from "./visible_rows.ts";

/** Draws the grid into its box and answers its keys. `changed` is called after every change of rows or filter. */
export class GridView {
  readonly #box: HTMLElement;
  readonly #table: HTMLTableElement;
  readonly #changed: () => void;
  #history: History;
  #baseline: Baseline;
  #filter: Filter = NO_FILTER;
  #refused: readonly ServerFault[] = [];
  #faults: Map<number, Fault[]> = new Map();
  #shown: readonly GridRow[] = [];
  #tops: number[] = [0];
  #head = 0;
  #ticked = new Set<number>();
  #active: CellPlace | null = null;
  #anchor: CellPlace | null = null;
  #editor: CellEditor | null = null;
  #drawnColumns: readonly Column[] | null = null;
  #drawnRange = "";

  constructor(box: HTMLElement, saved: Grid, grid: Grid, changed: () => void) {
    this.#box = box;
    this.#changed = changed;
    this.#history = startHistory(grid);
    this.#baseline = makeBaseline(saved);
    this.#table = createElement("table", { role: "grid", "aria-label": gettext("Rows"), class: "grid-table" });
    box.replaceChildren(this.#table);
    box.addEventListener("scroll", () => requestAnimationFrame(() => this.#drawBody(false)), { passive: true });
    box.addEventListener("mousedown", (event) => this.#point(event));
    box.addEventListener("dblclick", () => this.#edit());
    box.addEventListener("click", (event) => this.#click(event));
    box.addEventListener("keydown", (event) => this.#press(event));
    for (const kind of ["copy", "cut", "paste"] as const)
      box.addEventListener(kind, (event) => this.#transfer(kind, event));
    new ResizeObserver(() => this.#drawBody(true)).observe(box);
    this.refresh();
  }

  get grid(): Grid {
    return this.#history.grid;
  }

  get faults(): ReadonlyMap<number, readonly Fault[]> {
    return this.#faults;
  }

  get shownCount(): number {
    return this.#shown.length;
  }

  get tickedCount(): number {
    return this.#ticked.size;
  }

  get filter(): Filter {
    return this.#filter;
  }

  get undoWords(): string {
    return this.#history.past.at(-1)?.words ?? "";
  }

  get redoWords(): string {
    return this.#history.future[0]?.words ?? "";
  }

  countChanges(): { added: number; edited: number; removed: number } {
    return countChanges(this.grid, this.#baseline);
  }

  /** Whether the rows differ from those that were loaded. */
  isChanged(): boolean {
    const saved = [...this.#baseline.rows.values()];
    const { rows } = this.grid;
    return rows.length !== saved.length || rows.some((row, index) => row !== saved[index]);
  }

  /** Takes what an open editor holds. */
  closeEditor(): void {
    this.#editor?.close();
  }

  setFilter(change: Partial<Filter>): void {
    this.closeEditor();
    this.#filter = { ...this.#filter, ...change };
    this.#box.scrollTop = 0;
    this.refresh();
  }

  /** Shows faults of the server beside the cells they are of. */
  refuse(faults: readonly ServerFault[]): void {
    this.#refused = faults;
    this.refresh();
  }

  /** Does one step, which can be undone. */
  apply(grid: Grid, words: string): void {
    this.#history = pushStep(this.#history, grid, words);
    this.refresh();
  }

  undo(): void {
    this.closeEditor();
    this.#history = undoStep(this.#history);
    this.refresh();
  }

  redo(): void {
    this.closeEditor();
    this.#history = redoStep(this.#history);
    this.refresh();
  }

  addRow(): void {
    const row = makeRow();
    this.#filter = NO_FILTER;
    this.apply(edits.insertRows(this.grid, this.grid.rows.length, [row]), gettext("add row"));
    const column = this.grid.columns[1] ?? this.grid.columns[0];
    if (column) this.#activate({ row: row.key, column: column.key }, false);
  }

  /** Duplicates the ticked rows, or without any the row of the chosen cell. */
  duplicateRows(): void {
    const keys = this.#chosenRows();
    if (keys.size) this.apply(edits.duplicateRows(this.grid, keys), gettext("duplicate rows"));
  }

  removeRows(): void {
    const keys = this.#chosenRows();
    if (!keys.size) return;
    this.#ticked.clear();
    this.apply(edits.removeRows(this.grid, keys), gettext("remove rows"));
    showStatus(ngettext("{count} row removed.", "{count} rows removed.", keys.size), () => this.undo());
  }

  addColumn(): void {
    openNewColumn(({ section, name, kind }) => {
      const problem = edits.findNameProblem(this.grid, section, name);
      if (!problem) this.apply(edits.addColumn(this.grid, section, name, kind), gettext("add column"));
      return problem;
    });
  }

  /** Draws everything anew from the rows and the filter. */
  refresh(): void {
    const { grid } = this;
    this.#faults = listFaults(grid, this.#refused);
    this.#shown = filterRows(grid, this.#filter, this.#baseline, this.#faults);
    const keys = new Set(grid.rows.map((row) => row.key));
    for (const key of this.#ticked) if (!keys.has(key)) this.#ticked.delete(key);
    const shown = this.#shown;
    this.#tops = rowTops(shown.length, (index) => this.#faults.has(shown[index]?.key ?? 0));
    const isActiveShown =
      shown.some((row) => row.key === this.#active?.row) &&
      grid.columns.some((one) => one.key === this.#active?.column);
    const [row, column] = [shown[0], grid.columns[1] ?? grid.columns[0]];
    if (!isActiveShown) this.#active = this.#anchor = row && column ? { row: row.key, column: column.key } : null;
    this.#drawHead();
    this.#drawBody(true);
    this.#changed();
  }

  #chosenRows(): ReadonlySet<number> {
    if (this.#ticked.size) return new Set(this.#ticked);
    return new Set(this.#active ? [this.#active.row] : []);
  }

  #drawHead(): void {
    const { columns } = this.grid;
    if (this.#drawnColumns !== columns) {
      this.#drawnColumns = columns;
      const { group, head, width } = drawHead(columns);
      this.#table.replaceChildren(group, head, createElement("tbody"));
      this.#table.style.width = `${width}px`;
      this.#table.setAttribute("aria-colcount", String(columns.length + 1));
      this.#head = head.offsetHeight;
    }
    this.#table.setAttribute("aria-rowcount", String(this.#shown.length + 1));
  }

  #drawBody(isForced: boolean): void {
    const range = findVisibleRange(this.#tops, Math.max(0, this.#box.scrollTop - this.#head), this.#box.clientHeight);
    const key = `${range.first}-${range.end}`;
    if (!isForced && key === this.#drawnRange) return;
    this.#drawnRange = key;
    const hadFocus = this.#table.contains(document.activeElement) && document.activeElement?.closest("tbody");
    const facts = {
      columns: this.grid.columns,
      baseline: this.#baseline,
      faults: this.#faults,
      ticked: this.#ticked,
      active: this.#active,
      isSelected: this.#selection(),
    };
    findElement(this.#table, "tbody").replaceChildren(...drawRows(this.#shown, range, facts));
    if (hadFocus) (this.#activeCell() ?? this.#box).focus({ preventScroll: true });
  }

  #activeCell(): HTMLElement | null {
    if (!this.#active) return null;
    const row = this.#table.querySelector(`[data-row="${this.#active.row}"]`);
    return row?.querySelector<HTMLElement>(`[data-column="${CSS.escape(this.#active.column)}"]`) ?? null;
  }

  #selection(): (place: CellPlace) => boolean {
    return selectCells(this.#shown, this.grid.columns, this.#active, this.#anchor);
  }

  #activate(place: CellPlace, isExtended: boolean): void {
    this.#active = place;
    if (!isExtended || !this.#anchor) this.#anchor = place;
    this.#reveal();
    this.#drawBody(true);
    const cell = this.#activeCell();
    cell?.scrollIntoView({ block: "nearest", inline: "nearest" });
    cell?.focus({ preventScroll: true });
  }

  /** Scrolls so far that the row of the chosen cell is drawn. */
  #reveal(): void {
    const index = this.#shown.findIndex((row) => row.key === this.#active?.row);
    if (index < 0) return;
    const [top, bottom] = [this.#tops[index] ?? 0, this.#tops[index + 1] ?? 0];
    const height = this.#box.clientHeight - this.#head;
    if (top < this.#box.scrollTop) this.#box.scrollTop = top;
    else if (bottom > this.#box.scrollTop + height) this.#box.scrollTop = bottom - height;
  }

  #point(event: MouseEvent): void {
    const cell = (event.target as Element).closest<HTMLElement>("[data-column]");
    const row = cell?.closest<HTMLElement>("[data-row]")?.dataset.row;
    if (!cell || !row || event.button !== 0) return;
    event.preventDefault();
    this.closeEditor();
    this.#activate({ row: Number(row), column: cell.dataset.column ?? "" }, event.shiftKey);
  }

  #click(event: MouseEvent): void {
    const target = event.target as Element;
    const tick = target.closest<HTMLInputElement>("[data-tick]");
    if (tick) this.#tick(Number(tick.dataset.tick), tick.checked);
    const key = target.closest<HTMLElement>("[data-edit-column]")?.dataset.editColumn;
    const column = this.grid.columns.find((one) => one.key === key);
    if (column) this.#openColumn(column);
  }

  #tick(row: number, isOn: boolean): void {
    if (isOn) this.#ticked.add(row);
    else this.#ticked.delete(row);
    this.#drawBody(true);
    this.#changed();
  }

  #openColumn(column: Column): void {
    openColumn(column, (change) => {
      if (change.do === "duplicate")
        this.apply(edits.duplicateColumn(this.grid, column.key), gettext("duplicate column"));
      else if (change.do === "remove") {
        this.apply(edits.removeColumn(this.grid, column.key), gettext("remove column"));
        showStatus(gettext("Column {name} removed.", { name: column.name }), () => this.undo());
      } else {
        const problem = edits.findNameProblem(this.grid, column.section, change.name, column.key);
        if (problem) return problem;
        const grid = edits.changeKind(this.grid, column.key, change.kind);
        this.apply(edits.renameColumn(grid, column.key, change.name), gettext("change column"));
      }
      return "";
    });
  }

  #press(event: KeyboardEvent): void {
    const isCell = (event.target as Element).closest("tbody [data-column]") || event.target === this.#box;
    if (!isCell || !this.#active || event.isComposing) return;
    if (event.ctrlKey || event.metaKey) {
      if (event.key === "z" || event.key === "Z" || event.key === "y") {
        event.preventDefault();
        if (event.key === "z") this.undo();
        else this.redo();
      }
      return;
    }
    const step = STEPS[event.key];
    if (step) this.#move(step, event.shiftKey);
    else if (event.key === "Enter" || event.key === "F2") this.#edit();
    else if (event.key === "Delete" || event.key === "Backspace") this.#clear();
    else if (event.key === " ") this.#tick(this.#active.row, !this.#ticked.has(this.#active.row));
    else if (event.key.length === 1 && !event.altKey) this.#edit(event.key);
    else return;
    event.preventDefault();
    event.stopPropagation(); // or the page's own single-letter keys answer too
  }

  #move([rows, columns]: readonly [number, number], isExtended: boolean): void {
    const at = this.#shown.findIndex((row) => row.key === this.#active?.row);
    const across = this.grid.columns.findIndex((one) => one.key === this.#active?.column);
    const within = (value: number, count: number): number => Math.max(0, Math.min(count - 1, value));
    const row = this.#shown[within(at + rows, this.#shown.length)];
    const column = this.grid.columns[within(across + columns, this.grid.columns.length)];
    if (row && column) this.#activate({ row: row.key, column: column.key }, isExtended);
  }

  #edit(typed?: string): void {
    const place = this.#active;
    if (!place || this.#editor) return;
    this.#reveal();
    this.#drawBody(false);
    const [target, row] = [this.#activeCell(), this.grid.rows.find((one) => one.key === place.row)];
    const column = this.grid.columns.find((one) => one.key === place.column);
    if (!target || !row || !column) return;
    const name = cellText(row.cells.id, "text") || gettext("row {number}", { number: this.#shown.indexOf(row) + 1 });
    this.#editor = openCellEditor({
      box: this.#box,
      target,
      column,
      cell: row.cells[column.key],
      label: `${name}, ${column.name}`,
      ...(typed === undefined ? {} : { typed }),
      commit: (cell, move) => this.#take(place, row.cells[column.key], cell, move),
      cancel: () => {
        this.#editor = null;
        this.#activeCell()?.focus({ preventScroll: true });
      },
    });
  }

  #take(place: CellPlace, was: Cell | undefined, cell: Cell | undefined, move: Move): void {
    this.#editor = null;
    if (cell !== was) this.apply(edits.setCells(this.grid, [{ ...place, cell }]), gettext("edit"));
    if (move === "stay") return;
    this.#activate(place, false);
    this.#move({ down: [1, 0], right: [0, 1], left: [0, -1] }[move] as [number, number], false);
  }

  #clear(): void {
    const cleared = clearCells(this.#shown, this.grid.columns, this.#selection());
    if (cleared.length) this.apply(edits.setCells(this.grid, cleared), gettext("clear cells"));
  }

  #transfer(kind: "copy" | "cut" | "paste", event: ClipboardEvent): void {
    const isCell = (event.target as Element).closest("tbody [data-column]") || event.target === this.#box;
    if (!isCell || !event.clipboardData) return;
    event.preventDefault();
    if (kind === "paste") this.#paste(event.clipboardData.getData("text/plain"));
    else {
      const text = copyCells(this.#shown, this.grid.columns, this.#selection());
      event.clipboardData.setData("text/plain", text);
      if (kind === "cut") this.#clear();
    }
  }

  #paste(text: string): void {
    const table = parseClipboard(text);
    if (!table.length || !this.#active) return;
    const visible = this.#shown.map((row) => row.key);
    this.apply(edits.pasteTable(this.grid, visible, this.#active, table), gettext("paste"));
    showStatus(ngettext("{count} row pasted.", "{count} rows pasted.", table.length), () => this.undo());
  }
}
