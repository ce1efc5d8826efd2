// Keyboard shortcuts of the environments page: x ticks the row, Shift x all rows from the last ticked one, p promotes
// the selection or, without one, performs the row's action.

const BOX = "input[name=template]";
let lastTicked: HTMLInputElement | null = null;

/** The row that the keys apply to: the focused one, else the one that j and k moved to. */
export function findCurrentRow(): HTMLElement | null {
  return (
    document.activeElement?.closest<HTMLElement>("form[data-bulk] [data-row]") ??
    document.querySelector<HTMLElement>("form[data-bulk] [data-row].is-current")
  );
}

/** Toggles the current row's box; false if the page has no such box. */
export function tickRow(): boolean {
  const box = findCurrentRow()?.querySelector<HTMLInputElement>(BOX);
  if (!box) return false;
  setTicked(box, !box.checked);
  lastTicked = box;
  return true;
}

/** Makes Shift-click tick all boxes between this one and the last ticked one. */
export function installRangeClicks(): void {
  document.addEventListener("click", (event) => {
    const box = (event.target as Element).closest<HTMLInputElement>(`form[data-bulk] ${BOX}`);
    if (!box) return;
    if (event.shiftKey && box.checked) tickRange(box);
    lastTicked = box;
  });
}

/** Ticks every box from the last ticked one to this, by default the current row's; false unless both exist. */
export function tickRange(box = findCurrentRow()?.querySelector<HTMLInputElement>(BOX)): boolean {
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

/** Presses Promote for the selection, else the button of the current row. */
export function pressPromote(): boolean {
  // Check the boxes instead of the bar's visibility: after a reset the bar is updated only in the next task.
  const form = document.querySelector(`form[data-bulk] ${BOX}:checked`)?.closest("form");
  const chosen = form?.querySelector<HTMLElement>("[data-bulk-primary]");
  const act = chosen ?? findCurrentRow()?.querySelector<HTMLElement>(".environments-act a.button");
  act?.click();
  return Boolean(act);
}
