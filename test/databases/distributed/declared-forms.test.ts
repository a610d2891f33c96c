import type { ODataService } from "odatakit";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { ENGINES, type OpenDatabase } from "../../engine/executors/engines.ts";
import { sentStatements } from "../sql/sent-statements.ts";
import { createShopTables, fillShop, serveShop, SHOP_PLACEMENTS } from "./shop.ts";
import { watching } from "./watched-database.ts";

/** The last statement of a request, from its first `from` on. */
const FORMS: ReadonlyArray<readonly [target: string, from: string]> = [
  [
    "Customers?$filter=not Orders/any()",
    `from "customers" as "it" where not (exists (select 1 from "orders" as "r1" where "r1"."customerId" = "it"."id")) order by "it"."id" limit $2`,
  ],
  [
    "Customers?$filter=Orders/any(o:o/Total gt 1)",
    `from "customers" as "it" where exists (select 1 from "orders" as "r1" where "r1"."customerId" = "it"."id" and ("r1"."total" >= $2::int8)) order by "it"."id" limit $3`,
  ],
  [
    "Customers?$filter=Orders/all(o:o/Total gt 1)",
    `from "customers" as "it" where not exists (select 1 from "orders" as "r1" where "r1"."customerId" = "it"."id" and ("r1"."total" >= $2::int8) is not true) order by "it"."id" limit $3`,
  ],
  [
    "Customers?$filter=Orders/$count gt 2",
    `from "customers" as "it" where (select count(*) from "orders" as "r1" where "r1"."customerId" = "it"."id") > $2::int8 order by "it"."id" limit $3`,
  ],
  [
    "Customers?$filter=Orders/any(o:o/Lines/any(l:l/Price gt o/Total))",
    `from "customers" as "it" where exists (select 1 from "orders" as "r1" where "r1"."customerId" = "it"."id" and (exists (select 1 from "lines" as "r2" where "r2"."orderId" = "r1"."id" and "r2"."customerId" = "r1"."customerId" and ("r2"."price" > "r1"."total")))) order by "it"."id" limit $2`,
  ],
  [
    "Orders?$filter=not (Customer/Name eq 'a')",
    `from "orders" as "it" where not (exists (select 1 from "customers" as "r1" where "r1"."id" = "it"."customerId" and (("r1"."name" = $1 and (("r1"."name" || '') collate "C") = ($2::text collate "C"))))) order by "it"."customerId", "it"."id" limit $3`,
  ],
  [
    "Orders?$filter=Customer/Name eq 'a'",
    `from "orders" as "it" where exists (select 1 from "customers" as "r1" where "r1"."id" = "it"."customerId" and (("r1"."name" = $1 and (("r1"."name" || '') collate "C") = ($2::text collate "C")))) order by "it"."customerId", "it"."id" limit $3`,
  ],
  [
    "Orders?$orderby=Customer/Name",
    `from "orders" as "it" left join "customers" as "r1" on "r1"."id" = "it"."customerId" order by (("r1"."name" || '') collate "C") asc nulls first, "it"."customerId", "it"."id" limit $1`,
  ],
  [
    "Orders?$expand=Customer",
    `from "orders" as "it" left join "customers" as "r1" on "r1"."id" = "it"."customerId" order by "it"."customerId", "it"."id" limit $2`,
  ],
  [
    "Lines?$filter=Product/Name eq 'a'",
    `from "lines" as "it" where exists (select 1 from "products" as "r1" where "r1"."id" = "it"."productId" and (("r1"."name" = $1 and (("r1"."name" || '') collate "C") = ($2::text collate "C")))) order by "it"."customerId", "it"."orderId", "it"."number" limit $3`,
  ],
  [
    "Lines?$filter=Product/Name eq 'a' or Product/Name eq Order/Customer/Name",
    `from "lines" as "it" left join "products" as "r2" on "r2"."id" = "it"."productId" left join "orders" as "r3" on "r3"."id" = "it"."orderId" and "r3"."customerId" = "it"."customerId" left join "customers" as "r4" on "r4"."id" = "r3"."customerId" where exists (select 1 from "products" as "r1" where "r1"."id" = "it"."productId" and (("r1"."name" = $1 and (("r1"."name" || '') collate "C") = ($2::text collate "C")))) or ((("r2"."name" || '') collate "C") is not distinct from (("r4"."name" || '') collate "C")) order by "it"."customerId", "it"."orderId", "it"."number" limit $3`,
  ],
  [
    "Lines?$expand=Product",
    `from "lines" as "it" left join "products" as "r1" on "r1"."id" = "it"."productId" order by "it"."customerId", "it"."orderId", "it"."number" limit $2`,
  ],
  [
    "Invoices?$filter=not (Owner/Owner eq 'a')",
    `from "invoices" as "it" where not (exists (select 1 from "accounts" as "r1" where "r1"."code" = "it"."account" and (("r1"."code" || '') collate "C") = (("it"."account" || '') collate "C") and (("r1"."owner" = $2 and (("r1"."owner" || '') collate "C") = ($3::text collate "C"))))) order by "it"."id", (("it"."account" || '') collate "C") limit $4`,
  ],
  [
    "Customers?$orderby=Orders/$count",
    `from "customers" as "it" left join (select "r1"."customerId" as "k0", count(*) as "n" from "orders" as "r1" group by 1) as "r2" on "r2"."k0" = "it"."id" order by coalesce("r2"."n", 0), "it"."id" limit $2`,
  ],
  [
    "Products?$filter=not Lines/any()",
    `from "products" as "it" left join (select distinct "r1"."productId" as "k0" from "lines" as "r1" where "r1"."productId" is not null offset 0) as "r2" on "r2"."k0" = "it"."id" where not (("r2"."k0" is not null)) order by "it"."id" limit $2`,
  ],
  [
    "Orders?$filter=not SameNumber/any()",
    `from "orders" as "it" left join (select distinct "r1"."id" as "k0" from "orders" as "r1" offset 0) as "r2" on "r2"."k0" = "it"."id" where not (("r2"."k0" is not null)) order by "it"."customerId", "it"."id" limit $1`,
  ],
  [
    "Products?$orderby=Lines/any()",
    `from "products" as "it" left join (select distinct "r1"."productId" as "k0" from "lines" as "r1" where "r1"."productId" is not null offset 0) as "r2" on "r2"."k0" = "it"."id" order by (("r2"."k0" is not null)) asc nulls first, "it"."id" limit $2`,
  ],
  [
    "Customers(5)/Orders?$filter=Total gt 3&$top=2&$skip=1&$orderby=Total",
    `from "orders" as "r1" where "r1"."customerId" = $1::int4 and ("r1"."total" >= $2::int8) order by "r1"."total", "r1"."customerId", "r1"."id" limit $3 offset $4`,
  ],
  [
    "Customers?$expand=Orders",
    `from (select array_position($1::int4[], "r1"."customerId") - 1 as "c0", "r1"."customerId"::text as "c1", "r1"."id"::text as "c2", "r1"."total"::text as "c3", row_number() over (partition by "r1"."customerId" order by "r1"."customerId", "r1"."id") as "n" from "orders" as "r1" where "r1"."customerId" = any($2::int4[])) as "found" where "found"."n" <= $3 order by "found"."c0", "found"."n" limit $4`,
  ],
  [
    "Customers?$expand=Orders($top=1)",
    `from (select array_position($1::int4[], "r1"."customerId") - 1 as "c0", "r1"."customerId"::text as "c1", "r1"."id"::text as "c2", "r1"."total"::text as "c3", row_number() over (partition by "r1"."customerId" order by "r1"."customerId", "r1"."id") as "n" from "orders" as "r1" where "r1"."customerId" = any($2::int4[])) as "found" where "found"."n" <= $3 order by "found"."c0", "found"."n" limit $4`,
  ],
  [
    "Orders?$expand=Lines",
    `from (select "keys"."ordinal" as "c0", "r1"."customerId"::text as "c1", "r1"."orderId"::text as "c2", "r1"."number"::text as "c3", "r1"."productId"::text as "c4", "r1"."price"::text as "c5", row_number() over (partition by "keys"."ordinal" order by "r1"."customerId", "r1"."orderId", "r1"."number") as "n" from (select (ordinality - 1)::int as ordinal, (value ->> 0)::int8 as "k0", (value ->> 1)::int8 as "k1" from jsonb_array_elements($1::jsonb) with ordinality as odata_keys(value, ordinality)) as "keys" inner join "lines" as "r1" on "r1"."orderId" = "keys"."k0" and "r1"."customerId" = "keys"."k1" where "r1"."orderId" = any($2::int4[]) and "r1"."customerId" = any($3::int4[])) as "found" where "found"."n" <= $4 order by "found"."c0", "found"."n" limit $5`,
  ],
  [
    "Accounts?$expand=Invoices",
    `from (select array_position($2::text[], (("r1"."account" || '') collate "C")) - 1 as "c0", "r1"."id"::text as "c1", "r1"."account"::text as "c2", "r1"."amount"::text as "c3", row_number() over (partition by (("r1"."account" || '') collate "C") order by "r1"."id", (("r1"."account" || '') collate "C")) as "n" from "invoices" as "r1" where "r1"."account" = any($3) and (("r1"."account" || '') collate "C") = any($4::text[])) as "found" where "found"."n" <= $5 order by "found"."c0", "found"."n" limit $6`,
  ],
  [
    "Accounts('e')/Invoices",
    `from "invoices" as "r1" where ("r1"."account" = $2 and (("r1"."account" || '') collate "C") = ($3::text collate "C")) order by "r1"."id", (("r1"."account" || '') collate "C") limit $4`,
  ],
  [
    "Orders?$filter=not Gifts/any()",
    `from "orders" as "it" where not (exists (select 1 from "gifts" as "r2" inner join "products" as "r1" on "r1"."id" = "r2"."product_id" where "r2"."order_id" = "it"."id" and "r2"."customer_id" = "it"."customerId")) order by "it"."customerId", "it"."id" limit $1`,
  ],
  [
    "Orders?$filter=Gifts/all(g:g/Name gt 'p')",
    `from "orders" as "it" where not exists (select 1 from "gifts" as "r2" inner join "products" as "r1" on "r1"."id" = "r2"."product_id" where "r2"."order_id" = "it"."id" and "r2"."customer_id" = "it"."customerId" and ((("r1"."name" || '') collate "C") > ($1::text collate "C")) is not true) order by "it"."customerId", "it"."id" limit $2`,
  ],
  [
    "Orders(CustomerId=5,Id=1)/Gifts",
    `from "gifts" as "r2" inner join "products" as "r1" on "r1"."id" = "r2"."product_id" where "r2"."order_id" = $2::int4 and "r2"."customer_id" = $3::int4 order by "r1"."id" limit $4`,
  ],
];

describe.each(ENGINES.filter(({ name }) => name === "postgres"))(
  "statements over declared tables of $title",
  (engine) => {
    let opened: OpenDatabase;
    let service: ODataService;

    beforeAll(async () => {
      opened = await watching(engine, SHOP_PLACEMENTS)();
      await createShopTables(opened.db);
      await fillShop(opened.db);
      service = serveShop(opened.db, "declared");
    });
    // Fails if Citus would refuse one of the statements.
    afterAll(() => opened.close());

    test.each(FORMS)("%s", async (target, expected) => {
      const statements = await sentStatements(opened.db, async () => {
        const response = await service.fetch(new Request(`http://service.example/${target}`));
        expect(response.status).toBe(200);
      });
      const { sql: text = "" } = statements.at(-1) ?? {};
      expect(text.slice(text.indexOf(" from ") + 1)).toBe(expected);
    });
  },
);
