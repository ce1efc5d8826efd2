// The name of an input in its row, where it can be edited, and what is new about it compared with the base version.
import { createElement } from "../../dom.ts";
import { gettext, ngettext } from "../../language.ts";
import type { Schema } from "../types.ts";

/** The inputs of the version that the text is based on, and the services that will get what is published next. */
export interface Published {
  inputs: Record<string, Schema>;
  services: string[];
}

/** Renames an input everywhere; returns null on success, else the reason. */
export type Rename = (name: string, next: string) => Promise<string | null>;

/** The services that would get an error, because a required input is one that they don't have to send yet. */
export function listBrokenServices(name: string, schema: Schema, published: Published): string[] {
  const before = published.inputs[name];
  const wasRequired = before !== undefined && before.default === undefined;
  return schema.default === undefined && !wasRequired ? published.services : [];
}

/** The name as a field, followed by `new` if the base version has no such input. */
export function drawName(
  name: string,
  published: Published,
  rename: Rename,
  showMessage: (message: string) => void,
): Node[] {
  const box = createElement("input", {
    "aria-label": gettext("Name of the input {name}", { name }),
    autocapitalize: "none",
    spellcheck: "false",
    size: Math.max(name.length, 4),
    value: name,
  });
  box.addEventListener("change", async () => {
    const next = box.value.trim();
    if (next === name) return;
    const refusal = await rename(name, next);
    box.setAttribute("aria-invalid", String(refusal !== null));
    showMessage(refusal ?? "");
  });
  if (name in published.inputs) return [box];
  return [box, createElement("span", { class: "badge" }, gettext("new"))];
}

/** A warning if services would get an error: `breaks 2 keys`. */
export function drawBreak(name: string, schema: Schema, published: Published): Node[] {
  const services = listBrokenServices(name, schema, published);
  if (!services.length) return [];
  const text = ngettext("breaks {count} key", "breaks {count} keys", services.length);
  return [createElement("span", { class: "warn form-break", title: services.join(", ") }, text)];
}
