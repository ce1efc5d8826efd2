// Keyboard shortcuts of the environments page: x ticks the row, Shift x all rows from the one ticked last, p promotes
// what is ticked or, where nothing is, does the act of the row.

const BOX = "input[name=template]";
let lastTicked: HTMLInputElement | null = null;

/** The row that the keys are about: the one with the focus, else the one that j and k went to. */
function findCurrentRow(): HTMLElement | null {
  return (
    document.activeElement?.closest<HTMLElement>("form[data-bulk] [data-row]") ??
    document.querySelector<HTMLElement>("form[data-bulk] [data-row].is-current")
  );
}

/** Ticks or unticks the current row's box; false where the page has no such box. */
export function tickRow(): boolean {
  const box = findCurrentRow()?.querySelector<HTMLInputElement>(BOX);
  if (!box) return false;
  setTicked(box, !box.checked);
  lastTicked = box;
  return true;
}

/** Ticks every box from the one that was ticked last to the current row's; false where there are not both. */
export function tickRange(): boolean {
  const box = findCurrentRow()?.querySelector<HTMLInputElement>(BOX);
  const boxes = [...document.querySelectorAll<HTMLInputElement>(`form[data-bulk] ${BOX}`)];
  const [from, to] = [boxes.indexOf(lastTicked as HTMLInputElement), boxes.indexOf(box as HTMLInputElement)];
  if (from < 0 || to < 0) return false;
  for (const between of boxes.slice(Math.min(from, to), Math.max(from, to) + 1)) setTicked(between, true);
  return true;
}

function setTicked(box: HTMLInputElement, isTicked: boolean): void {
  box.checked = isTicked;
  box.dispatchEvent(new Event("change", { bubbles: true }));
}

/** Presses Promote of what is ticked, else the button of the current row. */
export function pressPromote(): boolean {
  // The boxes decide, not whether the bar is shown: after a reset the bar follows in the next task.
  const form = document.querySelector(`form[data-bulk] ${BOX}:checked`)?.closest("form");
  const chosen = form?.querySelector<HTMLElement>("[data-bulk-primary]");
  const act = chosen ?? findCurrentRow()?.querySelector<HTMLElement>(".environments-act a.button");
  act?.click();
  return Boolean(act);
}
