import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { fuzzCount, SEED } from "../../cases.ts";
import { aggregate, type Operand, plainValue, type Value } from "./group-arithmetic.ts";
import { ENGINES, PARTIAL, type Engine } from "./relations-engines.ts";
import { GRAPH, type Kind, quoted } from "./relations-graph.ts";
import { memoryService, type Service } from "./relations-memory.ts";
import { filterOf, graphOf, pathsFrom, targetOf } from "./relations-queries.ts";
import { relationRows } from "./relations-rows.ts";

/** Each group has the values that a client computes of the entities that `$filter` returns for the group. */

const ORIGIN = "http://service.example";
const RUNS = fuzzCount(150, "fuzz:relations");
const RUNS_PER_ROUND = 25;
const HEADERS = { Accept: "application/json;IEEE754Compatible=true" };
const KINDS: readonly Kind[] = ["text", "integer", "decimal", "double", "boolean", "guid", "date", "instant", "size"];
const SUMMED: ReadonlySet<Kind> = new Set(["integer", "decimal", "double"]);
const UNORDERED: ReadonlySet<Kind> = new Set(["boolean", "guid"]);
/** The digits of an average after the point, six more than of its values. Without a declared scale, values count as ten. */
const SCALES: Readonly<Record<string, number>> = { Price: 8, Rating: 16 };

/** An aggregate: the path of its operand, the text of the request, and its method. */
interface Item {
  readonly path: string;
  readonly method: string;
  readonly text: string;
  readonly operand: Operand;
}

/** A pipeline over a set. */
interface Pipeline {
  readonly set: string;
  readonly outer: string | null;
  readonly keys: readonly string[];
  /** The condition within the groups. */
  readonly inner: string | null;
  readonly items: readonly Item[];
}

/** Returns the kind of the property at the end of a path. */
function kindOf(set: string, path: string): Kind {
  const { properties, toOne } = graphOf(set);
  const kind = properties[path];
  if (kind !== undefined) return kind;
  const [first = "", ...rest] = path.split("/");
  return kindOf(toOne[first] ?? "", rest.join("/"));
}

const isAlong = (set: string, path: string): boolean => graphOf(set).toOne[path.split("/")[0] ?? ""] !== undefined;

function item(set: string): fc.Arbitrary<Item> {
  return pathsFrom(set, KINDS).chain((path) => {
    const kind = kindOf(set, path);
    const along = isAlong(set, path);
    const sums = SUMMED.has(kind);
    const ordered = !UNORDERED.has(kind) && !(along && !sums && kind !== "text");
    const methods = [
      ...(along && !sums && kind !== "text" ? [] : ["countdistinct"]),
      ...(sums ? ["sum", "average"] : []),
      ...(ordered ? ["min", "max"] : []),
    ];
    const last = path.split("/").at(-1) ?? "";
    const averageScale = kind === "decimal" ? (SCALES[last] ?? 16) : null;
    // By itself, a path along a navigation would be aggregated once for each related entity.
    const perRow = sums ? `${path} mul 1` : `concat(${path},'')`;
    const text = along ? perRow : path;
    return fc
      .constantFrom(...(methods.length === 0 ? ["$count"] : methods))
      .map((method) => ({ path, method, text, operand: { kind, averageScale } }));
  });
}

const pipeline: fc.Arbitrary<Pipeline> = fc.constantFrom(...Object.keys(GRAPH)).chain((set) =>
  fc.record({
    set: fc.constant(set),
    outer: fc.option(filterOf(set, true), { freq: 2 }),
    keys: fc.uniqueArray(pathsFrom(set, KINDS), { minLength: 1, maxLength: 2 }),
    inner: fc.option(filterOf(set, true), { freq: 2 }),
    items: fc.array(item(set), { minLength: 1, maxLength: 4 }),
  }),
);

function applyOf({ outer, keys, inner, items }: Pipeline): string {
  const made = items.map(({ method, text }, index) =>
    method === "$count" ? `$count as A${String(index)}` : `${text} with ${method} as A${String(index)}`,
  );
  const within = inner === null ? "" : `filter(${inner})/`;
  const start = outer === null ? "" : `filter(${outer})/`;
  return `${start}groupby((${keys.join(",")}),${within}aggregate(${made.join(",")},$count as N))`;
}

type Row = Readonly<Record<string, unknown>>;

/** Reads all pages. @returns null for a refusal */
async function read(service: Service, set: string, options: Readonly<Record<string, string>>): Promise<Row[] | null> {
  const rows: Row[] = [];
  for (let url: unknown = ORIGIN + targetOf({ path: `/${set}`, options }); typeof url === "string";) {
    const response = await service.fetch(new Request(url, { headers: HEADERS }));
    if (response.status !== 200) {
      expect(response.status, decodeURIComponent(url)).toBeLessThan(500);
      return null;
    }
    const page = (await response.json()) as Row;
    rows.push(...(page["value"] as Row[]));
    url = page["@odata.nextLink"];
  }
  return rows;
}

function valueAt(row: unknown, path: string): Value {
  let value = row;
  for (const name of path.split("/")) value = value === null ? null : (value as Row)[name];
  return value as Value;
}

