import { sql } from "kysely";
import { complexType, edm, entityType, odataService } from "odatakit";
import { sqlEntitySet } from "odatakit/kysely";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { recordingLogger } from "../../service/http/model.ts";
import { ENGINES, type OpenDatabase } from "./engines.ts";

const Ref = complexType("Ref", { id: edm.guid().nullable() });
const Item = entityType("Item", {
  id: edm.int32().key(),
  at: edm.dateTimeOffset({ precision: 3 }).nullable(),
  ref: edm.complex(Ref).nullable(),
  ids: edm.collection(edm.guid()),
  refs: edm.collection(edm.complex(Ref)),
});
const GUID = "0ab00000-0000-0000-0000-00000000000f";
const OTHER = "1ab00000-0000-0000-0000-00000000000f";

/** Texts that other programs have written in another form than this service. */
const CELLS = [
  [1, GUID.toUpperCase(), ""],
  [2, GUID, ".5"],
  [3, OTHER, ".25"],
  [4, null, ".125"],
] as const;

describe.each(ENGINES)("texts of other programs over $title", ({ open, name }) => {
  let opened: OpenDatabase;
  beforeAll(async () => {
    opened = await open();
    const json = sql.raw(name === "postgres" ? "jsonb" : "text");
    const time = sql.raw({ sqlite: "text", postgres: "timestamptz", mariadb: "datetime(3)" }[name]);
    await sql`create table items (id int primary key, at ${time}, ref ${json}, ids ${json}, refs ${json})`.execute(
      opened.db,
    );
    for (const [id, guid, fraction] of CELLS) {
      const at = name === "sqlite" ? `2024-01-01T00:00:00${fraction}Z` : `2024-01-01 00:00:00${fraction}`;
      const cells = [{ id: guid }, guid === null ? [] : [guid], [{ id: guid }]].map((cell) => JSON.stringify(cell));
      await sql`insert into items values (${sql.join([id, at, ...cells])})`.execute(opened.db);
    }
  });
  afterAll(() => opened.close());

  test.each<readonly [query: string, ids: readonly number[]]>([
    [`$filter=Ref/Id eq ${GUID}`, [1, 2]],
    [`$filter=Ref/Id ne ${GUID}`, [3, 4]],
    [`$filter=Ref/Id in (${GUID},${OTHER})`, [1, 2, 3]],
    [`$filter=Ref/Id eq null`, [4]],
    [`$filter=Ids/any(x:x eq ${GUID})`, [1, 2]],
    [`$filter=Ids/all(x:x eq ${GUID})`, [1, 2, 4]],
    [`$filter=Refs/any(x:x/Id eq ${GUID})`, [1, 2]],
    ["$orderby=Ref/Id desc,Id", [3, 1, 2, 4]],
    ["$filter=fractionalseconds(At) ge 0", [1, 2, 3, 4]],
    ["$filter=fractionalseconds(At) eq 0", [1]],
    ["$filter=fractionalseconds(At) eq 0.5", [2]],
    ["$filter=fractionalseconds(At) lt 0.2", [1, 4]],
    ["$orderby=fractionalseconds(At)", [1, 4, 3, 2]],
  ])("%s", async (query, ids) => {
    const storage = { storage: "json" } as const;
    const service = odataService({
      schemaCheck: false,
      logger: recordingLogger(),
      entitySets: [
        sqlEntitySet(Item, {
          db: opened.db,
          table: "items",
          operations: ["read"],
          columns: { ref: storage, ids: storage, refs: storage },
        }),
      ],
    });
    const response = await service.fetch(new Request(`http://x/Items?$select=Id&${encodeURI(query)}`));
    expect(response.status).toBe(200);
    const { value } = (await response.json()) as { readonly value: ReadonlyArray<{ readonly Id: number }> };
    expect(value.map(({ Id }) => Id)).toEqual(ids);
  });
});
