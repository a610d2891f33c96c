import { sql } from "kysely";
import { edm, entityType, enumType, hasMany, hasOptional, odataService, type ODataService } from "odatakit";
import { sqlEntitySet } from "odatakit/kysely";
import { describe, expect, test } from "vitest";
import { ENGINES, type AnyDatabase } from "../../engine/executors/engines.ts";
import { isDistributed, watching } from "./watched-database.ts";

/** Types of columns that only existing databases have. */
const Status = enumType("Status", { open: 0, closed: 1, none: 2 });
const Shop = entityType("Shop", { code: edm.string().key(), mark: edm.string().nullable() });
const Ticket = entityType("Ticket", {
  id: edm.int32().key(),
  shopCode: edm.string().nullable(),
  fixed: edm.string().nullable(),
  mail: edm.string(),
  folded: edm.string(),
  status: edm.enum(Status).nullable(),
  mood: edm.enum(Status).nullable(),
  opened: edm.dateTimeOffset({ precision: 6 }),
  day: edm.date().nullable(),
});

const TEXTS = ["a", "A", "ä", "a ", "b", "B ", "ab", "Z", "_", ""];

async function createTables(db: AnyDatabase): Promise<void> {
  // PostgreSQL in this process has no citext.
  const isThere = await sql`create extension if not exists citext`.execute(db).then(
    () => true,
    () => false,
  );
  const folded = sql.raw(isThere ? "citext" : "varchar(9)");
  await sql`create type feeling as enum ('none', 'closed', 'open')`.execute(db);
  await sql`create domain address as varchar(30) check (value <> 'no')`.execute(db);
  await sql`create table shops (code varchar(9) primary key, mark char(4))`.execute(db);
  await sql`create table tickets (id int primary key, "shopCode" varchar(9), fixed char(4), mail address not null,
    folded ${folded} not null, status feeling, mood varchar(9), opened timestamptz not null, day date)`.execute(db);
  for (const [index, text] of TEXTS.entries()) {
    await sql`insert into shops values (${text}, ${index % 3 === 0 ? null : text})`.execute(db);
    for (const copy of [0, 1]) {
      const id = 2 * index + copy;
      const status = ["open", "closed", "none", null][id % 4] ?? null;
      await sql`insert into tickets values (${id}, ${id % 5 === 0 ? null : TEXTS[(id * 3) % 10]}, ${id % 7 === 0 ? null : text},
        ${text}, ${text}, ${status}, ${status}, ${`2024-02-${String(10 + id)}T00:00:00.5Z`},
        ${id % 4 === 0 ? `000${String(id % 7)}-12-31`.replace("0000", "0044") : null})`.execute(db);
    }
  }
}

function serve(db: AnyDatabase): ODataService {
  const operations = ["read", "create", "patch", "replace", "delete"] as const;
  const place = { db, operations, distributed: isDistributed(db) } as const;
  return odataService({
    profile: "standard",
    schemaCheck: false,
    secret: "the texts of existing columns",
    entitySets: [
      sqlEntitySet(Shop, {
        ...place,
        table: "shops",
        paging: "keyset",
        maxTop: 3,
        navigation: { tickets: hasMany(Ticket, { on: { code: "shopCode" }, target: "Tickets" }) },
      }),
      sqlEntitySet(Ticket, {
        ...place,
        table: "tickets",
        paging: "keyset",
        maxTop: 4,
        navigation: { shop: hasOptional(Shop, { on: { shopCode: "code" }, target: "Shops" }) },
      }),
    ],
  });
}

const PROPERTIES = ["ShopCode", "Fixed", "Mail", "Folded", "Status", "Mood", "Opened", "Day", "tolower(Folded)", "Id"];

const TARGETS = [
  ...PROPERTIES.flatMap((name) => [`Tickets?$orderby=${name}`, `Tickets?$orderby=${name} desc,Mail,Id desc`]),
  "Shops",
  "Shops?$orderby=Mark desc",
  "Shops?$orderby=Tickets/$count desc,Code",
  "Shops?$filter=not Tickets/any()",
  "Shops?$filter=Tickets/any(t:t/Mail eq 'a')&$expand=Tickets($orderby=Folded desc;$top=1;$select=Folded)",
  "Shops?$expand=Tickets($orderby=Fixed,Status desc;$count=true)",
  "Shops('a')/Tickets?$orderby=Mail desc",
  "Tickets?$filter=Shop/Mark ge 'a'&$orderby=Shop/Mark desc,Shop/Code",
  "Tickets?$filter=not (Shop/Mark eq 'b')&$expand=Shop",
  "Tickets?$filter=Fixed eq 'a'",
  "Tickets?$filter=Fixed eq 'a '",
  "Tickets?$filter=Mail in ('a','B ','no')",
  "Tickets?$filter=Folded eq 'A' or Folded gt 'b'",
  "Tickets?$filter=Status eq 'open'",
  "Tickets?$filter=Status ne 'closed' and Mood in ('open','none')",
  "Tickets?$filter=Status in ('open','none',null)",
  "Tickets?$filter=Status gt 'open' and Status eq Mood",
];

const BODY = { Mail: "m", Folded: "F", Opened: "2024-02-29T01:02:03.000004Z" };

const WRITES: ReadonlyArray<readonly [method: string, target: string, body: object | null]> = [
  ["POST", "Tickets", { Id: 100, ...BODY, Day: "2024-02-29", Status: "open", Fixed: "ab", ShopCode: "a" }],
  ["POST", "Tickets", { Id: 101, ...BODY, Mood: "none" }],
  ["PATCH", "Tickets(3)", { Mail: "changed" }],
  ["PATCH", "Tickets(4)", { Opened: "0001-01-01T00:00:00Z", Status: null }],
  ["PUT", "Tickets(5)", { ...BODY, Day: "0001-01-01", Mood: "open" }],
  ["POST", "Shops", { Code: "new", Mark: "x" }],
  ["PATCH", "Shops('new')", { Mark: "y" }],
  ["DELETE", "Tickets(6)", null],
];

describe.each(ENGINES.filter(({ name }) => name === "postgres"))(
  "columns of existing databases over $title",
  (engine) => {
    async function answers(open: typeof engine.open): Promise<readonly unknown[]> {
      const { db, close } = await open();
      await createTables(db);
      const service = serve(db);
      const found: unknown[] = [];
      const send = async (target: string, init: RequestInit = {}): Promise<string> => {
        const url = target.startsWith("http") ? target : `http://service.example/${target}`;
        const headers = { "Content-Type": "application/json" };
        const response = await service.fetch(new Request(url, { ...init, headers }));
        const text = await response.text();
        found.push([init.method ?? "GET", target.replace(/skiptoken=.*/, "…"), response.status, text]);
        return text;
      };
      for (const target of TARGETS) {
        let next: string | undefined = target;
        while (next !== undefined) {
          const text: string = await send(next);
          next = (JSON.parse(text) as { readonly "@odata.nextLink"?: string })["@odata.nextLink"];
        }
      }
      for (const [method, target, body] of WRITES) {
        await send(target, { method, body: body === null ? null : JSON.stringify(body) });
      }
      await send("Tickets?$orderby=Id desc");
      await close();
      return found.map((each) => JSON.stringify(each).replaceAll(/skiptoken=[^"\\]*/g, "…"));
    }

    test("are the same as of one machine", async () => {
      const expected = await answers(engine.open);
      expect(await answers(watching(engine))).toEqual(expected);
      expect(expected.filter((answer) => !/^\["\w+","[^"]+",20\d/.test(String(answer)))).toEqual([]);
    });
  },
);
