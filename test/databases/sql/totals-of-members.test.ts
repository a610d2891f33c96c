import { sql } from "kysely";
import { edm, entityType, enumType, odataService } from "odatakit";
import { sqlEntitySet } from "odatakit/kysely";
import { describe, expect, test } from "vitest";
import { ENGINES } from "../../engine/executors/engines.ts";

const Color = enumType("Color", { Red: 1, Green: 2, Blue: 4 });
const Tile = entityType("Tile", { id: edm.int32().key(), color: edm.enum(Color).nullable() });

describe.each(ENGINES)("totals of an enumeration over $title", ({ open }) => {
  test("are null, with a warning that names the column, for a cell that is not a member", async () => {
    const { db, close } = await open();
    await sql`create table tiles (id integer primary key, color integer)`.execute(db);
    await sql`insert into tiles values (1, 2), (2, 1), (3, 99), (4, null)`.execute(db);
    const warnings: string[] = [];
    const service = odataService({
      profile: "standard",
      logger: { error: () => undefined, info: () => undefined, warn: (message) => void warnings.push(message) },
      entitySets: [
        sqlEntitySet(Tile, {
          db,
          table: "tiles",
          operations: ["read"],
          unreadable: "null",
          // The cells are the numbers of the members.
          columns: { color: { storage: { values: { Red: 1, Green: 2, Blue: 4 } } } },
        }),
      ],
    });
    const totals = async (apply: string): Promise<readonly unknown[]> => {
      const response = await service.fetch(new Request(`http://service.example/Tiles?$apply=${apply}`));
      return [response.status, ((await response.json()) as { readonly value?: unknown }).value];
    };
    try {
      expect(await totals("aggregate(Color with min as Least)")).toMatchObject([200, [{ Least: "Red" }]]);
      expect(await totals("filter(Id lt 3)/aggregate(Color with max as Most)")).toMatchObject([
        200,
        [{ Most: "Green" }],
      ]);
      expect(warnings).toEqual([]);
      expect(await totals("aggregate(Color with max as Most)")).toMatchObject([200, [{ Most: null }]]);
      expect(warnings).toEqual([expect.stringContaining("color")]);
    } finally {
      await close();
    }
  });
});
