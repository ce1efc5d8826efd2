// The grid of a dataset's rows: display, selection and editing. Changes of the rows are in `edits.ts`.
import { gettext } from "../language.ts";
import type { TickedCounts } from "./bar_view.ts";
import { type CellView, clearSelection, type Transfer, transferCells } from "./cell_acts.ts";
import type { CellEditor, Move } from "./cell_editor.ts";
import { openCell } from "./cell_opening.ts";
import { readCellText } from "./cells.ts";
import { editColumn } from "./column_changes.ts";
import * as edits from "./edits.ts";
import { listFaults, type ServerFault } from "./faults.ts";
import { type Baseline, countChanges, type Filter, haveRowsChanged, makeBaseline, NO_FILTER } from "./filters.ts";
import { pressKey } from "./grid_keys.ts";
import { GridTable } from "./grid_table.ts";
import type { HiddenColumns } from "./hidden_columns.ts";
import { type History, pushStep, redoStep, startHistory, undoStep } from "./history.ts";
import { putBackRow } from "./removed_rows.ts";
import { makeRow } from "./rows.ts";
import { findNeighbour, findPlace, selectCells } from "./selection.ts";
import { findShownCells, keepPlace, NO_CELLS, type ShownCells } from "./shown_cells.ts";
import type { CellPlace } from "./table_view.ts";
import { listTags } from "./tags.ts";
import type { Cell, Column, Fault, Grid, GridRow } from "./types.ts";

/** Draws the grid into its box and handles its keys. `changed` is called after every change of rows or filter. */
export class GridView {
  readonly #box: HTMLElement;
  readonly #table: GridTable;
  readonly #changed: () => void;
  readonly hidden: HiddenColumns;
  mapPasted: CellView["mapPasted"] = () => {};
  #history: History;
  #baseline: Baseline;
  #filter: Filter = NO_FILTER;
  #refused: readonly ServerFault[] = [];
  #faults: Map<number, Fault[]> = new Map();
  #shown: ShownCells = NO_CELLS;
  #ticked = new Set<number>();
  #active: CellPlace | null = null;
  #anchor: CellPlace | null = null;
  #editor: CellEditor | null = null;

