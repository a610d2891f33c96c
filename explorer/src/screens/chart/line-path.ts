import type { Scale } from "./chart-scale.ts";

/** Returns the path through the points of a series, with a gap where a value is missing. */
export function linePath(points: readonly (readonly [x: number, value: number | null])[], yOf: Scale): string {
  let command = "M";
  let path = "";
  for (const [x, value] of points) {
    if (value !== null) path += `${command}${x.toFixed(1)} ${yOf(value).toFixed(1)}`;
    command = value === null ? "M" : "L";
  }
  return path;
}

/** The shapes of the points of each series: where they begin beside the point, and their lines. */
const SHAPES = [
  [-3.5, 0, "a3.5 3.5 0 1 0 7 0a3.5 3.5 0 1 0 -7 0z"],
  [-4.5, -1.5, "h3v-3h3v3h3v3h-3v3h-3v-3h-3z"],
  [0, -5, "l4 5l-4 5l-4 -5z"],
  [-3.2, -3.2, "h6.4v6.4h-6.4z"],
  [0, -4.5, "l4.2 7.5h-8.4z"],
  [0, 4.5, "l4.2 -7.5h-8.4z"],
] as const;

/** Returns the path of the shape that a series has at a point. */
export function shapePath(series: number, x: number, y: number): string {
  const [right, down, lines] = SHAPES[series % SHAPES.length] ?? SHAPES[0];
  return `M${(x + right).toFixed(1)} ${(y + down).toFixed(1)}${lines}`;
}
