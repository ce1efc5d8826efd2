// Panes with dividers on wide screens, tabs on narrow ones.
import { findElement } from "../dom.ts";

const KEY = "editor-panes";
const MIN_SIZE = 180;
const STEP = 24;

type Sizes = Partial<Record<"source" | "inputs" | "budget" | "draft", number>>;

const readSizes = (): Sizes => {
  try {
    return JSON.parse(localStorage.getItem(KEY) ?? "{}") as Sizes;
  } catch {
    return {};
  }
};

/** Dividers that can be dragged or moved with the arrow keys; sizes are stored in this browser. */
function installDividers(root: HTMLElement): void {
  const sizes = readSizes();
  const applySize = (name: keyof Sizes, size: number | undefined): void => {
    if (size === undefined) root.style.removeProperty(`--${name}-size`);
    else root.style.setProperty(`--${name}-size`, `${size}px`);
  };
  for (const name of ["source", "inputs", "budget", "draft"] as const) applySize(name, sizes[name]);
  for (const divider of root.querySelectorAll<HTMLElement>("[data-divider]")) {
    const name = divider.dataset.divider as keyof Sizes;
    const pane = findElement(root, `[data-pane=${name}]`);
    const isUpright = name !== "budget";
    const readSize = (): number => (isUpright ? pane.offsetWidth : pane.offsetHeight);
    const readLargestSize = (): number => (isUpright ? root.clientWidth - 2 * MIN_SIZE : root.clientHeight - 240);
    // Beside the columns of a run the source has a separate width.
    const findStoredPane = (): keyof Sizes => (name === "source" && root.dataset.view === "run" ? "draft" : name);
    const setSize = (size: number | undefined): void => {
      const rounded =
        size === undefined
          ? undefined
          : Math.round(Math.min(readLargestSize(), Math.max(isUpright ? MIN_SIZE : 90, size)));
      if (rounded === undefined) delete sizes[findStoredPane()];
      else sizes[findStoredPane()] = rounded;
      applySize(findStoredPane(), rounded);
      divider.setAttribute("aria-valuenow", String(readSize()));
      localStorage.setItem(KEY, JSON.stringify(sizes));
    };
    divider.tabIndex = 0;
    divider.setAttribute("aria-valuenow", String(readSize()));
    divider.addEventListener("dblclick", () => setSize(undefined));
    divider.addEventListener("keydown", (event) => {
      const step = { ArrowLeft: -STEP, ArrowRight: STEP, ArrowUp: STEP, ArrowDown: -STEP }[event.key];
      if (event.key === "Home") setSize(undefined);
      else if (step !== undefined && isUpright === /Left|Right/.test(event.key)) setSize(readSize() + step);
      else return;
      event.preventDefault();
    });
    divider.addEventListener("pointerdown", (event) => {
      const start = isUpright ? event.clientX : event.clientY;
      const size = readSize();
      divider.setPointerCapture(event.pointerId);
      const resize = (move: PointerEvent): void => {
        setSize(size + (isUpright ? move.clientX - start : start - move.clientY));
      };
      divider.addEventListener("pointermove", resize);
      divider.addEventListener("lostpointercapture", () => divider.removeEventListener("pointermove", resize), {
        once: true,
      });
      event.preventDefault();
    });
  }
}

/** Below 1100 px inputs are a tab of the preview, below 720 px every pane is a tab; wider screens show all of them.
 * Returns a function that shows the initial tab of the view. */
function installTabs(root: HTMLElement): () => void {
  const tabs = [...root.querySelectorAll<HTMLButtonElement>("button[data-tab]")];
  const open = (name: string): void => {
    root.dataset.open = name;
  };
  // The preview has a tab for each format, and is visible beside the text.
  const markPressed = (): void => {
    const { open: opened = "preview", target = "messages" } = root.dataset;
    const isPreview = ["preview", "source"].includes(opened);
    for (const tab of tabs) {
      const { target: own } = tab.dataset;
      const isPressed = own === undefined ? tab.dataset.tab === opened : isPreview && own === target;
      tab.setAttribute("aria-pressed", String(isPressed));
    }
  };
  new MutationObserver(markPressed).observe(root, { attributeFilter: ["data-open", "data-target"] });
  const narrow = window.matchMedia("(width < 720px)");
  const start = (): void => {
    const { view = "edit" } = root.dataset;
    open(view !== "edit" ? view : narrow.matches ? "source" : "preview");
  };
  for (const tab of tabs) tab.addEventListener("click", () => open(tab.dataset.tab ?? "source"));
  root.addEventListener("click", (event) => {
    const opener = (event.target as Element).closest<HTMLElement>("[data-open-tab]");
    if (opener) open(opener.dataset.openTab ?? "preview");
  });
  narrow.addEventListener("change", start);
  start();
  return start;
}

/** Returns a function that shows the first tab of the open view. */
export function installPanes(root: HTMLElement): () => void {
  installDividers(root);
  return installTabs(root);
}
