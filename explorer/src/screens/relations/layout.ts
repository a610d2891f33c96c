import { Graph, layout } from "@dagrejs/dagre";

/** The upper left corner of a box. */
export interface Corner {
  readonly x: number;
  readonly y: number;
}

/** A reference between two boxes. */
export interface Line {
  readonly from: string;
  readonly to: string;
}

/** Where boxes and lines are. */
export interface Layout {
  readonly corners: ReadonlyMap<string, Corner>;
  /** The corners of each line, in the order of the lines: from box to box. */
  readonly routes: readonly (readonly Corner[])[];
  readonly width: number;
  readonly height: number;
  readonly box: typeof BOX;
}

/** The size of a box, and the gap around it. */
export const BOX = Object.freeze({ width: 208, height: 52, gap: 20 });

/** Places boxes in columns: references lead to the left. Boxes without a line to another one are below the others. */
export function layOut(ids: readonly string[], lines: readonly Line[]): Layout {
  const graph = new Graph({ multigraph: true });
  graph.setGraph({ rankdir: "RL", nodesep: BOX.gap, edgesep: 12, ranksep: 72, acyclicer: "greedy" });
  for (const [at, { from, to }] of lines.entries()) {
    if (from === to) continue;
    for (const id of [from, to]) graph.setNode(id, { width: BOX.width, height: BOX.height });
    graph.setEdge(from, to, {}, String(at));
  }
  const joined = new Set(graph.nodes());
  layout(graph);
  const { width = 0, height = 0 } = joined.size === 0 ? {} : graph.graph();
  const single = ids.filter((id) => !joined.has(id));
  const most = Math.max(1, Math.floor((width + BOX.gap) / (BOX.width + BOX.gap)), Math.ceil(Math.sqrt(single.length)));
  const top = joined.size === 0 ? 0 : height + BOX.gap;
  const corners = new Map<string, Corner>([
    ...[...joined].map((id): readonly [string, Corner] => {
      const { x, y } = graph.node(id);
      return [id, { x: x - BOX.width / 2, y: y - BOX.height / 2 }];
    }),
    ...single.map((id, at): readonly [string, Corner] => {
      const [column, row] = [at % most, Math.floor(at / most)];
      return [id, { x: column * (BOX.width + BOX.gap), y: top + row * (BOX.height + BOX.gap) }];
    }),
  ]);
  const all = [...corners.values()];
  const columns = new Set(all.map(({ x }) => Math.round(x)));
  return {
    box: BOX,
    corners,
    routes: lines.map((line, at) => {
      const points = line.from === line.to ? [] : graph.edge(line.from, line.to, String(at)).points;
      return routeOf(corners.get(line.from), corners.get(line.to), points.slice(1, -1), columns);
    }),
    width: Math.max(0, ...all.map(({ x }) => x)) + BOX.width,
    height: Math.max(0, ...all.map(({ y }) => y)) + BOX.height,
  };
}

/** A line is level where it passes through a column of boxes, and oblique only between columns: so it crosses no box. */
function routeOf(
  start: Corner = { x: 0, y: 0 },
  end: Corner = start,
  points: readonly Corner[],
  columns: ReadonlySet<number>,
): readonly Corner[] {
  const [first, last] = [start.y + BOX.height / 2, end.y + BOX.height / 2];
  if (start === end) {
    const [right, loop] = [start.x + BOX.width, start.x + BOX.width + BOX.gap];
    return [right, loop, loop, right].map((x, at) => ({ x, y: first + (at < 2 ? 0 : 14) }));
  }
  const isLeft = start.x > end.x;
  const route = points.flatMap(({ x, y }) => {
    const left = x - BOX.width / 2;
    const sides = columns.has(Math.round(left)) ? [left, left + BOX.width] : [x];
    return (isLeft ? sides.toReversed() : sides).map((side) => ({ x: side, y }));
  });
  const [out, into] = isLeft ? [0, BOX.width] : [BOX.width, 0];
  return [{ x: start.x + out, y: first }, ...route, { x: end.x + into, y: last }];
}
