// Values inside a sample by their path: the name of the input, then names of properties.
import type { Data, Json } from "./types.ts";

const isObject = (value: Json | undefined): value is Data =>
  value !== null && typeof value === "object" && !Array.isArray(value);

/** The value at a path, undefined if there isn't one. */
export function readValue(value: Json | undefined, path: readonly string[]): Json | undefined {
  let current = value;
  for (const step of path) current = isObject(current) ? current[step] : undefined;
  return current;
}

/** The object with the value at a path replaced, undefined to remove it; non-objects on the path become objects. */
export function writeValue(value: Json | undefined, path: readonly string[], next: Json | undefined): Data {
  const copy: Data = isObject(value) ? { ...value } : {};
  const [step = "", ...rest] = path;
  const inner = rest.length ? writeValue(copy[step], rest, next) : next;
  if (inner === undefined) delete copy[step];
  else copy[step] = inner;
  return copy;
}

/** The list with the item at `from` moved to `to`. */
export function moveItem<Item>(items: readonly Item[], from: number, to: number): Item[] {
  const moved = items.slice(from, from + 1);
  const others = [...items.slice(0, from), ...items.slice(from + 1)];
  return moved.length ? [...others.slice(0, to), ...moved, ...others.slice(to)] : [...items];
}
