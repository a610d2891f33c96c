/** The upper left corner of a box. */
export interface Corner {
  readonly x: number;
  readonly y: number;
}

/** A reference between two boxes. */
interface Line {
  readonly from: string;
  readonly to: string;
}

/** The size of a box, and with the gap to the next one. */
export const BOX = Object.freeze({ width: 208, height: 52, stepX: 256, stepY: 72 });
const MOST_ROWS = 16;

/** Places boxes in columns: references lead to the left. Boxes without a line are below the others. */
export function layOut(ids: readonly string[], lines: readonly Line[]): ReadonlyMap<string, Corner> {
  const own = lines.filter(({ from, to }) => from !== to);
  const joined = new Set(own.flatMap(({ from, to }) => [from, to]));
  const above = toColumns([...joined], own);
  const single = ids.filter((id) => !joined.has(id));
  const below = toColumns(single, []);
  const top = Math.max(0, ...above.map(({ length }) => length));
  const corners = [...above, ...below].flatMap((column, at) => {
    const [x, y] = at < above.length ? [at, (top - column.length) / 2] : [at - above.length, top];
    return column.map((id, row) => [id, { x: x * BOX.stepX, y: (y + row) * BOX.stepY }] as const);
  });
  return new Map(corners);
}

/** Divides boxes into columns: a box is to the right of all boxes that it refers to, and near the middle of them. */
function toColumns(ids: readonly string[], lines: readonly Line[]): readonly (readonly string[])[] {
  const targets = new Map(ids.map((id) => [id, lines.filter(({ from }) => from === id).map(({ to }) => to)]));
  const columns: (readonly string[])[] = [];
  const places = new Map<string, number>();
  const middleOf = (id: string): number => {
    const known = (targets.get(id) ?? []).flatMap((target) => places.get(target) ?? []);
    return known.reduce((sum, place) => sum + place, 0) / Math.max(1, known.length);
  };
  for (let rest = ids; rest.length > 0; rest = rest.filter((id) => !places.has(id))) {
    const free = rest.filter((id) => targets.get(id)?.every((target) => places.has(target)));
    // A circle of references has no first box: any of its boxes begins.
    const next = free.length > 0 ? free.toSorted((a, b) => middleOf(a) - middleOf(b)) : rest.slice(0, 1);
    const column = next.slice(0, MOST_ROWS);
    for (const [at, id] of column.entries()) places.set(id, at / column.length);
    columns.push(column);
  }
  return columns;
}

/** Returns the line between two boxes: between the sides that face each other, or the right sides in one column. */
export function curveBetween(start: Corner, end: Corner): string {
  const [startSide, endSide] = [start.x > end.x ? -1 : 1, end.x > start.x ? -1 : 1];
  const [x1, y1] = [start.x + (startSide < 0 ? 0 : BOX.width), start.y + BOX.height * 0.65];
  const [x2, y2] = [end.x + (endSide < 0 ? 0 : BOX.width), end.y + BOX.height * 0.35];
  // Boxes between them must not hide it.
  const isLong = Math.abs(end.x - start.x) > BOX.stepX;
  const [bend, drop] = isLong ? [BOX.stepX - BOX.width, BOX.stepY] : [Math.abs(x2 - x1) / 2 || 56, 0];
  return `M${x1} ${y1}C${x1 + startSide * bend} ${y1 + drop} ${x2 + endSide * bend} ${y2 + drop} ${x2} ${y2}`;
}
