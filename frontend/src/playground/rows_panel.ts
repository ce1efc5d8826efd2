// The playground's run over rows of a dataset: from the dialog with the cost to the matrix of replies.
import { gettext, ngettext } from "../language.ts";
import type { Column } from "./columns.ts";
import { openRowsForm } from "./rows_form.ts";
import { RowsRun } from "./rows_run.ts";
import { RowsView } from "./rows_view.ts";
import { describeColumns, type RunServer } from "./server.ts";
import type { RunState } from "./state.ts";
import { followReply } from "./stream.ts";
import type { Run } from "./types.ts";

/** What the panel needs from the playground. */
export interface RowsPanelHost {
  state(): RunState;
  newDatasetUrl: string;
  open(run: Run): void;
  announce(text: string): void;
  /** The run has ended, so the spending has changed. */
  updateSpending(): void;
}

export class RowsPanel {
  readonly #host: RowsPanelHost;
  readonly #server: RunServer;
  readonly #view: RowsView;
  #run: RowsRun | null = null;
  #frame = 0;

  constructor(element: HTMLElement, server: RunServer, host: RowsPanelHost) {
    this.#host = host;
    this.#server = server;
    this.#view = new RowsView(element, {
      open: (run) => host.open(run),
      stop: () => this.stop(),
      close: () => this.#view.hide(),
    });
  }

  /** Opens the dialog for the current columns. */
  open(): void {
    const state = this.#host.state();
    const columns = state.columns;
    const columnSettings = describeColumns(columns, state.document);
    openRowsForm(state.choices?.datasets ?? [], this.#host.newDatasetUrl, {
      plan: (dataset, pick, tag) => this.#server.planRows(columnSettings, dataset, pick, tag),
      run: (plan) => {
        this.stop();
        const server = {
          start: (row: RowsRun["plan"]["rows"][number]) => this.#server.startRow(columnSettings, plan.dataset, row),
          stop: (id: Run["id"]) => this.#server.stopReply(id),
          follow: followReply,
        };
        void this.#start(new RowsRun(plan, columns.map(copyPlan), server, () => this.#drawSoon()));
      },
    });
  }

  /** Stops the run over rows; returns whether there was one. */
  stop(): boolean {
    if (!this.#run || this.#run.isOver) return false;
    this.#run.stop();
    return true;
  }

  async #start(run: RowsRun): Promise<void> {
    this.#run = run;
    this.#view.show(run, this.#host.state());
    this.#host.announce(ngettext("Running {count} row", "Running {count} rows", run.rows.length));
    await run.run();
    if (this.#run !== run) return;
    this.#host.announce(gettext("The run over the rows has ended"));
    this.#host.updateSpending();
  }

  #drawSoon(): void {
    if (this.#frame) return;
    this.#frame = window.requestAnimationFrame(() => {
      this.#frame = 0;
      this.#view.update();
    });
  }
}

const copyPlan = ({ source, model, settings }: Column): Pick<Column, "source" | "model" | "settings"> => ({
  source,
  model,
  settings,
});
