import { sql } from "kysely";
import { edm, entityType, odataService } from "odatakit";
import { sqlEntitySet } from "odatakit/kysely";
import { expect, test } from "vitest";
import { DISTRIBUTED } from "./distributed-engines.ts";

const Part = entityType("Part", { id: edm.int32().key(), ratio: edm.double() });

test.each(DISTRIBUTED)("$title: a rounded Double is one value in further computations", async ({ open }) => {
  const { db, close } = await open();
  await sql`create table parts (id int primary key, ratio double precision not null)`.execute(db);
  await sql.raw("insert into parts values (1, 2.5), (2, -0.5)").execute(db);
  const service = odataService({
    entitySets: [
      sqlEntitySet(Part, { db, table: "parts", operations: ["read"], distributed: true, computeEnabled: true }),
    ],
  });
  const compute = "round(Ratio) as R,round(Ratio) mul 2 as Twice,7 sub round(Ratio) as Rest";
  const response = await service.fetch(
    new Request(`http://service.example/Parts?$compute=${encodeURIComponent(compute)}&$select=R,Twice,Rest`),
  );
  expect(await response.json()).toMatchObject({
    value: [
      { R: 3, Twice: 6, Rest: 4 },
      { R: -1, Twice: -2, Rest: 8 },
    ],
  });
  await close();
});
