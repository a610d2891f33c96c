import { sql } from "kysely";
import { edm, entityType, odataService } from "odatakit";
import { sqlEntitySet } from "odatakit/kysely";
import { describe, expect, test } from "vitest";
import { ENGINES } from "../executors/engines.ts";

const Item = entityType("Item", {
  id: edm.int32().key(),
  price: edm.decimal({ precision: 18, scale: 4 }).nullable(),
});

// MariaDB converts text to numbers itself.
describe.each(ENGINES.filter(({ name }) => name !== "mariadb"))(
  "a Decimal in a column of texts, over $title",
  (engine) => {
    test.for([
      "$filter=price gt 5",
      "$filter=price lt 5",
      "$filter=price add 1 eq 11.5",
      "$filter=price in (10.5)",
      "$orderby=price",
      "$filter=price gt 5&$count=true&$top=0",
    ])("is an error of the request where a cell is no number: %s", async (options) => {
      const { db, close } = await engine.open();
      try {
        await sql`create table items (id integer primary key, price varchar(20))`.execute(db);
        await sql`insert into items values (1, '10.5'), (2, 'many'), (3, null)`.execute(db);
        const service = odataService({
          schemaCheck: false,
          propertyNaming: "camelCase",
          logger: { error: () => undefined, warn: () => undefined, info: () => undefined },
          entitySets: [
            sqlEntitySet(Item, { db, table: "items", operations: ["read"], columns: { price: { storage: "text" } } }),
          ],
        });
        const response = await service.fetch(new Request(`http://items.example/Items?${options}`));
        const body = (await response.json()) as {
          readonly error?: { readonly code: string; readonly message: string };
        };
        expect([response.status, body.error?.code ?? body]).toEqual([400, "UnsupportedQueryOption"]);
      } finally {
        await close();
      }
    });
  },
);
