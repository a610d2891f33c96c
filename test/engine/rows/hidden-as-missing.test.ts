import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { GRAPH } from "../executors/relations-graph.ts";
import { FAMILIES, type Running } from "./row-engines.ts";
import { rowsOf, toMutable } from "./row-pairs.ts";
import { DOMAIN, FRESH, keyPredicate, TITLES, wireBody, type RowRequest } from "./row-requests.ts";
import { keyTextOf, SETS, visibleRows, type Row, type SetName } from "./row-rules.ts";
import { answersOf, statusOf } from "./row-runs.ts";
import type { StoredRows } from "./row-store.ts";

/** A request that names a hidden row gets exactly the response for a missing row, except for the key. */

const USER = "alice";
const JSON_TYPE = { "Content-Type": "application/json;IEEE754Compatible=true" };

/** Rows of which some are hidden in each set, and some keys are free. */
const DATA = rowsOf(77);

/**
 * A hidden row of each set that has some, and a key of no row.
 * Responses contain the key, so both keys have the same length: the Content-Length must be equal too.
 */
const CASES = SETS.flatMap((set) => {
  const rows = toMutable(DATA)[set];
  const visible = new Set(visibleRows(USER, DATA)[set].map((row) => keyTextOf(set, row)));
  const all = new Set(rows.map((row) => keyTextOf(set, row)));
  const free = [...DOMAIN[set], ...FRESH[set]].filter((row) => !all.has(keyTextOf(set, row)));
  const hiddenRows = rows.filter((row) => !visible.has(keyTextOf(set, row)));
  if (hiddenRows.length === 0) return [];
  const [pair] = hiddenRows.flatMap((hidden) =>
    free.filter(isAsLong(set, hidden)).map((missing) => ({ set, hidden, missing })),
  );
  if (pair === undefined) throw new Error(`${set} has no free key that is as long as the key of a hidden row.`);
  return [pair];
});

/** Whether a key is as long as the key of a row, both encoded and decoded. */
function isAsLong(set: SetName, row: Row): (key: Row) => boolean {
  const lengthsOf = (key: Row): string => {
    const predicate = keyPredicate(set, key);
    return `${predicate.length} ${decodeURIComponent(predicate).length}`;
  };
  const lengths = lengthsOf(row);
  return (key) => lengthsOf(key) === lengths;
}

/** All requests that name an entity in their path. */
function requestsTo(set: SetName, key: Row): readonly RowRequest[] {
  const path = `/${TITLES[set]}(${keyPredicate(set, key)})`;
  const { properties, toOne, toMany } = GRAPH[TITLES[set]] ?? { properties: {}, toOne: {}, toMany: {} };
  const read = (tail: string, headers = {}): RowRequest => ({ method: "GET", target: path + tail, headers });
  const write = (method: string, tail: string, body?: object, headers = {}): RowRequest => ({
    method,
    target: path + tail,
    headers: { ...JSON_TYPE, ...headers },
    body: body === undefined ? undefined : JSON.stringify(body),
  });
  const plain = Object.keys(properties).filter((name) => !name.includes("/"));
  const single = Object.keys(toOne);
  const several = Object.keys(toMany);
  const link = { "@odata.id": `Tags('x')` };
  return [
    read(""),
    read("?$select=*&$expand=*"),
    read("", { "If-None-Match": "*" }),
    ...plain.flatMap((name) => [read(`/${name}`), read(`/${name}/$value`), write("PUT", `/${name}`, { value: null })]),
    ...[...single, ...several].flatMap((name) => [read(`/${name}`), read(`/${name}/$ref`)]),
    ...several.flatMap((name) => [
      read(`/${name}/$count`),
      write("POST", `/${name}/$ref`, link),
      write("DELETE", `/${name}/$ref?$id=Tags('x')`),
    ]),
    ...single.flatMap((name) => [write("PUT", `/${name}/$ref`, link), write("DELETE", `/${name}/$ref`)]),
    write("PATCH", "", {}),
    write("PATCH", "", {}, { "If-Match": "*" }),
    write("PATCH", "", {}, { "If-Match": '"x"' }),
    write("DELETE", ""),
    write("DELETE", "", undefined, { "If-Match": "*" }),
    write("POST", "/show"),
    read("/chaptersOf"),
    ...(set === "books" ? [] : [write("PUT", "", wireBody(set, { ...toMutable(DATA)[set][0], ...key }))]),
  ];
}

/** Returns the text of a response without the key, in each of its forms. */
function withoutKey(answer: string, set: SetName, key: Row): string {
  const predicate = keyPredicate(set, key);
  return [predicate, decodeURIComponent(predicate)].reduce(
    (text, form) => text.replaceAll(`(${form})`, "(KEY)").replaceAll(`(${JSON.stringify(form).slice(1, -1)})`, "(KEY)"),
    answer,
  );
}

describe.each(FAMILIES.flatMap(({ engines }) => engines))("$name", ({ start }) => {
  // No test changes a row, so all share the rows.
  let running: Running;
  let before: StoredRows | null;

  beforeAll(async () => {
    running = await start({ data: DATA, isGuarded: true, shared: {} });
    before = await running.stored();
  });
  afterAll(() => running.end());

  test.each(CASES)("$set", async ({ set, hidden, missing }) => {
    const { service, stored } = running;
    const ofHidden = await answersOf(service, USER, requestsTo(set, hidden));
    const ofMissing = await answersOf(service, USER, requestsTo(set, missing));
    expect(ofHidden.flat().map((answer) => withoutKey(answer, set, hidden))).toEqual(
      ofMissing.flat().map((answer) => withoutKey(answer, set, missing)),
    );
    expect(ofHidden.filter((answers) => statusOf(answers) === 404).length).toBeGreaterThan(10);
    expect(await stored()).toEqual(before);
  });

  test.each(CASES)(
    "$set: creating a row with the key of a hidden row does not overwrite it",
    async ({ set, hidden }) => {
      const { service, stored } = running;
      const body = JSON.stringify(wireBody(set, { ...visibleRows(USER, DATA)[set][0], ...keyOf(set, hidden) }));
      const target = `/${TITLES[set]}`;
      const path = `${target}(${keyPredicate(set, hidden)})`;
      const given = [
        { method: "POST", target, headers: JSON_TYPE, body },
        { method: "PUT", target: path, headers: JSON_TYPE, body },
      ];
      const answers = await answersOf(service, USER, given);
      for (const each of answers) expect([403, 404, 405, 409], each.join("\n")).toContain(statusOf(each));
      expect(await stored()).toEqual(before);
    },
  );
});

function keyOf(set: SetName, row: Row): Row {
  return Object.fromEntries(Object.keys(DOMAIN[set][0] ?? {}).map((field) => [field, row[field]]));
}
