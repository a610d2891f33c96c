import { arraySource, edm, entitySet, entityType, odataService } from "odatakit";
import { sqlEntitySet } from "odatakit/kysely";
import { describe, expect, test } from "vitest";
import { createTable, ENGINES, insertRow } from "../../engine/executors/engines.ts";

const Cell = entityType("Cell", {
  id: edm.int32().key(),
  a: edm.int32().nullable(),
  b: edm.int32().nullable(),
  name: edm.string().nullable(),
  size: edm.double().nullable(),
});
const ROWS = [
  { id: 1, a: 1, b: 1, name: "x", size: 1.5 },
  { id: 2, a: 1, b: 2, name: "y", size: 2 },
  { id: 3, a: null, b: null, name: null, size: null },
  { id: 4, a: 2, b: null, name: "x", size: null },
  { id: 5, a: null, b: 1, name: "z", size: 2 },
] as const;

/** Filters whose operands may be null, and the keys of the entities that match. */
const FILTERS: ReadonlyArray<readonly [filter: string, ids: readonly number[]]> = [
  ["A in (1,2)", [1, 2, 4]],
  ["A in (1,null)", [1, 2, 3, 5]],
  ["not (A in (1,null))", [4]],
  ["not (A in (1))", [3, 4, 5]],
  ["A in (null)", [3, 5]],
  ["Id in (null)", []],
  ["null in (1,2)", []],
  ["null in (1,null)", [1, 2, 3, 4, 5]],
  ["1 in (1,2)", [1, 2, 3, 4, 5]],
  ["(A add B) in (2,null)", [1, 3, 4, 5]],
  ["not ((A add B) in (2))", [2, 3, 4, 5]],
  ["Name in ('x',null)", [1, 3, 4]],
  ["not (Name in ('x',null))", [2, 5]],
  ["Size in (1.5,NaN)", [1]],
  ["not (Size in (2,NaN))", [1, 3, 4]],
  ["Size in (NaN,null)", [3, 4]],
  ["not (Size in (NaN,null))", [1, 2, 5]],
  ["(Size add 1) in (2.5,NaN,null)", [1, 3, 4]],
  ["contains(Name,null)", []],
  ["contains(Name,null) eq null", [1, 2, 3, 4, 5]],
  ["length(null) eq null", [1, 2, 3, 4, 5]],
  ["A add null eq null", [1, 2, 3, 4, 5]],
  ["-null eq null", [1, 2, 3, 4, 5]],
  ["null gt A", []],
  ["null ne A", [1, 2, 4]],
];

async function idsOf(service: ReturnType<typeof odataService>, filter: string): Promise<unknown> {
  const target = `/Cells?$select=Id&$orderby=Id&$filter=${encodeURIComponent(filter)}`;
  const response = await service.fetch(new Request(`http://service.example${target}`));
  const body = (await response.json()) as { readonly value?: ReadonlyArray<{ readonly Id: number }> };
  return body.value?.map(({ Id }) => Id) ?? body;
}

test.each(FILTERS)("arrays: %s", async (filter, ids) => {
  const service = odataService({ entitySets: [entitySet(Cell, { queryable: () => arraySource(Cell, ROWS) })] });
  expect(await idsOf(service, filter)).toEqual(ids);
});

describe.each(ENGINES)("operands that may be null: $title", (engine) => {
  test("match as they do in arrays", async () => {
    const open = await engine.open();
    const double = engine.name === "sqlite" ? "real" : "double precision";
    await createTable(open, "cells", {
      id: "integer primary key",
      a: "integer",
      b: "integer",
      name: "varchar(9)",
      size: double,
    });
    for (const { id, a, b, name, size } of ROWS) await insertRow(open, "cells", [id, a, b, name, size]);
    const service = odataService({
      entitySets: [sqlEntitySet(Cell, { db: open.db, table: "cells", operations: ["read"] })],
    });
    for (const [filter, ids] of FILTERS) expect(await idsOf(service, filter), filter).toEqual(ids);
    await open.close();
  });
});
