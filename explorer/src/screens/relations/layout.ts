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
/** Columns become higher than this only with one box. */
const MOST_HEIGHT = 1200;

/**
 * Places boxes in columns: what others refer to stands left of them. Boxes without a line stand below the others. The same
 * input has the same picture.
 */
export function layOut(boxes: readonly Box[], lines: readonly Line[]): Layout {
  const byId = new Map(boxes.map((box) => [box.id, box]));
  const own = lines.filter(({ from, to }) => from !== to && byId.has(from) && byId.has(to));
  const joined = new Set(own.flatMap(({ from, to }) => [from, to]));
  const layers = toLayers(
    [...byId.keys()].filter((id) => joined.has(id)),
    own,
  );
  const above = toColumns(layers.flatMap((ids) => split(ids.flatMap((id) => byId.get(id) ?? []))));
  const below = toColumns(split(boxes.filter(({ id }) => !joined.has(id))));
  const top = joined.size === 0 ? 0 : above.height + GAP_BETWEEN_COLUMNS;
  return {
    boxes: new Map([
      ...above.boxes,
      ...Array.from(below.boxes, ([id, box]) => [id, { ...box, y: box.y + top }] as const),
    ]),
    width: Math.max(above.width, below.width),
    height: joined.size === boxes.length ? above.height : top + below.height,
  };
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
