// The keys of the grid's cells.
import { STEPS } from "./selection.ts";

/** The actions of the keys on the current cell. */
export interface GridActions {
  undo: () => void;
  redo: () => void;
  move: (step: readonly [number, number], isExtended: boolean) => void;
  edit: (typed?: string) => void;
  clear: () => void;
  tick: () => void;
}

/** Handles a key; other keys are left to the browser. */
export function pressKey(event: KeyboardEvent, actions: GridActions): void {
  if (event.ctrlKey || event.metaKey) {
    const key = event.key.toLowerCase(); // Caps Lock makes it a capital letter
    if (event.altKey || (key !== "z" && key !== "y")) return;
    event.preventDefault();
    if (key === "y" || event.shiftKey) actions.redo();
    else actions.undo();
    return;
  }
  const step = STEPS[event.key];
  if (step) actions.move(step, event.shiftKey);
  else if (event.key === "Enter" || event.key === "F2") actions.edit();
  else if (event.key === "Delete" || event.key === "Backspace") actions.clear();
  else if (event.key === " ") actions.tick();
  else if (event.key.length === 1 && !event.altKey) actions.edit(event.key);
  else return;
  event.preventDefault();
  event.stopPropagation(); // otherwise the page's single-letter shortcuts fire too
}
