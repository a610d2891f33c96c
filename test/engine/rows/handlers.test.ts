import { action, type Context } from "odatakit";
import { describe, expect, test } from "vitest";
import type { ServiceDefinition } from "../../../src/definition/model/service-definition.ts";
import { SEED } from "../../cases.ts";
import { FAMILIES } from "./row-engines.ts";
import { databasePair, toMutable } from "./row-pairs.ts";
import { keyTextOf, SETS, USERS, visibleRows, type Row, type SetName } from "./row-rules.ts";

/** The keys that a handler finds in a set through `ctx.sets`, by a query and key by key. */
interface Found {
  readonly queried: readonly string[];
  readonly counted: number;
  readonly read: readonly string[];
}

async function findAll(context: Context, set: SetName, rows: readonly Row[], trusted: boolean): Promise<Found> {
  // Handlers use the declarations of their sets, which this suite makes within a function.
  const { entitySets, declarationOf } = context.service as ServiceDefinition;
  const declared = [...entitySets.values()].find(({ entitySet }) => entitySet.name.toLowerCase() === set);
  const declaration = declarationOf(declared?.entitySet.name ?? "");
  if (declared === undefined || declaration === undefined) throw new Error(`There is no set ${set}.`);
  const { entityType } = declared.entitySet;
  const access = context.sets(declaration, { trusted });
  const read: string[] = [];
  for (const row of rows) {
    const [single] = entityType.key;
    const key = entityType.key.length === 1 && single !== undefined ? row[single.field] : row;
    const entity = await access.get(key as never);
    if (entity !== null) read.push(keyTextOf(set, entity));
  }
  const queried = (await access.query()).map((entity) => keyTextOf(set, entity));
  return { queried: queried.toSorted(), counted: await access.count(), read: read.toSorted() };
}

describe.each(FAMILIES)("handlers that reach sets, over $name", ({ engines }) => {
  test("see the rows that the rules show their user, and all rows where they are trusted", async () => {
    for (const [index, engine] of engines.entries()) {
      for (const user of USERS) {
        const { first: data } = databasePair(user, SEED * 1000 + index);
        const results: Array<readonly [SetName, Found, Found]> = [];
        const reach = action({
          authorization: [],
          handler: async (_parameters, context) => {
            for (const set of SETS) {
              const rows = toMutable(data)[set];
              const own = await findAll(context, set, rows, false);
              results.push([set, own, await findAll(context, set, rows, true)]);
            }
          },
        });
        const { service, end } = await engine.start({ data, isGuarded: true, shared: { actions: { reach } } });
        const request = new Request("http://rows.example/reach", { method: "POST", headers: { "x-user": user } });
        const { status } = await service.fetch(request);
        await end();
        expect([engine.name, user, status]).toEqual([engine.name, user, 204]);
        const visible = visibleRows(user, data);
        for (const [set, own, trusted] of results) {
          const place = `${engine.name}, ${user}, ${set}`;
          for (const [found, rows] of [
            [own, visible[set]],
            [trusted, toMutable(data)[set]],
          ] as const) {
            const keys = rows.map((row) => keyTextOf(set, row)).toSorted();
            expect(found, place).toEqual({ queried: keys, counted: keys.length, read: keys });
          }
        }
      }
    }
  });
});