/** The condition on the entities of a group: an entity that does not exist is another group than one with null. */
function conditionOf(set: string, path: string, group: Row): string {
  const names = path.split("/");
  const conditions: string[] = [];
  for (const at of names.slice(0, -1).keys()) {
    const before = names.slice(0, at + 1).join("/");
    const isNull = valueAt(group, before) === null;
    if (isAlong(set, before) || before === "Home" || before.endsWith("/Home")) {
      conditions.push(`${before} ${isNull ? "eq" : "ne"} null`);
    }
    if (isNull) return conditions.join(" and ");
  }
  return [...conditions, `${path} eq ${literalOf(kindOf(set, path), valueAt(group, path))}`].join(" and ");
}

function literalOf(kind: Kind, value: Value): string {
  if (value === null) return "null";
  return kind === "text" || kind === "size" ? quoted(String(value)) : String(value);
}

/** The expansions by which responses contain the values of paths. */
function expandOf(set: string, paths: readonly string[]): string {
  const byName = new Map<string, string[]>();
  for (const path of paths.filter((each) => isAlong(set, each))) {
    const [name = "", ...rest] = path.split("/");
    byName.set(name, [...(byName.get(name) ?? []), rest.join("/")]);
  }
  return [...byName]
    .map(([name, rest]) => {
      const nested = expandOf(graphOf(set).toOne[name] ?? "", rest);
      return nested === "" ? name : `${name}($expand=${nested})`;
    })
    .join(",");
}

/** @param mayRefuse whether the engine refuses conditions that need several statements */
async function judge(service: Service, given: Pipeline, mayRefuse: boolean): Promise<boolean> {
  const { set, outer, keys, inner, items } = given;
  const $apply = applyOf(given);
  const groups = await read(service, set, { $apply });
  if (groups === null) return false;
  let total = 0;
  const $expand = expandOf(
    set,
    items.map(({ path }) => path),
  );
  const expansions = $expand === "" ? {} : { $expand };
  const shown = groups.map((group) => JSON.stringify(keys.map((key) => conditionOf(set, key, group))));
  expect(new Set(shown).size, $apply).toBe(shown.length);
  for (const group of groups) {
    const found = keys.map((key) => conditionOf(set, key, group)).join(" and ");
    const whole = outer === null ? found : `(${outer}) and ${found}`;
    const place = `${set}?$apply=${$apply}\n${JSON.stringify(group)}\n$filter=${whole}`;
    const members = await read(service, set, { $filter: whole });
    if (members === null && mayRefuse) return false;
    expect(members ?? [], place).not.toEqual([]);
    total += members?.length ?? 0;
    const $filter = inner === null ? whole : `${whole} and (${inner})`;
    const rows = await read(service, set, { $filter, ...expansions });
    if (rows === null) return false;
    expect(group["N"], place).toBe(String(rows.length));
    for (const [index, { path, method, operand }] of items.entries()) {
      const alias = `A${String(index)}`;
      const result = group[alias] as Value;
      const wanted =
        method === "$count"
          ? String(rows.length)
          : aggregate(
              method,
              operand,
              rows.map((row) => valueAt(row, path)),
            );
      expect(plainValue(resultKind(method, operand), result), `${place}\n${alias}: ${method} of ${path}`).toBe(wanted);
    }
  }
  const all = await read(service, set, outer === null ? {} : { $filter: outer });
  if (all === null && mayRefuse) return false;
  expect(total, `${set}?$apply=${$apply}`).toBe(all?.length);
  return groups.length > 0;
}

function resultKind(method: string, { kind, averageScale }: Operand): Kind {
  if (method === "countdistinct" || method === "$count") return "integer";
  return method === "average" && averageScale === null ? "double" : kind;
}

/** Arrays together with tables. The suite of `$apply` along navigations compares distributed tables. */
const MIXED = PARTIAL.filter(([name]) => name.startsWith("arrays"));
const arrays: Engine = (data, shared) =>
  Promise.resolve({ service: memoryService(data, "batches", shared), end: () => Promise.resolve() });
const SHARED = { defaults: { applyEnabled: true, maxTop: 4, maxNodeCount: 10_000 } } as const;

describe("each group is what $filter and arithmetic of the client give", () => {
  test.each([["arrays, with batches", arrays] as const, ...ENGINES, ...MIXED])(
    "over %s",
    { timeout: 300_000 + RUNS * 400 },
    async (_name, engine) => {
      const mayRefuse = MIXED.some(([, each]) => each === engine);
      let judged = 0;
      for (let round = 0; round * RUNS_PER_ROUND < RUNS; round += 1) {
        const { service, end } = await engine(relationRows(round + SEED * 1000 + 77), SHARED);
        try {
          const property = fc.asyncProperty(pipeline, async (given) => {
            if (await judge(service, given, mayRefuse)) judged += 1;
          });
          const numRuns = Math.min(RUNS_PER_ROUND, RUNS - round * RUNS_PER_ROUND);
          await fc.assert(property, { numRuns, seed: SEED + round });
        } finally {
          await end();
        }
      }
      // Refusals alone would prove nothing.
      expect(judged / RUNS).toBeGreaterThan(0.4);
    },
  );
});
