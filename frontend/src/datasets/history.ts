// The undo and redo steps of a grid.
import type { Grid } from "./types.ts";

interface Step {
  grid: Grid;
  /** The step from this grid to the next: "edit", "paste". */
  description: string;
}

export interface History {
  grid: Grid;
  past: readonly Step[];
  future: readonly Step[];
}

const MAX_STEPS = 200;

export const startHistory = (grid: Grid): History => ({ grid, past: [], future: [] });

export function pushStep(history: History, grid: Grid, description: string): History {
  if (grid === history.grid) return history;
  return { grid, past: [...history.past, { grid: history.grid, description }].slice(-MAX_STEPS), future: [] };
}

export function undoStep(history: History): History {
  const step = history.past.at(-1);
  if (!step) return history;
  const future = [{ grid: history.grid, description: step.description }, ...history.future];
  return { grid: step.grid, past: history.past.slice(0, -1), future };
}

export function redoStep(history: History): History {
  const [step, ...future] = history.future;
  if (!step) return history;
  return { grid: step.grid, past: [...history.past, { grid: history.grid, description: step.description }], future };
}
