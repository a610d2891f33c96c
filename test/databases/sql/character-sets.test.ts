import { sql } from "kysely";
import { edm, entityType, odataService } from "odatakit";
import { sqlEntitySet } from "odatakit/kysely";
import { describe, expect, test } from "vitest";
import { required } from "../../../src/base/required.ts";
import { ENGINES } from "../../engine/executors/engines.ts";

const MARIADB = ENGINES.find(({ name }) => name === "mariadb");

describe.skipIf(MARIADB === undefined)("MariaDB", () => {
  test("sorts and finds text outside utf8mb4", async () => {
    const { db, close } = await required(MARIADB, "The run has MariaDB.").open();
    try {
      await sql`create table texts (id int primary key, l varchar(9) character set latin1, u text character set ucs2)`.execute(
        db,
      );
      await sql`insert into texts values (1, 'é', 'ü'), (2, 'b', 'x')`.execute(db);
      const Text = entityType("Text", {
        id: edm.int32().key(),
        l: edm.string().nullable(),
        u: edm.string().nullable(),
      });
      const service = odataService({
        secret: "0123456789abcdef0123456789abcdef",
        entitySets: [sqlEntitySet(Text, { name: "Texts", db, table: "texts", operations: ["read"] })],
      });
      for (const [query, ids] of [
        ["$orderby=l", [2, 1]],
        ["$orderby=u desc", [1, 2]],
        ["$filter=l eq 'é'", [1]],
        ["$filter=u eq 'ü'", [1]],
        ["$filter=contains(l,'é') and startswith(u,'ü')", [1]],
      ] as const) {
        const response = await service.fetch(new Request(`http://service.example/Texts?${encodeURI(query)}`));
        const { value } = (await response.json()) as { readonly value: ReadonlyArray<{ readonly Id: number }> };
        expect([query, value.map(({ Id }) => Id)]).toEqual([query, ids]);
      }
    } finally {
      await close();
    }
  });
});
