/** A line between two boxes: from the one with the reference to the one that it refers to. */
export interface Line {
  readonly from: string;
  readonly to: string;
}

/** Passes over the layers, forth and back, to bring related boxes near each other. */
const PASSES = 4;

/**
 * Divides boxes into layers: a box stands behind all boxes that it refers to, where no circle forbids it. Within a layer,
 * boxes stand near those that lines join them with.
 */
export function toLayers(ids: readonly string[], lines: readonly Line[]): readonly (readonly string[])[] {
  const references = withoutCircles(ids, lines);
  const depths = new Map<string, number>();
  const depthOf = (id: string): number => {
    const known = depths.get(id);
    if (known !== undefined) return known;
    const depth = Math.max(-1, ...(references.get(id) ?? []).map(depthOf)) + 1;
    depths.set(id, depth);
    return depth;
  };
  const layers: string[][] = [];
  for (const id of ids) (layers[depthOf(id)] ??= []).push(id);
  return sorted(layers, lines);
}

/** Returns what each box refers to, without lines that close a circle. A line of a box to itself is a circle. */
function withoutCircles(ids: readonly string[], lines: readonly Line[]): ReadonlyMap<string, readonly string[]> {
  const all = new Map<string, Set<string>>(ids.map((id) => [id, new Set()]));
  for (const { from, to } of lines) all.get(from)?.add(to);
  const kept = new Map<string, string[]>(ids.map((id) => [id, []]));
  const states = new Map<string, "open" | "done">();
  const visit = (start: string): void => {
    // Models may have hundreds of sets in a row: a stack of one's own does not end.
    const stack = [{ id: start, rest: [...(all.get(start) ?? [])] }];
    states.set(start, "open");
    for (let top = stack.at(-1); top !== undefined; top = stack.at(-1)) {
      const next = top.rest.shift();
      if (next === undefined) {
        states.set(top.id, "done");
        stack.pop();
      } else if (states.get(next) !== "open") {
        kept.get(top.id)?.push(next);
        if (states.has(next)) continue;
        states.set(next, "open");
        stack.push({ id: next, rest: [...(all.get(next) ?? [])] });
      }
    }
  };
  for (const id of ids) if (!states.has(id)) visit(id);
  return kept;
}

/** Sorts each layer by the middle place of the neighbours in the layers before, then behind. */
function sorted(layers: readonly (readonly string[])[], lines: readonly Line[]): readonly (readonly string[])[] {
  const neighbours = new Map<string, string[]>();
  const add = (one: string, other: string): void => {
    neighbours.set(one, [...(neighbours.get(one) ?? []), other]);
  };
  for (const { from, to } of lines) {
    add(from, to);
    add(to, from);
  }
  let current = layers.map((layer) => [...layer]);
  for (let pass = 0; pass < PASSES; pass += 1) {
    const places = new Map(current.flatMap((layer) => layer.map((id, at) => [id, at / layer.length] as const)));
    const middle = (id: string): number => {
      const known = (neighbours.get(id) ?? []).flatMap((other) => places.get(other) ?? []);
      return known.length === 0 ? (places.get(id) ?? 0) : known.reduce((sum, each) => sum + each, 0) / known.length;
    };
    current = current.map((layer) => layer.toSorted((one, other) => middle(one) - middle(other)));
  }
  return current;
}
