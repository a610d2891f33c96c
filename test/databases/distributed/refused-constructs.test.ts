import { expect, test } from "vitest";
import { refusedConstructs } from "./refused-constructs.ts";
import type { TablePlacement } from "./table-placement.ts";

test.each([
  ["a page", `select "id"::text as "c0" from "orders" as "it" where "total" > $1 order by "id" limit $2`, []],
  ["a base query", `select "it"."id" from (\nselect * from "orders" where "a" = $1\n) as "it"`, []],
  [
    "a list",
    `select 1 from "a" as "it" where "it"."b" in (select "r1"."id" from "c" as "r1" where ("r1"."d" = $1) offset 0)`,
    [],
  ],
  [
    "a list of a statement that is sent to the machines",
    `select 1 from "a" as "it" where "it"."b" in (select "r1"."id" from "c" as "r1" where ("r1"."d" = $1))`,
    ["a list that is not read first"],
  ],
  [
    "groups of a statement that is sent to the machines",
    `select 1 from "a" as "it" left join (select "r1"."b" as "k0", count(*) as "n" from "c" as "r1" group by 1) as "r2" on "r2"."k0" = "it"."b"`,
    ["groups that are not read first"],
  ],
  [
    "a related read by row numbers",
    `select "found"."c0" from (select "keys"."ordinal" as "c0", row_number() over (partition by "keys"."ordinal" order by "r1"."id") as "n" from (select (ordinality - 1)::int as ordinal, (value ->> 0)::int8 as "k0" from jsonb_array_elements($1::jsonb) with ordinality as odata_keys(value, ordinality)) as "keys" inner join "lines" as "r1" on "r1"."order" = "keys"."k0") as "found" where "found"."n" <= $2`,
    [],
  ],
  [
    "the items of a value",
    `select 1 from "a" as "it" where exists (select 1 from unnest("it"."tags") as "item0"(value) where "item0"."value" = $1)`,
    [],
  ],
  [
    "a join with gathered rows",
    `select 1 from "a" as "it" left join (select * from "b" offset 0) as "r1" on "r1"."id" = "it"."b"`,
    [],
  ],
  [
    "a subquery over gathered rows",
    `select 1 from "a" as "it" where not exists (select 1 from (select "b" from "c" offset 0) as "r1" where "r1"."b" = "it"."id")`,
    [],
  ],
  ["distinct values", `select 1 from "a" as "it" where "it"."b" is distinct from "it"."c"`, []],
  [
    "a write",
    `update "a" set "b" = $1 where "id" = $2 returning "id"::text as "c0", extract(year from "d")::text as "c1"`,
    [],
  ],
  [
    "a condition with a column beside an outer join",
    `select 1 from "a" as "it" left join (select "b" from "c" offset 0) as "r1" on 1 = 1 where ($1::boolean or ("it"."id" is null and "it"."id" is not null)) and "it"."d" between $2 and $3`,
    [],
  ],
  [
    "a constant beside an outer join",
    `select 1 from (select * from "a" as "it" where $1::boolean = $2::boolean) as "it" left join (select "b" from "c" offset 0) as "r1" on "r1"."b" = "it"."b"`,
    ["a constant condition beside an outer join"],
  ],
  [
    "a constant of a list beside an outer join",
    `select 1 from "a" as "it" left join (select "b" from "c" where ("d" = 1 and 1 = 0) offset 0) as "r1" on "r1"."b" = "it"."b"`,
    ["a constant condition beside an outer join"],
  ],
  [
    "a case of conditions in returning",
    `update "a" set "b" = $1 where "id" = $2 returning coalesce("d"::text, case when "d" = 'infinity' then $3 end) as "c0"`,
    [],
  ],
  [
    "a case of a value in returning",
    `insert into "a" ("id", "d") values ($1, $2) returning coalesce("d"::text, case "d" when 'infinity' then 'infinity' end) as "c0"`,
    ["a case of a value in returning"],
  ],
  [
    "an order by a concatenation",
    `select "code"::text as "c0" from "a" as "it" where ("code"::text collate "C") > $1 order by (("code" || '') collate "C") desc, "id"`,
    [],
  ],
  [
    "an order by the cast of a text",
    `select "code"::text as "c0" from "a" as "it" order by "id", ("it"."code"::text collate "C") desc nulls last`,
    ["the cast of a text that machines return"],
  ],
  [
    "a window over the cast of a text",
    `select row_number() over (partition by ("code"::text collate "C") order by "id") as "n" from "a" as "it"`,
    ["the cast of a text that machines return"],
  ],
  [
    "a list of casts of a text",
    `select 1 from "a" as "it" where "it"."b" in (select distinct ("r1"."code"::text collate "C") as "k0" from "b" as "r1" offset 0)`,
    ["the cast of a text that machines return"],
  ],
  ["a left join", `select 1 from "a" as "it" left join "b" as "r1" on "r1"."id" = "it"."b"`, ["a join of tables"]],
  [
    "an inner join in a list",
    `select 1 from "a" as "it" where "it"."x" in (select "r2"."f" from "l" as "r2" inner join "t" as "r1" on "r1"."id" = "r2"."t" offset 0)`,
    ["a join of tables"],
  ],
  [
    "a join with a base query",
    `select 1 from "a" as "it" left join (select * from "b" where "c") as "r1" on "r1"."id" = "it"."b"`,
    ["a join of tables"],
  ],
  [
    "exists",
    `select 1 from "a" as "it" where exists (select 1 from "b" as "r1" where "r1"."a" = "it"."id")`,
    ["a correlated subquery over a table"],
  ],
  [
    "a scalar subquery",
    `select (select count(*) from "b" as "r1" where "r1"."a" = "it"."id") as "c0" from "a" as "it"`,
    ["a subquery in a select list", "a correlated subquery over a table"],
  ],
  [
    "a correlated join condition",
    `select 1 from (select 1 from jsonb_array_elements($1) as k) as "keys" inner join "b" as "r1" on exists (select 1 from "c" as "r2" where "r2"."b" = "r1"."id")`,
    ["a correlated subquery over a table"],
  ],
  [
    "a lateral join",
    `select 1 from (select 1 from "a" limit 5) as "keys" cross join lateral (select * from "b" where "x" = "keys"."k0" limit 3) as "found"`,
    ["a lateral join"],
  ],
  [
    "a value written once",
    `select 1 from "a" as "it" where (select odata_value + 1 from (select "b" as odata_value) as odata_once) = $1`,
    ["a derived table without a table"],
  ],
  [
    "a correlated value",
    `select 1 from "a" as "it" where (select "it"."b" + 1) = $1`,
    ["a correlated subquery without a table"],
  ],
  [
    "a date in returning",
    `insert into "a" ("b") values ($1) returning to_char("b", 'YYYY') as "c0"`,
    ["to_char in returning"],
  ],
  [
    "a subquery in values",
    `insert into "a" ("b") values (coalesce((select "c" from "d" where "e" = $1), $2))`,
    ["a subquery in values of a write"],
  ],
  [
    "an array in returning",
    `delete from "a" where "b" = $1 returning array(select 1 from unnest("c"))`,
    ["a subquery in returning of a write"],
  ],
  [
    "a lock of a join",
    `select 1 from (select 1 from "a" limit 1) as "it" for update`,
    ["a lock of anything but a table"],
  ],
  ["a cursor", `declare odatakit_page no scroll cursor for select 1 from "a" as "it"`, []],
  ["a lock by key", `select 1 from "a" where "id" = $1 for update`, []],
  ["a link that may be there", `insert into "l" ("a", "b") values ($1, $2) on conflict do nothing`, []],
  [
    "columns without rows",
    `select "rows".* from (select 1 as one) as one left join (select * from "a" limit 0) as "rows" on 1 = 0`,
    [],
  ],
  ["a cursor that moves back", `declare c scroll cursor for select 1 from "a" as "it"`, ["a cursor that moves back"]],
  ["a lock by a condition", `select 1 from "a" where "b" > $1 for update`, ["a lock of rows of several shards"]],
  [
    "a lock by one of two keys",
    `select 1 from "a" where "id" = $1 or "b" = $2 for update`,
    ["a lock of rows of several shards"],
  ],
  ["a recursion", `with recursive n as (select 1) select * from n`, ["a common table expression"]],
  ["a union of whole queries", `select 1 from "a" union all select 2 from "b"`, []],
  [
    "a union of the items of values",
    `select 1 from "a" as "it" where exists (select 1 from unnest("it"."b") as "i" union select 1 from unnest("it"."c") as "j")`,
    ["a union in a correlated subquery"],
  ],
  ["a lock by nested conditions", `select 1 from "a" where ("id" = $1 and ("id"::text) = ($2)) for update`, []],
  [
    "a case of a Boolean",
    `select (case "a"."b" > 1 when true then 'x' when false then 'y' end) from "a"`,
    ["a case of a Boolean"],
  ],
  [
    "a case of conditions",
    `select case when true then 1 when "b" then 2 end, (case "c" when 'true' then true end) from "a"`,
    [],
  ],
  ["a sample", `select 1 from "a" tablesample system (1)`, ["a sample of a table"]],
  ["grouping sets", `select "b" from "a" group by grouping sets (("b"), ())`, ["grouping sets"]],
  [
    "a subquery in having",
    `select "b" from "a" group by "b" having count(*) > (select 1 from "c")`,
    ["a subquery in having"],
  ],
  ["a subquery in an order", `select 1 from "a" order by (select "b" from "c")`, ["a subquery in an order"]],
  [
    "records of a value",
    `select 1 from "a" as "it" where exists (select 1 from jsonb_to_recordset($1) as r)`,
    ["rows of jsonb_to_recordset"],
  ],
  [
    "an outer join from keys to a table",
    `select 1 from (select 1 as k from jsonb_array_elements($1)) as "keys" left join "a" as "r1" on "r1"."id" = "keys"."k"`,
    ["an outer join from rows without a shard to a table"],
  ],
  [
    "an outer join from a page to a table",
    `select 1 from (select 1 from "b" limit 5) as "page" left outer join "a" as "r1" on "r1"."id" = "page"."k"`,
    ["an outer join from rows without a shard to a table"],
  ],
  [
    "a count of the items of a value",
    `select 1 from "a" as "it" where (select count(*) from unnest("it"."tags") as "item0"(value)) = $1`,
    ["an aggregate in a correlated subquery"],
  ],
  [
    "the first item of a value",
    `select 1 from "a" as "it" where exists (select 1 from unnest("it"."tags") as "item0"(value) limit 1 offset 2)`,
    ["limit in a correlated subquery", "offset in a correlated subquery"],
  ],
  [
    "groups, distinct items and windows of a value",
    `select 1 from "a" as "it" where exists (select distinct row_number() over () from unnest("it"."tags") as "item0"(value) group by 1)`,
    ["group in a correlated subquery", "a window in a correlated subquery", "distinct in a correlated subquery"],
  ],
  [
    "a list within the items of a value",
    `select 1 from "a" as "it" where exists (select 1 from unnest("it"."tags") as "item0"(value) where "item0"."value" in (select "r1"."b" from "c" as "r1" offset 0))`,
    ["a subquery within a correlated one without a table"],
  ],
  ["an insert of a query", `insert into "a" ("b") select "c" from "d"`, ["an insert of a query"]],
  ["an upsert", `insert into "a" ("b") values ($1) on conflict ("b") do update set "b" = $1`, ["an upsert"]],
  ["an update of a join", `update "a" set "b" = $1 from "c" where "c"."id" = "a"."c"`, ["a write with a join"]],
  ["a delete of a join", `delete from "a" using "c" where "c"."id" = "a"."c"`, ["a write with a join"]],
  ["a merge", `merge into "a" using "b" on "a"."id" = "b"."id" when matched then delete`, ["a merge"]],
  ["the time of a write", `update "a" set "b" = now() where "id" = $1`, ["now in a write"]],
] as const)("finds the refused construct in %s", (_title, text, expected) => {
  expect(refusedConstructs(text)).toEqual(expected);
});

