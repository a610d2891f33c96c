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