  constructor(box: HTMLElement, saved: Grid, grid: Grid, hidden: HiddenColumns, changed: () => void) {
    this.hidden = hidden;
    this.#box = box;
    this.#changed = changed;
    this.#history = startHistory(grid);
    this.#baseline = makeBaseline(saved);
    this.#table = new GridTable(box);
    box.addEventListener("scroll", () => requestAnimationFrame(() => this.#draw(false)), { passive: true });
    box.addEventListener("mousedown", (event) => this.#point(event));
    box.addEventListener("click", (event) => this.#click(event));
    box.addEventListener("keydown", (event) => this.#press(event));
    for (const kind of ["copy", "cut", "paste"] as const)
      box.addEventListener(kind, (event) => this.#transfer(kind, event));
    new ResizeObserver(() => this.#draw(true)).observe(box);
    this.refresh();
  }

  get grid(): Grid {
    return this.#history.grid;
  }

  /** The visible columns. */
  get columns(): readonly Column[] {
    return this.#shown.columns;
  }

  get faults(): ReadonlyMap<number, readonly Fault[]> {
    return this.#faults;
  }

  get shownCount(): number {
    return this.#shown.rows.length;
  }

  get tickedCounts(): TickedCounts {
    const shownCount = this.#shown.rows.filter((row) => this.#ticked.has(row.key)).length;
    return { all: this.#ticked.size, hidden: this.#ticked.size - shownCount };
  }

  get filter(): Filter {
    return this.#filter;
  }

  get undoWords(): string {
    return this.#history.past.at(-1)?.description ?? "";
  }

  get redoWords(): string {
    return this.#history.future[0]?.description ?? "";
  }

  countChanges(): { added: number; edited: number; removed: number } {
    return countChanges(this.grid, this.#baseline);
  }

  /** Whether the rows differ from those that were loaded. */
  isChanged(): boolean {
    return haveRowsChanged(this.grid, this.#baseline);
  }

  /** Saves the content of an open editor. */
  closeEditor(): void {
    this.#editor?.close();
  }

  setFilter(change: Partial<Filter>): void {
    this.closeEditor();
    this.#filter = { ...this.#filter, ...change };
    this.#box.scrollTop = 0;
    this.refresh();
  }

  /** Shows the server's faults at their cells. */
  refuse(faults: readonly ServerFault[]): void {
    this.#refused = faults;
    this.refresh();
  }

  /** Applies one undoable step. */
  apply(grid: Grid, description: string): void {
    this.#history = pushStep(this.#history, grid, description);
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
    const column = this.columns[1] ?? this.columns[0];
    if (column) this.#activate({ row: row.key, column: column.key }, false);
  }

  /** Ticks every row that matches the filter. */
  tickShown(): void {
    this.#ticked = new Set(this.#shown.rows.map((row) => row.key));
    this.refresh();
  }

  untickAll(): void {
    this.#ticked.clear();
    this.refresh();
  }

  /** The keys of the ticked rows, or of the current cell's row if none is ticked. */
  listChosenRows(): ReadonlySet<number> {
    if (this.#ticked.size) return new Set(this.#ticked);
    return new Set(this.#active ? [this.#active.row] : []);
  }

  /** Redraws everything from the rows and the filter. */
  refresh(): void {
    const { grid } = this;
    this.#faults = listFaults(grid, this.#refused);
    const by = { filter: this.#filter, baseline: this.#baseline, faults: this.#faults };
    this.#shown = findShownCells(grid, this.hidden.without(grid.columns), by, this.#shown);
    const keys = new Set(grid.rows.map((row) => row.key));
    for (const key of this.#ticked) if (!keys.has(key)) this.#ticked.delete(key);
    const { drawn, columns } = this.#shown;
    this.#table.update(drawn, this.#faults);
    const active = keepPlace(this.#shown, this.#active);
    if (active !== this.#active) this.#active = this.#anchor = active;
    this.#table.drawHead(columns);
    this.#draw(true);
    this.#changed();
  }

  #draw(isForced: boolean): void {
    const facts = {
      columns: this.columns,
      allColumns: this.grid.columns,
      removed: this.#shown.removed,
      baseline: this.#baseline,
      faults: this.#faults,
      ticked: this.#ticked,
      active: this.#active,
      isSelected: this.#selection(),
    };
    this.#table.drawBody(facts, isForced);
  }

  #selection(): (place: CellPlace) => boolean {
    return selectCells(this.#shown.rows, this.columns, this.#active, this.#anchor);
  }

  #activate(place: CellPlace, isExtended: boolean): void {
    this.#active = place;
    if (!isExtended || !this.#anchor) this.#anchor = place;
    this.#table.reveal(this.#active);
    this.#draw(true);
    const cell = this.#table.findCell(this.#active);
    cell?.scrollIntoView({ block: "nearest", inline: "nearest" });
    cell?.focus({ preventScroll: true });
  }

  #point(event: MouseEvent): void {
    const place = findPlace(event.target as Element);
    if (!place || event.button !== 0) return;
    event.preventDefault();
    this.closeEditor();
    this.#activate(place, event.shiftKey);
    if (event.detail === 2) this.#edit(); // the cell was redrawn, so no dblclick event fires
  }

  #click(event: MouseEvent): void {
    const target = event.target as Element;
    const tick = target.closest<HTMLInputElement>("[data-tick]");
    if (tick) this.#tick(Number(tick.dataset.tick), tick.checked);
    const back = target.closest<HTMLElement>("[data-put-back]")?.dataset.putBack;
    if (back) this.apply(putBackRow(this.grid, Number(back), this.#baseline), gettext("put row back"));
    const key = target.closest<HTMLElement>("[data-edit-column]")?.dataset.editColumn;
    const column = this.grid.columns.find((one) => one.key === key);
    if (column) editColumn(this, column);
  }

  #tick(row: number, isOn: boolean): void {
    if (isOn) this.#ticked.add(row);
    else this.#ticked.delete(row);
    this.#draw(true);
    this.#changed();
  }

  #press(event: KeyboardEvent): void {
    const isCell = (event.target as Element).matches("tbody [data-column]") || event.target === this.#box;
    const place = this.#active;
    if (!isCell || !place || event.isComposing) return;
    pressKey(event, {
      undo: () => this.undo(),
      redo: () => this.redo(),
      move: (step, isExtended) => this.#move(step, isExtended),
      edit: (typed) => this.#edit(typed),
      clear: () => clearSelection(this, this.#shown.rows, this.#selection()),
      tick: () => this.#tick(place.row, !this.#ticked.has(place.row)),
    });
  }

  #move(step: readonly [number, number], isExtended: boolean): void {
    const place = findNeighbour(this.#shown.rows, this.columns, this.#active, step);
    if (place) this.#activate(place, isExtended);
  }

  #edit(typed?: string): void {
    const place = this.#active;
    if (!place || this.#editor) return;
    this.#table.reveal(this.#active);
    this.#draw(false);
    const [target, row] = [this.#table.findCell(this.#active), this.grid.rows.find((one) => one.key === place.row)];
    const column = this.grid.columns.find((one) => one.key === place.column);
    if (!target || !row || !column) return;
    const name =
      readCellText(row.cells.id, "text") || gettext("row {number}", { number: this.#shown.rows.indexOf(row) + 1 });
    const options = {
      box: this.#box,
      target,
      findTarget: () => this.#table.findCell(place),
      knownTags: listTags(this.grid.rows),
      column,
      cell: row.cells[column.key],
      label: `${name}, ${column.name}`,
      ...(typed === undefined ? {} : { typed }),
      commit: (cell: Cell | undefined, move: Move) => this.#handleEdit(place, row, cell, move),
      cancel: () => {
        this.#editor = null;
        this.#table.findCell(this.#active)?.focus({ preventScroll: true });
      },
    };
    openCell(options, (editor) => {
      this.#editor = editor;
    });
  }

  #handleEdit(place: CellPlace, row: GridRow, cell: Cell | undefined, move: Move): void {
    this.#editor = null;
    const before = this.grid.rows.find((one) => one.key === row.key)?.cells[place.column];
    if (cell !== before) this.apply(edits.setCells(this.grid, [{ ...place, cell }]), gettext("edit"));
    if (move === "stay") return;
    this.#activate(place, false);
    this.#move({ down: [1, 0], right: [0, 1], left: [0, -1] }[move] as [number, number], false);
  }

  #transfer(kind: Transfer, event: ClipboardEvent): void {
    const isCell = (event.target as Element).closest("tbody [data-column]") || event.target === this.#box;
    if (!isCell || !event.clipboardData) return;
    event.preventDefault();
    transferCells(this, kind, event.clipboardData, this.#shown.rows, this.#active, this.#selection());
  }
}
