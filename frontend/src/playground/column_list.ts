// The columns of the playground side by side: one view for each column of the state, in order.
import { ColumnView } from "./column_view.ts";
import type { RunState } from "./state.ts";

type ColumnActions = ConstructorParameters<typeof ColumnView>[1];

export class ColumnList {
  readonly #container: HTMLElement;
  readonly #actions: ColumnActions;
  readonly #views = new Map<number, ColumnView>();

  constructor(container: HTMLElement, actions: ColumnActions) {
    this.#container = container;
    this.#actions = actions;
  }

  /** Adds, removes and updates the views to match the columns. */
  update(state: RunState): void {
    for (const [key, view] of this.#views) {
      if (state.columns.some((column) => column.key === key)) continue;
      view.element.remove();
      this.#views.delete(key);
    }
    for (const column of state.columns) {
      let view = this.#views.get(column.key);
      if (!view) {
        view = new ColumnView(column.key, this.#actions);
        this.#views.set(column.key, view);
        this.#container.append(view.element);
      }
      view.update(state, column);
    }
    this.#container.dataset.count = String(state.columns.length);
  }

  scrollIntoView(): void {
    this.#container.scrollIntoView({ block: "nearest" });
  }
}
