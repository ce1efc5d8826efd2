// Selecting several diff lines with Shift, for a comment on all of them.
/** Shift with a line number selects all lines from the form's to this one; without a form, from the last selected
 * number. */
let lastPlace: { line: number; part: string; side: string } | null = null;

interface Place {
  line: number;
  part: string;
  side: string;
}

function placeOfLink(link: HTMLAnchorElement): Place {
  const query = new URL(link.href).searchParams;
  return { line: Number(query.get("line")), part: query.get("part") ?? "0", side: query.get("side") ?? "" };
}

function findOpenForm(): HTMLFormElement | null {
  return document.querySelector<HTMLFormElement>("form#say[data-line]");
}

/** The lines from the first place to the second, in either order; null if they aren't one range. */
export function linesBetween(from: Place, to: Place): [number, number] | null {
  if (from.part !== to.part || from.side !== to.side) return null;
  return [Math.min(from.line, to.line), Math.max(from.line, to.line)];
}

function extendRange(link: HTMLAnchorElement): boolean {
  const to = placeOfLink(link);
  const form = findOpenForm();
  const from = form
    ? { line: Number(form.dataset.line), part: form.dataset.part ?? "0", side: form.dataset.side ?? "" }
    : lastPlace;
  const range = from && linesBetween(from, to);
  if (!range) return false;
  if (form) {
    const field = (name: string) => form.elements.namedItem(name) as HTMLInputElement;
    field("line").value = String(range[0]);
    field("end_line").value = String(range[1]);
    form.querySelector<HTMLButtonElement>("button[value=range]")?.click();
    return true;
  }
  const address = new URL(link.href);
  address.searchParams.set("line", String(range[0]));
  address.searchParams.set("end_line", String(range[1]));
  location.assign(address);
  return true;
}

export function installLineRanges(): void {
  // In the capturing phase, before htmx handles the click.
  document.addEventListener(
    "click",
    (event) => {
      const link = (event.target as Element).closest<HTMLAnchorElement>("a.diff-number");
      if (!link) return;
      if (event.shiftKey && extendRange(link)) {
        event.preventDefault();
        event.stopPropagation();
        return;
      }
      lastPlace = placeOfLink(link);
    },
    true,
  );
}
