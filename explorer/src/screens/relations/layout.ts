import { type Line, toLayers } from "./layers.ts";

/** A box of the diagram: its size in pixels. */
export interface Box {
  readonly id: string;
  readonly width: number;
  readonly height: number;
}

/** A box with the place of its upper left corner. */
export interface PlacedBox extends Box {
  readonly x: number;
  readonly y: number;
}

/** All boxes, and the size of the picture. */
export interface Layout {
  readonly boxes: ReadonlyMap<string, PlacedBox>;
  readonly width: number;
  readonly height: number;
}

const GAP_BETWEEN_COLUMNS = 72;
const GAP_BETWEEN_ROWS = 20;
const GAP_BETWEEN_PARTS = 48;
/** Columns become higher than this only with one box. */
const MOST_HEIGHT = 1200;

/**
 * Places boxes in columns: what others refer to stands left of them. Boxes without a line stand below the others. The same
 * input has the same picture.
 */
export function layOut(boxes: readonly Box[], lines: readonly Line[]): Layout {
  const parts = connectedParts(boxes, lines);
  const placed = new Map<string, PlacedBox>();
  const widest = Math.max(MOST_HEIGHT, ...parts.joined.map(({ length }) => Math.sqrt(length) * 400));
  const shelf = { x: 0, y: 0, height: 0, width: 0 };
  const put = (picture: Layout): void => {
    if (shelf.x > 0 && shelf.x + picture.width > widest) {
      shelf.y += shelf.height + GAP_BETWEEN_PARTS;
      shelf.x = 0;
      shelf.height = 0;
    }
    for (const [id, box] of picture.boxes) placed.set(id, { ...box, x: box.x + shelf.x, y: box.y + shelf.y });
    shelf.width = Math.max(shelf.width, shelf.x + picture.width);
    shelf.x += picture.width + GAP_BETWEEN_PARTS;
    shelf.height = Math.max(shelf.height, picture.height);
  };
  for (const part of parts.joined) put(layOutPart(part, lines));
  if (parts.single.length > 0) {
    shelf.x = shelf.x > 0 ? Number.POSITIVE_INFINITY : 0;
    put(toColumns(split(parts.single)));
  }
  return { boxes: placed, width: shelf.width, height: shelf.y + shelf.height };
}

/** Returns the boxes that lines join, the largest part first, and the boxes without a line. */
function connectedParts(
  boxes: readonly Box[],
  lines: readonly Line[],
): { readonly joined: readonly (readonly Box[])[]; readonly single: readonly Box[] } {
  const neighbours = new Map<string, string[]>(boxes.map(({ id }) => [id, []]));
  for (const { from, to } of lines) {
    neighbours.get(from)?.push(to);
    neighbours.get(to)?.push(from);
  }
  const byId = new Map(boxes.map((box) => [box.id, box]));
  const seen = new Set<string>();
  const parts = boxes.flatMap(({ id }) => {
    if (seen.has(id)) return [];
    seen.add(id);
    const part: Box[] = [];
    for (const reached = [id]; reached.length > 0;) {
      const next = byId.get(reached.pop() ?? "");
      if (next === undefined) continue;
      part.push(next);
      for (const neighbour of neighbours.get(next.id) ?? []) {
        if (seen.has(neighbour)) continue;
        seen.add(neighbour);
        reached.push(neighbour);
      }
    }
    return [part];
  });
  return {
    joined: parts.filter(({ length }) => length > 1).toSorted((one, other) => other.length - one.length),
    single: parts.filter(({ length }) => length === 1).flat(),
  };
}

function layOutPart(part: readonly Box[], lines: readonly Line[]): Layout {
  const byId = new Map(part.map((box) => [box.id, box]));
  const own = lines.filter(({ from, to }) => byId.has(from) && byId.has(to));
  const layers = toLayers([...byId.keys()], own);
  return toColumns(layers.flatMap((ids) => split(ids.flatMap((id) => byId.get(id) ?? []))));
}

/** Splits a column that would be too high. */
function split(column: readonly Box[]): readonly (readonly Box[])[] {
  const columns: Box[][] = [];
  let height = Number.POSITIVE_INFINITY;
  for (const box of column) {
    if (height + box.height > MOST_HEIGHT) {
      columns.push([]);
      height = 0;
    }
    columns.at(-1)?.push(box);
    height += box.height + GAP_BETWEEN_ROWS;
  }
  return columns;
}

/** Places columns beside each other, each in the middle of the height. */
function toColumns(columns: readonly (readonly Box[])[]): Layout {
  const heightOf = (column: readonly Box[]): number =>
    column.reduce((sum, box) => sum + box.height + GAP_BETWEEN_ROWS, -GAP_BETWEEN_ROWS);
  const height = Math.max(0, ...columns.map(heightOf));
  const boxes = new Map<string, PlacedBox>();
  let x = 0;
  for (const column of columns) {
    let y = (height - heightOf(column)) / 2;
    for (const box of column) {
      boxes.set(box.id, { ...box, x, y });
      y += box.height + GAP_BETWEEN_ROWS;
    }
    x += Math.max(0, ...column.map(({ width }) => width)) + GAP_BETWEEN_COLUMNS;
  }
  return { boxes, width: Math.max(0, x - GAP_BETWEEN_COLUMNS), height };
}
