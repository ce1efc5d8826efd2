// Comparison of two outlines, so that unchanged cards stay.
import type { Node, Part } from "./outline.ts";

/** A key that determines whether cards can be kept: number, kind and nesting of the nodes. */
export function describeShape(nodes: Node[]): string {
  const titles = nodes.map((node) => {
    if (node.kind === "part") return JSON.stringify([node.content !== null, ...listSettings(node)]);
    if (node.kind === "lines") return `l${node.text}`;
    return node.sections.map((section) => `${section.head}(${describeShape(section.nodes)})`).join("|");
  });
  return `[${titles.join(",")}]`;
}

/** Update the places of nodes of the same shape in place, so that references to them stay valid. */
export function updateOutline(nodes: Node[], fresh: Node[]): void {
  for (const [index, node] of fresh.entries()) {
    const old = nodes[index];
    if (old?.kind === "block" && node.kind === "block") {
      Object.assign(old, { from: node.from, to: node.to });
      for (const [place, section] of node.sections.entries())
        updateOutline(old.sections[place]?.nodes ?? [], section.nodes);
    } else if (old) Object.assign(old, node);
  }
}

const listSettings = (part: Part): unknown[] => [part.name?.text, part.role?.text, part.priority?.text, part.others];
