import { sql } from "kysely";
import { edm, entityType, enumType, odataService } from "odatakit";
import { sqlEntitySet } from "odatakit/kysely";
import { expect, test } from "vitest";
import { sentStatements } from "../sql/sent-statements.ts";
import { DISTRIBUTED } from "./distributed-engines.ts";

const Mood = enumType("Mood", { bad: 1, good: 2 });
const Visit = entityType("Visit", {
  id: edm.int32().key(),
  shop: edm.int32(),
  city: edm.string(),
  code: edm.string(),
  name: edm.string(),
  mood: edm.enum(Mood),
  day: edm.date(),
  amount: edm.decimal(),
  spelling: edm.string(),
  ratio: edm.double(),
  blank: edm.string(),
});

const TABLE = `create table visits (id int primary key, shop int not null, city text not null, code char(4) not null,
  name text collate without_case not null, mood mood not null, day date not null,
  amount numeric not null, spelling numeric not null, ratio float8 not null, blank bpchar not null)`;

test.each(DISTRIBUTED)("$title: machines send distinct cells of columns that distinguish values", async ({ open }) => {
  const { db, close } = await open();
  await sql.raw("create type mood as enum ('bad', 'good')").execute(db);
  await sql
    .raw("create collation without_case (provider = icu, locale = 'und-u-ks-level2', deterministic = false)")
    .execute(db);
  await sql.raw(TABLE).execute(db);
  await sql
    .raw(
      `insert into visits select i, i % 2, case when i % 3 = 0 then 'Rome' else 'rome' end, case when i % 5 = 0 then 'a' else 'b' end,
      case when i % 4 < 2 then 'Ann' else 'ann' end, case when i % 6 = 0 then 'bad' else 'good' end::mood, date '2024-01-01' + i % 7,
      case when i % 4 < 2 then 1.0 else 1.00 end, case when i % 4 < 2 then 1.0 else 1.00 end,
      case when i % 4 < 2 then 0 else '-0' end::float8, case when i % 4 < 2 then 'a' else 'a ' end
      from generate_series(1, 84) as i`,
    )
    .execute(db);
  const service = odataService({
    schemaCheck: false,
    entitySets: [
      sqlEntitySet(Visit, {
        db,
        table: "visits",
        operations: ["read"],
        distributed: true,
        applyEnabled: true,
        columns: { spelling: { storage: "text" } },
      }),
    ],
  });
  const counted = async (field: string): Promise<readonly [unknown, boolean]> => {
    const apply = `groupby((Shop),aggregate(${field} with countdistinct as N,Id with sum as S))`;
    let found: unknown;
    const sent = await sentStatements(db, async () => {
      const response = await service.fetch(
        new Request(`http://service.example/Visits?$apply=${encodeURIComponent(apply)}`),
      );
      found = ((await response.json()) as { readonly value: ReadonlyArray<{ readonly N: number }> }).value.map(
        ({ N }) => N,
      );
    });
    return [found, sent.some(({ sql: text }) => text.includes("offset 0"))];
  };
  expect(await counted("City")).toEqual([[2, 2], false]);
  expect(await counted("Code")).toEqual([[2, 2], false]);
  expect(await counted("Mood")).toEqual([[2, 1], false]);
  expect(await counted("Day")).toEqual([[7, 7], false]);
  expect(await counted("Amount")).toEqual([[1, 1], false]);
  expect(await counted("Ratio")).toEqual([[1, 1], false]);
  expect(await counted("Blank")).toEqual([[1, 1], true]);
  // A machine would send one of 'Ann' and 'ann', and of 1.0 and 1.00.
  for (const field of ["Name", "Spelling", "indexof(Name,'A')", "cast(Amount,Edm.String)"]) {
    expect([field, await counted(field)]).toEqual([field, [[2, 2], true]]);
  }
  await close();
});
