// Links between values in the preview and their expressions in the source.
import { type Extension, StateEffect, StateField } from "@codemirror/state";
import { Decoration, type DecorationSet, EditorView } from "@codemirror/view";
import { findOffset } from "./positions.ts";

/** Expressions of the source by the place (`line:column`) in the preview's values. */
interface Places {
  at: ReadonlyMap<string, number>;
  lit: string | null;
}

const setPlaces = StateEffect.define<string[]>();
const setHighlight = StateEffect.define<string | null>();

function findExpressionEnd(text: string, from: number): number {
  const close = text.indexOf("}}", from);
  const lineEnd = text.indexOf("\n", from);
  return close < 0 ? (lineEnd < 0 ? text.length : lineEnd) : close + 2;
}

const placesField = StateField.define<Places>({
  create: () => ({ at: new Map(), lit: null }),
  update(places, transaction) {
    let { at, lit } = places;
    if (transaction.docChanged) {
      at = new Map([...at].map(([name, offset]) => [name, transaction.changes.mapPos(offset, 1)]));
    }
    for (const effect of transaction.effects) {
      if (effect.is(setPlaces)) {
        at = new Map(
          effect.value.map((name) => {
            const [line, column] = name.split(":").map(Number);
            return [name, findOffset(transaction.newDoc, line ?? 1, column ?? 1)];
          }),
        );
        lit = null;
      } else if (effect.is(setHighlight)) {
        lit = effect.value;
      }
    }
    return at === places.at && lit === places.lit ? places : { at, lit };
  },
  provide: (own) =>
    EditorView.decorations.compute([own], (state): DecorationSet => {
      const { at, lit } = state.field(own);
      const from = lit === null ? undefined : at.get(lit);
      if (from === undefined || from >= state.doc.length) return Decoration.none;
      const end = Math.min(state.doc.length, from + 400);
      const to = from + findExpressionEnd(state.sliceDoc(from, end), 0);
      return from < to ? Decoration.set(Decoration.mark({ class: "cm-lit" }).range(from, to)) : Decoration.none;
    }),
});

/** Links the values in `preview` (elements with `data-at`) with their expressions in the source, in both directions. */
export function linkValues(preview: HTMLElement): Extension {
  let lit: string | null = null;
  const lightBoth = (view: EditorView, name: string | null): void => {
    if (name === lit) return;
    lit = name;
    view.dispatch({ effects: setHighlight.of(name) });
    for (const value of preview.querySelectorAll("[data-at]")) {
      value.classList.toggle("is-highlighted", name !== null && value.getAttribute("data-at") === name);
    }
  };
  const nameAt = (view: EditorView, offset: number): string | null => {
    for (const [name, from] of view.state.field(placesField).at) {
      if (offset < from || offset > from + 400) continue;
      if (offset <= from + findExpressionEnd(view.state.sliceDoc(from, Math.min(view.state.doc.length, from + 400)), 0))
        return name;
    }
    return null;
  };
  const listen = EditorView.domEventHandlers({
    mousemove(event, view) {
      const offset = view.posAtCoords({ x: event.clientX, y: event.clientY });
      lightBoth(view, offset === null ? null : nameAt(view, offset));
    },
    mouseleave: (_event, view) => lightBoth(view, null),
  });
  const follow = EditorView.updateListener.of((update) => {
    if (update.selectionSet && update.view.hasFocus) {
      const name = nameAt(update.view, update.state.selection.main.head);
      queueMicrotask(() => lightBoth(update.view, name));
    }
  });
  return [placesField, listen, follow, wirePreview(preview, lightBoth)];
}

function wirePreview(preview: HTMLElement, lightBoth: (view: EditorView, name: string | null) => void): Extension {
  return EditorView.updateListener.of(({ view }) => {
    if (preview.dataset.linked) return;
    preview.dataset.linked = "true";
    const placeIn = (event: Event): string | null =>
      (event.target as Element).closest("[data-at]")?.getAttribute("data-at") ?? null;
    preview.addEventListener("mouseover", (event) => lightBoth(view, placeIn(event)));
    preview.addEventListener("mouseleave", () => lightBoth(view, null));
    preview.addEventListener("click", (event) => {
      const offset = view.state.field(placesField).at.get(placeIn(event) ?? "");
      if (offset === undefined || (event.target as Element).closest("summary")) return;
      view.dispatch({
        selection: { anchor: Math.min(offset, view.state.doc.length) },
        effects: EditorView.scrollIntoView(offset, { y: "center" }),
      });
      view.focus();
    });
  });
}

/** Updates the places from the values of a new preview. */
export function readPlaces(view: EditorView, preview: HTMLElement): void {
  const names = new Set(
    [...preview.querySelectorAll<HTMLElement>("[data-at]")].map((element) => element.dataset.at ?? ""),
  );
  names.delete("");
  view.dispatch({ effects: setPlaces.of([...names]) });
}
