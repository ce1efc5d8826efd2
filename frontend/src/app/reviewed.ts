// "Reviewed": a reader's own mark on a change, stored in this browser for the version that was read.

function findBox(): HTMLInputElement | null {
  return document.querySelector<HTMLInputElement>("input[data-reviewed]");
}

function makeKey(element: HTMLElement): string {
  return `reviewed:${element.dataset.reviewed}`;
}

/** Shows the marks: the boxes of changes, and the icons in the rows of a release. */
export function showReviewed(): void {
  for (const element of document.querySelectorAll<HTMLElement>("[data-reviewed]")) {
    const isMarked = localStorage.getItem(makeKey(element)) !== null;
    if (element instanceof HTMLInputElement) element.checked = isMarked;
    else element.hidden = !isMarked;
  }
}

/** Toggles the box; false if the page has none. */
export function toggleReviewed(): boolean {
  const box = findBox();
  box?.click();
  return Boolean(box);
}

export function installReviewed(): void {
  showReviewed();
  document.addEventListener("change", (event) => {
    const box = event.target;
    if (!(box instanceof HTMLInputElement) || !box.dataset.reviewed) return;
    if (box.checked) localStorage.setItem(makeKey(box), "yes");
    else localStorage.removeItem(makeKey(box));
    showReviewed();
  });
}
