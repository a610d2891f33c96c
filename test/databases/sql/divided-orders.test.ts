import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { Kysely } from "kysely";
import { edm, entityType, odataService } from "odatakit";
import { sqlEntitySet } from "odatakit/kysely";
import { sqliteDialect } from "odatakit/sqlite";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import type { AnyDatabase } from "../../engine/executors/engines.ts";

/** So many rows that a thread reads them, in several pages. */
const LENGTH = 25_000;

const Note = entityType("Note", {
  id: edm.int32().key(),
  rank: edm.int32(),
  text: edm.string().nullable(),
  total: edm.double().nullable(),
  flag: edm.boolean().nullable(),
  day: edm.date().nullable(),
});

const folder = mkdtempSync(join(tmpdir(), "divided-orders-"));
const opened: AnyDatabase[] = [];

/** Makes a file whose ranks have another order than its keys. `changes` are SQL. */
function makeFile(name: string, changes = ""): string {
  const path = join(folder, name);
  const database = new DatabaseSync(path);
  database.exec(`
    pragma journal_mode = wal;
    create table note (id integer primary key, rank integer not null, text text, total real, flag integer, day text);
    with recursive n(i) as (select 1 union all select i + 1 from n where i < ${String(LENGTH)})
    insert into note select i, (i * 7919) % 1009, case when i % 5 > 0 then 'é "' || i || char(9, 128512) end,
      case i % 4 when 0 then i when 1 then i / 7.0 when 2 then 1e300 * i end, i % 3, null from n;
    update note set flag = null where flag = 2;
    update note set day = '2024-02-29' where id % 6 = 0;
    ${changes};
    analyze`);
  database.close();
  return path;
}

function serve(path: string, readerThreads = 1, maxPageSize = 10_000) {
  const db: AnyDatabase = new Kysely({ dialect: sqliteDialect(path, { readerThreads }) });
  opened.push(db);
  return odataService({
    defaults: { maxTop: null, maxPageSize },
    entitySets: [sqlEntitySet(Note, { db, table: "note", operations: ["read"] })],
    schemaCheck: false,
    secret: "only for this test: 0123456789",
  });
}

type Service = ReturnType<typeof serve>;

const get = (service: Service, path: string) => service.fetch(new Request(`http://x${encodeURI(path)}`));

const NEXT = /"@odata\.nextLink":"([^"]*)",?/u;
const OPENING = '"value":[';

/** Reads all pages of a query, and joins their entities to one page. */
async function textByLinks(service: Service, path: string): Promise<string> {
  let head = "";
  const lists: string[] = [];
  for (let link: string | undefined = encodeURI(`http://x${path}`); link !== undefined;) {
    const text = await (await service.fetch(new Request(link))).text();
    link = NEXT.exec(text)?.[1];
    const page = text.replace(NEXT, "").replace(/\],\}$/u, "]}");
    const at = page.indexOf(OPENING) + OPENING.length;
    if (head === "") head = page.slice(0, at);
    lists.push(page.slice(at, -2));
  }
  return `${head}${lists.join(",")}]}`;
}

const ORDERS = [
  "/Notes?$orderby=Rank",
  "/Notes?$orderby=Rank desc,Text&$select=Text,Total",
  "/Notes?$orderby=Total,Flag desc&$filter=Rank ge 0",
  "/Notes?$select=Flag,Day,Rank",
  "/Notes?$orderby=length(Text) desc&$select=Id",
];

/** Values that rows return, but that are not written as SQLite writes them as JSON. `of` is a key in the middle. */
const CHANGES: readonly [string, string][] = [
  ["nothing", ""],
  ["NUL", "update note set text = 'a' || char(0) || 'b' where id = 3001"],
  ["invalid UTF-8", `update note set text = cast(x'61c328edA080"' as text) where id = 3001`.replace(`"'`, "'")],
  ["infinity", "update note set total = 9e999 where id in (1, 3001, 25000)"],
  ["a NUL in the first and the last entities", "update note set text = char(0) where rank in (0, 1008)"],
];

beforeAll(() => {
  for (const [index, [, changes]] of CHANGES.entries()) makeFile(`${String(index)}.db`, changes);
});
afterEach(async () => {
  await Promise.all(opened.splice(0).map((db) => db.destroy()));
});
afterAll(() => rmSync(folder, { recursive: true }));

describe.each(CHANGES.map(([name], index) => [name, index] as const))(
  "divided pages of a table with %s",
  (_name, index) => {
    test.each([...ORDERS, "/Notes?$orderby=Rank,Id desc&$count=true&$skip=123&$top=23900"])(
      "have the bytes of a single page for %s",
      async (query) => {
        const path = join(folder, `${String(index)}.db`);
        const [divided, single] = [await textByLinks(serve(path), query), await get(serve(path, 0, 50_000), query)];
        expect(single.status).toBe(200);
        expect(divided).toBe(await single.text());
      },
    );
  },
);

test("next links lead from page to page of a preferred size", async () => {
  const service = serve(join(folder, "4.db"));
  const seen: number[] = [];
  let link: string | undefined = "/Notes?$orderby=Rank&$select=Id";
  while (link !== undefined) {
    const request = new Request(`http://x${link}`, { headers: { prefer: "maxpagesize=9000" } });
    const body = (await (await service.fetch(request)).json()) as {
      readonly value: readonly { readonly Id: number }[];
      readonly "@odata.nextLink"?: string;
    };
    seen.push(...body.value.map(({ Id }) => Id));
    link = body["@odata.nextLink"]?.slice("http://x".length);
  }
  const expected = Array.from({ length: LENGTH }, (_, index) => index + 1).toSorted(
    (left, right) => ((left * 7919) % 1009) - ((right * 7919) % 1009) || left - right,
  );
  expect(seen).toEqual(expected);
});

test.each([
  ["bytes", "update note set text = x'00ff' where rank = 900"],
  ["JSON in binary form", "update note set text = jsonb('[1]') where rank = 900"],
  ["a date that does not exist", "update note set day = '2023-02-29' where rank = 900"],
])("%s break their page off, as they fail a short one", async (name, changes) => {
  const service = serve(makeFile(`${name}.db`, changes));
  const short = await get(service, "/Notes?$filter=Rank eq 900");
  expect(short.status).toBe(500);
  const first = await get(service, "/Notes?$orderby=Rank&$top=10000");
  expect(first.status).toBe(200);
  // The entities of a large page are written while it is sent.
  const last = await get(service, "/Notes?$orderby=Rank&$skip=20000");
  expect(last.status).toBe(200);
  await expect(last.text()).rejects.toThrow();
});
