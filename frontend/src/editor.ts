// The editor page: wires the source, the form, the inputs, the preview and saving. Without it the page is a plain form.
import { undo } from "@codemirror/commands";
import { StateEffect } from "@codemirror/state";
import { EditorView } from "@codemirror/view";
import { showStatus } from "./app/status.ts";
import { findElement, readJson } from "./dom.ts";
import { callServer } from "./editor/api.ts";
import { describeSource, setBase } from "./editor/change_gutter.ts";
import { createSourceEditor } from "./editor/codemirror.ts";
import { completion } from "./editor/completion.ts";
import { Draft } from "./editor/draft.ts";
import {
  followSamples,
  installHistoryControls,
  makeSampleEdit,
  SampleHistory,
  SEPARATE_STEP,
} from "./editor/edit_history.ts";
import { installEditorKeys } from "./editor/editor_keys.ts";
import { focusFirstText } from "./editor/first_focus.ts";
import { Form } from "./editor/form/form.ts";
import type { Fragment } from "./editor/form/insert_completion.ts";
import { Inputs } from "./editor/inputs.ts";
import { installLooks } from "./editor/looks.ts";
import { installModes } from "./editor/modes.ts";
import { Navigation } from "./editor/navigation.ts";
import { Notices } from "./editor/notices.ts";
import { installPasteOffer } from "./editor/paste_offer.ts";
import { installPresenceBeats } from "./editor/presence_beats.ts";
import { Preview } from "./editor/preview.ts";
import { installProblemCount } from "./editor/problem_count.ts";
import { applyFix, isMisspelt, setProblems } from "./editor/problems.ts";
import { installPanes } from "./editor/resizable_panes.ts";
import { isSameSamples, packSamples, type Samples, unpackSamples, withoutSamples } from "./editor/sample_map.ts";
import { describeAdded, installSampleSources } from "./editor/sample_sources.ts";
import { SampleList } from "./editor/samples.ts";
import { installSave } from "./editor/save.ts";
import { findSmallestChange } from "./editor/text_changes.ts";
import type { PreviewAnswer, Problem, SaveOutcome, Setup } from "./editor/types.ts";
import { restoreUnsentText } from "./editor/unsent_text.ts";
import { linkValues, readPlaces } from "./editor/values.ts";
import { type EditorView as EditorViewName, installViews } from "./editor/views.ts";
import { gettext } from "./language.ts";
import { installPlayground } from "./playground/install.ts";

