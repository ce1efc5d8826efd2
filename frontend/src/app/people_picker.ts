// Boxes that select people: the ticked ones are chips, the others are in the list below *Add*.

/** Moves a box of a fieldset marked `data-picker` to its place when it is ticked or unticked. Without scripts all boxes
 * stay where the server rendered them. */
export function installPeoplePickers(): void {
  document.addEventListener("change", (event) => {
    const box = event.target as HTMLElement;
    const picker = box.closest<HTMLElement>("[data-picker]");
    if (picker && box instanceof HTMLInputElement) moveBox(picker, box);
  });
  document.addEventListener("reset", () => window.setTimeout(showPeoplePickers));
  document.addEventListener("keydown", closeOnEscape, true);
  document.addEventListener("click", (event) => {
    for (const list of document.querySelectorAll<HTMLDetailsElement>("details[data-picker-more][open]"))
      if (!list.contains(event.target as Node)) list.open = false;
  });
  showPeoplePickers();
}

/** Moves every box to its place, after stored input was restored. */
export function showPeoplePickers(): void {
  for (const picker of document.querySelectorAll<HTMLElement>("[data-picker]")) {
    const boxes = [...picker.querySelectorAll<HTMLInputElement>("input[type=checkbox]")];
    const moved = boxes.filter((box) => placeBox(picker, box));
    const list = picker.querySelector<HTMLDetailsElement>("[data-picker-more]");
    if (list && moved.length) list.open = false; // restoring the form opened it
    showList(picker);
  }
}

/** Moves one box, and keeps the focus near its old place. */
function moveBox(picker: HTMLElement, box: HTMLInputElement): void {
  const list = picker.querySelector<HTMLDetailsElement>("[data-picker-more]");
  const next = findNeighbour(box);
  placeBox(picker, box);
  showList(picker);
  if (next) next.focus();
  else if (list && !list.hidden && box.checked === false) list.querySelector("summary")?.focus();
  else box.focus();
}

/** The next box in its row or list, else the previous one. */
function findNeighbour(box: HTMLInputElement): HTMLInputElement | null {
  const label = box.closest("label");
  const beside = label?.nextElementSibling ?? label?.previousElementSibling;
  return beside?.querySelector<HTMLInputElement>("input") ?? null;
}

/** Whether the box had to be moved. */
function placeBox(picker: HTMLElement, box: HTMLInputElement): boolean {
  const label = box.closest("label");
  const list = picker.querySelector<HTMLElement>(box.checked ? "[data-picker-chosen]" : "[data-picker-list]");
  if (!label || !list || label.parentElement === list) return false;
  list.append(label);
  return true;
}

/** Shows the list while it has entries, and closes it with the last one. */
function showList(picker: HTMLElement): void {
  const list = picker.querySelector<HTMLDetailsElement>("[data-picker-more]");
  if (!list) return;
  list.hidden = !list.querySelector("input");
  if (list.hidden) list.open = false;
}

/** Escape closes an open list, but not the panel around it. */
function closeOnEscape(event: KeyboardEvent): void {
  const list = (event.target as Element | null)?.closest?.<HTMLDetailsElement>("details[data-picker-more][open]");
  if (event.key !== "Escape" || !list) return;
  event.preventDefault();
  event.stopPropagation();
  list.open = false;
  list.querySelector("summary")?.focus();
}
