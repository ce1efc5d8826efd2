// Selecting several diff lines with Shift, for a comment on all of them.
import { cancelForm, makeFormPlace } from "./comment_place.ts";
import { showDiffStops } from "./diff_keys.ts";

/** Shift with a line number selects all lines from the form's to this one; without a form, from the last selected
 * number. */
let lastPlace: { line: number; part: string; side: string } | null = null;

interface Place {
  line: number;
  part: string;
  side: string;
}

function readPlace(link: HTMLAnchorElement): Place {
  const query = new URL(link.href).searchParams;
  return { line: Number(query.get("line")), part: query.get("part") ?? "0", side: query.get("side") ?? "" };
}

function findOpenForm(): HTMLFormElement | null {
  return document.querySelector<HTMLFormElement>("form#comment-form[data-line]");
}

/** The lines from the first place to the second, in either order; null if they aren't one range. */
export function findLinesBetween(from: Place, to: Place): [number, number] | null {
  if (from.part !== to.part || from.side !== to.side) return null;
  return [Math.min(from.line, to.line), Math.max(from.line, to.line)];
}

function extendRange(link: HTMLAnchorElement): boolean {
  const to = readPlace(link);
  const form = findOpenForm();
  const from = form
    ? { line: Number(form.dataset.line), part: form.dataset.part ?? "0", side: form.dataset.side ?? "" }
    : lastPlace;
  const range = from && findLinesBetween(from, to);
  if (!range) return false;
  if (form) {
    const findField = (name: string) => form.elements.namedItem(name) as HTMLInputElement;
    findField("line").value = String(range[0]);
    findField("end_line").value = String(range[1]);
    form.querySelector<HTMLButtonElement>("button[value=range]")?.click();
    return true;
  }
  const address = new URL(link.href);
  address.searchParams.set("line", String(range[0]));
  address.searchParams.set("end_line", String(range[1]));
  location.assign(address);
  return true;
}

/** Handles a click on a line's number or on a form's Cancel; returns whether htmx has nothing to do. */
function handleClick(event: MouseEvent): boolean {
  const target = event.target as Element;
  const cancel = target.closest("[data-cancel]");
  if (cancel && cancelForm(cancel)) {
    showDiffStops();
    return true;
  }
  const link = target.closest<HTMLAnchorElement>("a.diff-number");
  if (!link || event.ctrlKey || event.metaKey) return false;
  if (event.shiftKey && extendRange(link)) return true;
  lastPlace = readPlace(link);
  if (makeFormPlace(link)) return false;
  location.assign(link.href);
  return true;
}

export function installLineRanges(): void {
  // In the capturing phase, before htmx handles the click.
  document.addEventListener(
    "click",
    (event) => {
      if (!handleClick(event)) return;
      event.preventDefault();
      event.stopPropagation();
    },
    true,
  );
}
