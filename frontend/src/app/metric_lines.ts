// Sparklines of metrics: hovering, or the arrow keys, show the figure of each point.

/** The points of a line with their figures, and the mark and the box of the selected one. */
function findParts(line: HTMLElement) {
  const points = [...line.querySelectorAll<HTMLElement>("[data-x]")];
  const marker = line.querySelector<SVGCircleElement>("[data-trend-mark]");
  const caption = line.querySelector<HTMLElement>("[data-trend-text]");
  return { points, marker, caption };
}

function readText(point: HTMLElement | undefined): string {
  return (point?.textContent ?? "").replace(/\s+/g, " ").trim();
}

function findLine(event: Event): HTMLElement | null {
  return event.target instanceof Element ? event.target.closest<HTMLElement>("[data-trend]") : null;
}

/** Selects the point at this index and shows its figure. */
function showPoint(line: HTMLElement, index: number): void {
  const { points, marker, caption } = findParts(line);
  const point = points[Math.max(0, Math.min(index, points.length - 1))];
  if (!point || !marker || !caption) return;
  const text = readText(point);
  marker.setAttribute("cx", point.dataset.x ?? "0");
  marker.setAttribute("cy", point.dataset.y ?? "0");
  caption.textContent = text;
  line.classList.add("is-showing-value");
  line.setAttribute("aria-valuenow", String(points.indexOf(point) + 1));
  line.setAttribute("aria-valuetext", text);
}

function hidePoint(line: HTMLElement): void {
  if (document.activeElement !== line) line.classList.remove("is-showing-value");
}

/** The index of the point closest to this horizontal position on the page. */
function findNearestPlace(line: HTMLElement, clientX: number): number {
  const { points } = findParts(line);
  const drawing = line.querySelector("svg");
  if (!drawing) return 0;
  const x = clientX - drawing.getBoundingClientRect().left;
  const distances = points.map((point) => Math.abs(Number(point.dataset.x) - x));
  return distances.indexOf(Math.min(...distances));
}

/** The index that a key moves to; null for other keys. */
function placeByKey(key: string, current: number, last: number): number | null {
  if (key === "ArrowLeft" || key === "ArrowDown") return current - 1;
  if (key === "ArrowRight" || key === "ArrowUp") return current + 1;
  if (key === "Home") return 0;
  return key === "End" ? last : null;
}

function readPlace(line: HTMLElement): number {
  return Number(line.getAttribute("aria-valuenow")) - 1;
}

function handleKey(event: KeyboardEvent): void {
  const line = findLine(event);
  if (!line || event.ctrlKey || event.metaKey || event.altKey) return;
  const { points } = findParts(line);
  const address = points[readPlace(line)]?.dataset.url;
  if (event.key === "Enter" && address) location.assign(address);
  const index = placeByKey(event.key, readPlace(line), points.length - 1);
  if (index === null) return;
  event.preventDefault();
  showPoint(line, index);
}

/** Makes each line focusable; without scripts there is the table of all figures. */
export function showMetricLines(): void {
  for (const line of document.querySelectorAll<HTMLElement>("[data-trend]:not([role])")) {
    const { points } = findParts(line);
    line.setAttribute("role", "slider");
    line.setAttribute("aria-valuemin", "1");
    line.setAttribute("aria-valuemax", String(points.length));
    line.setAttribute("aria-valuenow", String(points.length));
    line.setAttribute("aria-valuetext", readText(points.at(-1)));
    line.tabIndex = 0;
  }
}

/** One set of listeners for all lines, including those swapped in later. */
export function installMetricLines(): void {
  showMetricLines();
  document.addEventListener("keydown", handleKey);
  document.addEventListener("focusin", (event) => {
    const line = findLine(event);
    if (line) showPoint(line, readPlace(line));
  });
  document.addEventListener("focusout", (event) => findLine(event)?.classList.remove("is-showing-value"));
  document.addEventListener("pointermove", (event) => {
    const line = findLine(event);
    if (line) showPoint(line, findNearestPlace(line, event.clientX));
  });
  document.addEventListener("pointerout", (event) => {
    const line = findLine(event);
    if (line && !line.contains(event.relatedTarget as Node | null)) hidePoint(line);
  });
}
