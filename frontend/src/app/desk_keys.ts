// Keyboard shortcuts of the environments page: x ticks the row, Shift x all rows from the one ticked last, p promotes
// what is ticked or, where nothing is, does the act of the row.

const BOX = "input[name=template]";
let lastTicked: HTMLInputElement | null = null;

/** The row that the keys are about: the one with the focus, else the one that j and k went to. */
export function findCurrentRow(): HTMLElement | null {
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

/** Lets a click with Shift tick what lies between the box and the one that was ticked last. */
export function installRangeClicks(): void {
  document.addEventListener("click", (event) => {
    const box = (event.target as Element).closest<HTMLInputElement>(`form[data-bulk] ${BOX}`);
    if (!box) return;
    if (event.shiftKey && box.checked) tickRange(box);
    lastTicked = box;
  });
}

/** Ticks every box from the one that was ticked last to this, if none is given the current row's; false where there are
 * not both. */
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

/** Presses Promote of what is ticked, else the button of the current row. */
export function pressPromote(): boolean {
  // The boxes decide, not whether the bar is shown: after a reset the bar follows in the next task.
  const form = document.querySelector(`form[data-bulk] ${BOX}:checked`)?.closest("form");
  const chosen = form?.querySelector<HTMLElement>("[data-bulk-primary]");
  const act = chosen ?? findCurrentRow()?.querySelector<HTMLElement>(".environments-act a.button");
  act?.click();
  return Boolean(act);
}