const PLACEMENTS = new Map<string, TablePlacement>([
  ["a", { column: "id", group: "a" }],
  ["b", { column: "a", group: "a" }],
  ["c", { column: "id", group: "c" }],
  ["d", "reference"],
]);

test.each([
  ["a join by both columns", `from "a" as "it" left join "b" as "r1" on "r1"."a" = "it"."id" and "r1"."x" = $1`, []],
  ["a join by other columns", `from "a" as "it" left join "b" as "r1" on "r1"."b" = "it"."id"`, ["a join of tables"]],
  ["a join of other groups", `from "a" as "it" left join "c" as "r1" on "r1"."id" = "it"."id"`, ["a join of tables"]],
  ["an alternative", `from "a" as "it" left join "b" as "r1" on ("r1"."a" = "it"."id" or $1)`, ["a join of tables"]],
  ["a reference table", `from "a" as "it" left join "d" as "r1" on "r1"."x" = "it"."y"`, []],
  ["a join from it", `from "d" as "it" left join "a" as "r1" on "r1"."id" = "it"."y"`, ["a join of tables"]],
  [
    "a join from keys and their rows",
    `from (select 1 as k from jsonb_array_elements($1)) as "keys" inner join "a" as "it" on "it"."id" = "keys"."k" left join "d" as "r1" on "r1"."x" = "it"."y"`,
    [],
  ],
  [
    "a chain",
    `from "b" as "it" left join "d" as "r1" on "r1"."x" = "it"."y" left join (select * from "a" as "q" where "q"."z") as "r2" on "r2"."id" = "it"."a"`,
    [],
  ],
  [
    "exists",
    `from "a" as "it" where not exists (select 1 from "b" as "r1" where "r1"."a" = "it"."id" and ($1) is not true)`,
    [],
  ],
  [
    "exists by another column",
    `from "a" as "it" where exists (select 1 from "b" as "r1" where "r1"."b" = "it"."id")`,
    ["a correlated subquery over a table"],
  ],
  [
    "exists for gathered rows",
    `from (select "id" from "a" as "r2" offset 0) as "it" where exists (select 1 from "b" as "r1" where "r1"."a" = "it"."id")`,
    ["a correlated subquery over a table"],
  ],
  [
    "exists in a reference table",
    `from "a" as "it" where exists (select 1 from "d" as "r1" where "r1"."x" = "it"."y")`,
    [],
  ],
  [
    "exists for a reference table",
    `from "d" as "it" where exists (select 1 from "a" as "r1" where "r1"."id" = "it"."y")`,
    ["a correlated subquery over a table"],
  ],
] as const)("knows the declared distribution in %s", (_title, text, expected) => {
  expect(refusedConstructs(`select 1 ${text}`, PLACEMENTS)).toEqual(expected);
});
