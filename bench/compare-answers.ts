import { isDeepStrictEqual } from "node:util";
import { ask, type Answer, type Asked } from "./ask.ts";
import { WRITE_HEADERS } from "./load-requests.ts";
import type { Scenario } from "./scenarios.ts";
import type { ServerProcess } from "./server-process.ts";
import { limitsOf, type Servers } from "./with-servers.ts";

/** The headers that describe the response. All others concern its transport. */
const HEADERS: readonly string[] = [
  "odata-version",
  "content-type",
  "vary",
  "etag",
  "location",
  "content-location",
  "cache-control",
];
/** How many targets of a scenario are compared. */
const COMPARED = 50;
/** The number of characters to show around the first difference of two bodies. */
const SHOWN = 80;

/**
 * Compares ours with each limit server that a scenario is measured against.
 * @throws Error with the first difference
 */
export async function compareAll(scenario: Scenario, servers: Servers): Promise<void> {
  for (const limit of limitsOf(scenario, servers)) await compareAnswers(scenario, servers.ours, limit);
}

/**
 * Sends the same request to both servers and compares status, headers, JSON value and bytes.
 * @throws Error with the first difference
 */
async function compareAnswers(
  { id, paths, writes }: Scenario,
  ours: ServerProcess,
  limit: ServerProcess,
): Promise<void> {
  const compare = async (path: string, asked?: Asked): Promise<Answer> => {
    const [left, right] = await Promise.all([ask(ours.port, path, asked), ask(limit.port, path, asked)]);
    const difference = differenceOf(left, right);
    if (difference === null) return left;
    throw new Error(`${id}: the answers to ${asked?.method ?? "GET"} ${path} differ in ${difference}`);
  };
  for (const path of paths.slice(0, COMPARED)) {
    if (writes?.kind === "create") {
      const made = await compare(path, { method: "POST", headers: WRITE_HEADERS, body: writes.body });
      await compare(new URL(made.headers.get("location") ?? "").pathname);
      continue;
    }
    const { headers } = await compare(path);
    if (writes === undefined) continue;
    const changed = { ...WRITE_HEADERS, "if-match": headers.get("etag") ?? "" };
    await compare(path, { method: "PATCH", headers: changed, body: writes.body });
    await compare(path);
  }
}

function differenceOf(ours: Answer, limit: Answer): string | null {
  if (ours.status !== limit.status || ours.status >= 300) {
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