function start(root: HTMLFormElement): void {
  const setup = readJson<Setup>("editor-setup");
  const area = findElement<HTMLTextAreaElement>(root, "textarea[name=document]");
  const region = findElement(root, "[data-preview]");
  const message = findElement<HTMLInputElement>(root, "[name=message]");
  const vocabulary = {
    inputs: setup.inputs,
    names: Object.keys(setup.undeclared),
    filters: setup.filters,
    functions: setup.functions,
  };

  let fragments: Promise<Fragment[]> | null = null;
  const body = (): Record<string, unknown> => ({
    document: view.state.doc.toString(),
    data: inputs.data,
    ...packSamples(inputs.samples),
    sample: inputs.sample,
    ...looks.choice,
    message: message.value,
    base: findElement<HTMLInputElement>(root, "[name=base]").value,
    revision: draft.revision,
  });
  const handleEdit = (): void => {
    preview.refreshSoon();
    draft.saveSoon();
    playground.followEdits();
    findElement(root, "[data-sample-count]").textContent = String(inputs.samples.size);
    sampleList.markSample(inputs.sample);
  };
  const goTo = (place: { line: number; column: number }): void => navigation.goTo(place);
  const keys = installEditorKeys(root, { save: () => save(), preview: () => void preview.refresh() });
  const view = createSourceEditor(area, keys, [
    completion(() => vocabulary),
    linkValues(region),
    EditorView.updateListener.of((update) => {
      if (!update.docChanged) return;
      area.value = update.state.doc.toString();
      showFacts();
      form.draw();
      handleEdit();
    }),
  ]);
  const form = new Form(view, {
    inputs: () => vocabulary.inputs,
    declare: (declared) => {
      vocabulary.inputs = declared;
    },
    undeclared: () => vocabulary.names,
    declareAll: () => notices.fixAsChosen("declare:"),
    fragments: () => {
      fragments ??= callServer<{ fragments: Fragment[] }>("POST", setup.urls.preview, { want: "fragments" }).then(
        (answer) => answer.fragments,
        () => [],
      );
      return fragments;
    },
    sample: () => inputs.data,
    models: setup.models,
    removed: (sentence) => showStatus(sentence, () => undo(view)),
    rename: (name, next) => notices.fix(`rename:${name}`, { new_name: next }),
    published: () => ({ inputs: setup.baseInputs, services: setup.services }),
    fix: (problem) => applyFix(view, problem),
    goTo,
  });
  const sampleHistory = new SampleHistory(view);
  const inputs = new Inputs(root, setup, {
    changed: () => {
      if (!root.classList.contains("is-live")) return;
      handleEdit();
      form.refreshInputs();
      notices.fillValues();
    },
    record: (before, after) => sampleHistory.record(before, after),
    commit: () => sampleHistory.commit(),
    removed: (sample) => {
      sampleHistory.commit();
      showStatus(gettext("Removed the sample {name}.", { name: sample }), () => undo(view));
    },
  });
  const modes = installModes(root, view, form);
  const navigation = new Navigation(root, view, form, modes);
  const controls = [installHistoryControls(root, view, sampleHistory), followSamples((state) => inputs.load(state))];
  view.dispatch({ effects: StateEffect.appendConfig.of(controls) });
  const notices = new Notices(root, {
    url: setup.urls.edit,
    body,
    onFixed: (answer) => {
      use(answer.document, unpackSamples(answer));
      showStatus(answer.status, () => undo(view));
    },
    enterValue: (path) => {
      findElement(root, "[data-tab=inputs]").click();
      inputs.focusField(path);
    },
    values: () => inputs.data,
    writeValue: (name, value) => inputs.writeValue(name, value),
  });
  const preview = new Preview(root, { url: setup.urls.preview, body, onPreview, goTo }, setup);
  const use = (text: string, samples: Samples): void => {
    sampleHistory.commit();
    const after = { samples, sample: inputs.sample };
    const isSame = isSameSamples(inputs.samples, samples);
    const change = findSmallestChange(view.state.doc.toString(), text);
    const step = isSame ? SEPARATE_STEP : makeSampleEdit(inputs.state, after);
    view.dispatch({ ...step, ...(change && { changes: change }) });
    if (!isSame) inputs.load(after);
    void preview.refresh();
  };
  const draft = new Draft(
    root,
    { name: setup.name, draftName: setup.draftName, savedAt: setup.draftSavedAt, revision: setup.draftRevision },
    { url: setup.urls.draft, body, use },
  );
  const save = installSave(root, {
    url: setup.urls.edit,
    body,
    before: async () => {
      await notices.settled();
      await draft.waitForSave();
    },
    takeAnswer: (newer) => draft.takeAnswer(newer),
    onOutcome,
  });
  const playground = installPlayground(root, {
    setup,
    inputs,
    document: () => view.state.doc.toString(),
    saveDraft: () => draft.flush(),
    goToProblem: () => navigation.showNextProblem(),
  });
  let base = setup.base;
  const looks = installLooks(root, {
    url: setup.urls.preview,
    body,
    base: () => base?.number ?? null,
    refresh: () => void preview.refresh(),
    chooseSample: (name) => inputs.choose(name),
  });
  const sampleList = new SampleList(root, looks.loadSamples, {
    choose: (name) => inputs.choose(name),
    focusField: (path) => inputs.focusField(path),
    add: () => {
      inputs.addSample();
      inputs.head.focusName();
    },
    rename: () => inputs.head.focusName(),
    remove: () => inputs.removeSample(),
    duplicate: () => inputs.duplicateSample(),
    move: (name, target) => inputs.moveSample(name, target),
    editAsJson: () => inputs.editAllAsJson(),
    fix: (action, choices) => notices.fix(action, choices),
  });
  installSampleSources(findElement(root, '[data-pane="samples"]'), {
    ask: (parameters) => callServer("POST", setup.urls.preview, { ...body(), ...parameters, want: "rows" }),
    count: () => inputs.samples.size,
    newDatasetUrl: setup.urls.newDataset,
    template: setup.name,
    add: (rows, source) => {
      const count = inputs.addRows(rows).length;
      if (!count) showStatus(gettext("These samples are there already."));
      else showStatus(describeAdded(count, source), () => undo(view));
    },
  });
  const showProblemCount = installProblemCount(root, () => navigation.showNextProblem());

  function onPreview(look: PreviewAnswer, fresh: boolean, isCurrent: boolean): void {
    showProblems(look.problems);
    const errors = look.problems.filter((problem) => problem.severity === "error").length;
    // Only the server knows whether a value inside an input is optional.
    const missing = look.placeholders.filter((path) => !/[.[]/.test(path));
    playground.takeFacts({ ...look.call, errors, missing });
    if (fresh) form.takeFacts(look.parts, look.call);
    modes.refresh();
    if (root.dataset.view === "samples") void sampleList.refresh();
    if (fresh) readPlaces(view, region);
    notices.show(look.notices);
    findElement(root, "[data-summary]").innerHTML = look.summary;
    findElement(root, "[data-sample-tokens]").innerHTML = look.tokens;
    if (!isCurrent) return; // otherwise newly declared inputs would be reverted until the next response
    vocabulary.inputs = look.inputs ?? vocabulary.inputs;
    vocabulary.names = Object.keys(look.undeclared);
    inputs.setSchemas(look.inputs, look.undeclared);
    if (look.spentSamples.length)
      inputs.load({ samples: withoutSamples(inputs.samples, look.spentSamples), sample: inputs.sample });
    form.refreshInputs();
    form.refreshChips();
  }

  function showProblems(problems: Problem[]): void {
    // A sample that lacks a value has a separate notice, with its fixes.
    const inText = problems.filter((problem) => problem.code !== "PT401" || problem.sample === null);
    view.dispatch({ effects: setProblems.of(inText) });
    // The notice above the form lists undeclared names; only a likely misspelling is also shown in its card.
    form.showProblems(inText.filter((problem) => problem.code !== "PT403" || isMisspelt(problem)));
    showProblemCount(problems);
  }

  function showFacts(): void {
    findElement(root, "[data-facts]").textContent = describeSource(view.state, base?.number ?? null);
  }

  function onOutcome(outcome: SaveOutcome): void {
    if (outcome.problems) {
      showProblems(outcome.problems);
      if (outcome.problems.length) navigation.showNextProblem();
    }
    if (outcome.newer) draft.showNewer(outcome.newer);
    if (!outcome.saved) {
      draft.resume();
      return;
    }
    base = outcome.saved;
    findElement<HTMLInputElement>(root, "[name=base]").value = String(base.number);
    view.dispatch({ effects: setBase.of(base.document) });
    message.value = message.placeholder = "";
    findElement(root, "[data-summary]").textContent = gettext("Same as v{number}.", { number: base.number });
    for (const next of root.querySelectorAll("[data-next]")) next.textContent = `v${base.number + 1}`;
    showFacts();
    root.querySelector("[data-new]")?.remove();
    findElement(root, "[data-review]").hidden = false;
    for (const since of root.querySelectorAll("[data-base]")) since.textContent = `v${base.number}`;
    draft.discard();
    inputs.markSaved();
  }

  message.addEventListener("input", () => draft.saveSoon());
  installPasteOffer(
    root,
    view,
    setup.urls,
    () => form.draw(),
    () => draft.flush(),
  );
  installPresenceBeats(root, {
    view,
    draft: setup.draftName,
    saved: () => base?.document ?? "",
    goTo: (place) => navigation.goTo(place),
  });
  root.classList.add("is-live");
  const showFirstTab = installPanes(root);
  const openView = installViews(root, setup.urls.edit, (opened) => {
    showFirstTab();
    if (opened === "run") playground.open();
    if (opened === "samples") void sampleList.refresh();
    view.requestMeasure();
  });
  playground.takeFacts(setup.call);
  if (base) view.dispatch({ effects: setBase.of(base.document) });
  form.takeFacts(setup.parts, setup.call);
  if (!setup.isPending) showProblems(setup.problems);
  readPlaces(view, region);
  showFacts();
  restoreUnsentText(root, draft, { view, inputs, message, use });
  void preview.refresh();
  focusFirstText(view, form, !base, setup.isExample);
  openView((root.dataset.view ?? "edit") as EditorViewName);
}

const root = document.querySelector<HTMLFormElement>("form[data-editor]");
if (root) start(root);
