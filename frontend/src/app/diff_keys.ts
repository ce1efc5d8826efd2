// Diffs by keyboard: each is one Tab stop, in which arrows, Home and End move; n and p move between changes.

const STOPS = "a.diff-number, .diff-fold > summary, .diff-part > summary";
/** Stores the line that Escape returns to: a link that is pressed before it is wired up loads the whole page. */
const RETURN_KEY = "promptuary-diff-return";
/** The Tab stop, identified by what stays the same when the diff is reloaded. */
let current = "";

function findDiffs(): HTMLElement[] {
  return [...document.querySelectorAll<HTMLElement>("#diff .diff:not(.thread-diff)")];
}

function listStops(diff: Element): HTMLElement[] {
  return [...diff.querySelectorAll<HTMLElement>(STOPS)].filter((stop) => stop.closest(".diff") === diff);
}

function isShown(stop: HTMLElement): boolean {
  const fold = stop.parentElement?.closest<HTMLDetailsElement>("details:not([open])");
  return !fold || (stop.parentElement === fold && !fold.parentElement?.closest("details:not([open])"));
}

function readName(stop: Element): string {
  if (!(stop instanceof HTMLAnchorElement)) return "";
  const query = new URL(stop.href).searchParams;
  return ["side", "part", "line"].map((name) => query.get(name)).join(":");
}

function setCurrent(diff: Element, stop: HTMLElement): void {
  for (const item of listStops(diff)) item.tabIndex = item === stop ? 0 : -1;
  current = readName(stop) || current;
}

/** Makes each diff one Tab stop: the line last used, else its first change, else its first line. */
export function showDiffStops(): void {
  // While the form is still there, the page without it is about to be swapped in, and would lose the focus.
  const back = document.querySelector("form#comment-form") ? null : sessionStorage.getItem(RETURN_KEY);
  if (back) current = back;
  for (const diff of findDiffs()) {
    const stops = listStops(diff).filter(isShown);
    const changed = diff.querySelector<HTMLElement>(".diff-added a.diff-number");
    const stop = stops.find((one) => readName(one) === current) ?? changed ?? stops[0];
    if (!stop) continue;
    setCurrentQuietly(diff, stop);
    diff.removeAttribute("tabindex"); // otherwise the browser scrolls to a stop inside it
    if (back && readName(stop) === back) {
      sessionStorage.removeItem(RETURN_KEY);
      stop.focus();
    }
  }
}

function setCurrentQuietly(diff: Element, stop: HTMLElement): void {
  const previous = current;
  setCurrent(diff, stop);
  current = previous;
}

function moveTo(stop: HTMLElement | undefined): boolean {
  const diff = stop?.closest(".diff");
  if (!stop || !diff) return false;
  setCurrent(diff, stop);
  stop.focus();
  stop.scrollIntoView({ block: "nearest" });
  return true;
}

function moveWithinDiff(key: string, from: HTMLElement): boolean {
  const diff = from.closest(".diff");
  if (!diff) return false;
  const stops = listStops(diff).filter(isShown);
  const at = stops.indexOf(from);
  const places: Record<string, number> = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: stops.length - 1 };
  const index = places[key];
  if (at < 0 || index === undefined) return false;
  moveTo(stops[Math.min(stops.length - 1, Math.max(0, index))]);
  return true;
}

/** The first line of each run of changed lines. */
function listChanges(): HTMLElement[] {
  const isChanged = (line: Element | null): boolean =>
    line?.matches(".diff-line.diff-added, .diff-line.diff-removed") ?? false;
  return findDiffs()
    .flatMap((diff) => [...diff.querySelectorAll<HTMLElement>(".diff-line")])
    .filter((line) => isChanged(line) && !line.closest(".diff-spot") && !isChanged(line.previousElementSibling));
}

/** Moves to the next or previous change; false if the page has no diff. */
export function goToChange(by: number): boolean {
  const changes = listChanges();
  if (!changes.length) return false;
  const focused = document.activeElement?.closest<HTMLElement>(".diff-line, .diff-spot, summary") ?? null;
  const follows = (line: HTMLElement): boolean =>
    focused !== null && Boolean(focused.compareDocumentPosition(line) & Node.DOCUMENT_POSITION_FOLLOWING);
  const precedes = (line: HTMLElement): boolean =>
    focused !== null && Boolean(focused.compareDocumentPosition(line) & Node.DOCUMENT_POSITION_PRECEDING);
  const block = focused && changes.findLast((line) => line === focused || precedes(line));
  const next =
    by > 0
      ? focused
        ? changes.find(follows)
        : changes[0]
      : changes.findLast((line) => line !== block && precedes(line));
  const target = next ?? (by > 0 ? changes.at(-1) : changes[0]);
  if (!target) return false;
  for (let fold = target.closest("details"); fold; fold = fold.parentElement?.closest("details") ?? null)
    fold.open = true;
  const stop = findStopOf(target);
  if (stop) moveTo(stop);
  else {
    target.tabIndex = -1;
    target.focus({ preventScroll: true });
  }
  target.scrollIntoView({ block: "center" });
  return true;
}

/** The line number link of a change: that of its first line on the new side. */
function findStopOf(line: HTMLElement): HTMLElement | undefined {
  for (let at: Element | null = line; at?.matches(".diff-added, .diff-removed"); at = at.nextElementSibling) {
    const stop = at.querySelector<HTMLElement>("a.diff-number");
    if (stop) return stop;
  }
  return undefined;
}

/** Opens the comment form for the focused line, or for the Tab stop. */
export function commentOnLine(): boolean {
  const focused = document.activeElement?.closest<HTMLElement>("a.diff-number");
  const link = focused ?? document.querySelector<HTMLElement>('#diff a.diff-number[tabindex="0"]');
  link?.click();
  return Boolean(link);
}

/** Moves the focus to the first decision button; false if there isn't one. */
export function goToDecision(): boolean {
  const button = document.querySelector<HTMLElement>("#decide :is(button, a.button)");
  button?.scrollIntoView({ block: "center" });
  button?.focus();
  return Boolean(button);
}

function leaveForm(form: HTMLFormElement): void {
  const { side, part, line } = form.dataset;
  current = [side, part, line].join(":");
  sessionStorage.setItem(RETURN_KEY, current);
  form.querySelector<HTMLElement>("[data-cancel]")?.click();
}

export function installDiffKeys(): void {
  showDiffStops();
  document.addEventListener("focusin", (event) => {
    const stop = (event.target as Element).closest<HTMLElement>(STOPS);
    const diff = stop?.closest("#diff .diff");
    if (stop && diff) setCurrent(diff, stop);
  });
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.shiftKey || !(event.target instanceof Element)) return;
    const form = event.target.closest<HTMLFormElement>("form#comment-form");
    if (form && event.key === "Escape") {
      event.preventDefault();
      leaveForm(form);
      return;
    }
    const stop = event.target.closest<HTMLElement>(STOPS);
    if (stop && moveWithinDiff(event.key, stop)) event.preventDefault();
  });
}
