import { isDeepStrictEqual } from "node:util";
import { ask, type Answer } from "./ask.ts";
import type { Scenario } from "./scenarios.ts";
import type { ServerProcess } from "./server-process.ts";

/** The headers that tell something about the answer; the others are about its transport. */
const HEADERS: readonly string[] = ["odata-version", "content-type", "vary", "etag", "cache-control"];
/** How many targets of a scenario are compared. */
const COMPARED = 50;
/** How much text is shown around the first difference of two bodies. */
const SHOWN = 80;

/**
 * Asks both servers for the same and compares status, headers, JSON value and bytes.
 * @throws Error that shows the first difference
 */
export async function compareAnswers(scenario: Scenario, ours: ServerProcess, limit: ServerProcess): Promise<void> {
  for (const path of scenario.paths.slice(0, COMPARED)) {
    const [left, right] = await Promise.all([ask(ours.port, path), ask(limit.port, path)]);
    const difference = differenceOf(left, right);
    if (difference !== null) throw new Error(`${scenario.id}: the answers to ${path} differ in ${difference}`);
  }
}

function differenceOf(ours: Answer, limit: Answer): string | null {
  if (ours.status !== limit.status || ours.status !== 200) {
    return `status: ours ${String(ours.status)}, limit ${String(limit.status)}\n${textOf(ours)}\n${textOf(limit)}`;
  }
  const header = HEADERS.find((name) => ours.headers.get(name) !== limit.headers.get(name));
  if (header !== undefined) return `${header}: ${show(ours.headers.get(header))}, ${show(limit.headers.get(header))}`;
  if (ours.body.equals(limit.body)) return null;
  const same = isDeepStrictEqual(JSON.parse(ours.body.toString()), JSON.parse(limit.body.toString()));
  return `${same ? "bytes, though not in value" : "value"}:\n${firstDifference(ours.body.toString(), limit.body.toString())}`;
}

function firstDifference(ours: string, limit: string): string {
  let at = 0;
  while (at < ours.length && ours[at] === limit[at]) at += 1;
  const cut = (text: string): string => text.slice(Math.max(0, at - SHOWN), at + SHOWN);
  return `at character ${String(at)}\n  ours:  ${cut(ours)}\n  limit: ${cut(limit)}`;
}

function textOf({ body }: Answer): string {
  return `  ${body.toString("utf8", 0, 4 * SHOWN)}`;
}

function show(header: string | undefined): string {
  return header ?? "(absent)";
}
