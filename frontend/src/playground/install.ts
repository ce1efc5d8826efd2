// Puts the playground into the editor's page.
import { findElement } from "../dom.ts";
import type { Inputs } from "../editor/inputs.ts";
import type { Setup } from "../editor/types.ts";
import { buildViewAddress } from "../editor/views.ts";
import { Playground } from "./playground.ts";

/** What the playground needs from the editor's page. */
export interface EditorParts {
  setup: Setup;
  inputs: Inputs;
  document(): string;
  saveDraft(): Promise<void>;
  goToProblem(): void;
}

/** Creates the playground, with its panel of inputs and its keys; it loads nothing until it is opened. */
export function installPlayground(root: HTMLElement, parts: EditorParts): Playground {
  const { setup, inputs } = parts;
  const area = findElement(root, "[data-pane=run]");
  const panel = installInputsPanel(root);
  const playground = new Playground(area, {
    url: setup.urls.run,
    draftName: setup.draftName,
    labels: setup.labels,
    newDatasetUrl: setup.urls.newDataset,
    inputs: () => ({
      samples: [...inputs.samples.keys()],
      sample: inputs.sample,
      names: inputs.names,
      data: inputs.data,
      defaults: inputs.defaults,
      edited: inputs.editedNames,
    }),
    document: () => parts.document(),
    chooseSample: (name) => inputs.choose(name),
    askSampleName: (opener) => inputs.askName(opener),
    openInputs: (path) => {
      panel.open();
      if (path !== undefined) inputs.focusField(path);
    },
    goToProblem: () => parts.goToProblem(),
    saveDraft: () => parts.saveDraft(),
    startDraft: async (ref) => {
      const token = findElement<HTMLInputElement>(document, "input[name=csrfmiddlewaretoken]").value;
      const body = new URLSearchParams({ ref, draft: setup.draftName, csrfmiddlewaretoken: token });
      const answer = await fetch(setup.urls.startDraft, { method: "POST", redirect: "manual", body });
      if (answer.type !== "opaqueredirect") return false;
      openRun(setup.urls.edit);
      return true;
    },
    open: openRun,
  });
  document.addEventListener(
    "keydown",
    (event) => {
      const isRun = event.key === "Enter" && (event.ctrlKey || event.metaKey) && !event.altKey;
      if (!isRun || root.dataset.view !== "run" || document.querySelector("dialog[open]")) return;
      event.preventDefault();
      event.stopPropagation(); // in the source the same keys render the preview
      if (!event.repeat) void playground.run();
    },
    { capture: true },
  );
  return playground;
}

/** Opens the editor at this URL in its Run view. */
function openRun(url: string): void {
  window.location.assign(buildViewAddress(url, "run"));
}

/** The panel of inputs over the columns: opened by its button, closed by Close or Escape. */
function installInputsPanel(root: HTMLElement): { open(): void } {
  const opener = findElement(root, "[data-play-edit]");
  const pane = findElement(root, "[data-pane=inputs]");
  const set = (isOpen: boolean): void => {
    root.classList.toggle("has-inputs", isOpen);
    opener.setAttribute("aria-expanded", String(isOpen));
  };
  const close = (): void => {
    set(false);
    opener.focus();
  };
  findElement(root, "[data-inputs-close]").addEventListener("click", close);
  pane.addEventListener("keydown", (event) => {
    if (event.key !== "Escape" || event.defaultPrevented || !root.classList.contains("has-inputs")) return;
    if ((event.target as Element).closest(".inputs-keep")) return; // a sample's name field handles Escape itself
    event.preventDefault();
    close();
  });
  return {
    open: () => {
      set(true);
      pane.querySelector<HTMLElement>("select, input, textarea, button")?.focus();
    },
  };
}
