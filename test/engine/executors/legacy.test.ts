import { sql } from "kysely";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { ENGINES } from "./engines.ts";
import { legacyServices, type LegacyServices } from "./legacy.ts";

const ORIGIN = "http://service.example";

async function answer(
  service: LegacyServices["memory"],
  target: string,
  init: { readonly method?: string; readonly body?: unknown; readonly headers?: Record<string, string> } = {},
): Promise<readonly [status: number, body: unknown, headers: Headers]> {
  const { body, ...others } = init;
  const request = new Request(ORIGIN + encodeURI(target), {
    ...others,
    headers: { "Content-Type": "application/json", Prefer: "return=representation", ...init.headers },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const response = await service.fetch(request);
  const text = await response.text();
  return [response.status, text === "" ? null : JSON.parse(text), response.headers];
}

/** Removes the differences between a table and an array: ETags. */
function plain(body: unknown): unknown {
  return JSON.parse(JSON.stringify(body, (name, value: unknown) => (name === "@odata.etag" ? undefined : value)));
}

const FILTERS: readonly string[] = [
  ...["status", "letter"].flatMap((name) => [
    `${name} eq 'Paid'`,
    `${name} ne 'Paid'`,
    `${name} eq null`,
    `${name} ne null`,
    `not (${name} eq 'Paid')`,
    `${name} gt 'Lost'`,
    `${name} ge 'Paid'`,
    `${name} lt 'Draft'`,
    `not (${name} lt 'Draft')`,
    `${name} le 'Lost'`,
    `${name} in ('Paid','Lost')`,
    `${name} in ('Paid',null)`,
    `not (${name} in ('Paid','Lost'))`,
    `${name} has 'Paid'`,
    `${name} eq 'Paid' or id eq 1`,
    `'Paid' eq ${name}`,
  ]),
  "status eq letter",
  "status ne letter",
  "status lt letter",
  "stage eq 'Old'",
  "stage gt 'New'",
  "stage in ('Old','Gone')",
  "rank eq 'First'",
  "rank eq 'Top'",
  "rank ne 'Top'",
  "rank in ('Top','Second')",
  "rank gt 'Top'",
  "paid",
  "not paid",
  "paid eq true",
  "paid ne true",
  "paid eq false",
  "paid eq null",
  "paid lt true",
  "paid ge false",
  "paid in (true,null)",
  "paid and open",
  "paid or not open",
  "paid eq open",
  "paid ne open",
  "paid eq (id gt 2)",
  "(paid eq true) eq open",
  "open",
  "not open",
  "label/text eq 'paid'",
  "label/code eq letter",
  "label/code gt status",
  "label eq null",
];

const QUERIES: readonly string[] = [
  ...FILTERS.map((filter) => `/Invoices?$filter=${filter}&$count=true`),
  ...["status", "stage", "letter", "rank", "paid", "open"].flatMap((name) => [
    `/Invoices?$orderby=${name}`,
    `/Invoices?$orderby=${name} desc,id desc`,
  ]),
  "/Invoices?$orderby=label/code desc,id",
  "/Invoices(2)",
  "/Invoices(2)/status",
  "/Invoices(2)/paid/$value",
  "/Invoices?$select=id&$expand=label",
  "/Invoices(1)/label",
  "/Labels",
  "/Labels('Paid')",
  "/Labels('Lost')?$expand=invoices($orderby=letter)",
  "/Labels?$expand=invoices($filter=open;$orderby=paid desc;$top=1;$count=true)",
  "/Labels?$filter=invoices/any(i: i/paid)",
  "/Labels?$filter=invoices/all(i: i/letter ne 'Draft')",
  "/Labels?$filter=code gt 'Lost'&$orderby=code desc",
  "/Labels?$filter=invoices/$count gt 1",
  "/Labels('Paid')/invoices?$orderby=letter desc",
  "/Labels('Paid')/invoices/$count",
];

describe.each(ENGINES)("an existing database: $title", (engine) => {
  let services: LegacyServices;
  beforeAll(async () => {
    services = await legacyServices(engine);
  });
  afterAll(() => services.close());

  test.each(QUERIES)("%s", async (target) => {
    const [status, expected] = await answer(services.memory, target);
    const found = await answer(services.database, target);
    expect([found[0], plain(found[1])], target).toEqual([status, expected]);
    expect(status).toBe(200);
  });

  test.each(["status", "letter desc", "rank", "paid desc", "open,paid", "stage"])(
    "keyset pages by %s",
    async (order) => {
      const seen: Array<readonly unknown[]> = [];
      for (const service of [services.memory, services.database]) {
        const found: unknown[] = [];
        let target: string | undefined = `/Invoices?$orderby=${order}`;
        while (target !== undefined) {
          const [status, body] = await answer(service, target, { headers: { Prefer: "odata.maxpagesize=2" } });
          expect(status).toBe(200);
          const page = body as {
            readonly value: ReadonlyArray<{ readonly id: number }>;
            readonly "@odata.nextLink"?: string;
          };
          found.push(...page.value.map(({ id }) => id));
          const next = page["@odata.nextLink"];
          target = next === undefined ? undefined : decodeURI(next.replace(ORIGIN, ""));
        }
        seen.push(found);
      }
      expect(seen[1]).toEqual(seen[0]);
      expect(seen[0]).toHaveLength(6);
    },
  );

  test("writes store the mapped cells, under ETags", async () => {
    const { database, db } = services;
    const body = {
      id: 9,
      status: "Lost",
      stage: "Gone",
      letter: "Lost",
      rank: "Top",
      paid: false,
      open: true,
      note: null,
    };
    const [status, created, headers] = await answer(database, "/Invoices", { method: "POST", body });
    expect([status, plain(created)]).toEqual([
      201,
      {
        "@odata.context": `${ORIGIN}/$metadata#Invoices/$entity`,
        "@odata.id": `${ORIGIN}/Invoices(9)`,
        ...body,
        rank: "First",
      },
    ]);
    const cells = async () => {
      const { rows } = await sql`select * from invoices where id = 9`.execute(db);
      return Object.values(rows[0] as object).map((cell) => (cell === null ? null : String(cell)));
    };
    expect(await cells()).toEqual(["9", "5", "2", "it's \\", "F", "N", "-1", null]);
    const stale = await answer(database, "/Invoices(9)", {
      method: "PATCH",
      body: { paid: true },
      headers: { "If-Match": '"stale"' },
    });
    expect(stale[0]).toBe(412);
    const etag = headers.get("ETag") ?? "";
    const patched = await answer(database, "/Invoices(9)", {
      method: "PATCH",
      body: { paid: true, status: null, letter: "Paid", open: false },
      headers: { "If-Match": etag },
    });
    expect([patched[0], plain(patched[1])]).toMatchObject([
      200,
      { paid: true, status: null, letter: "Paid", open: false },
    ]);
    expect(await cells()).toEqual(["9", null, "2", "D", "F", "Y", "0", null]);
    const again = await answer(database, "/Invoices(9)", { method: "DELETE", headers: { "If-Match": etag } });
    expect(again[0]).toBe(412);
    const replaced = await answer(database, "/Invoices(9)", {
      method: "PUT",
      body: { ...body, paid: null },
      headers: { "If-Match": patched[2].get("ETag") ?? "" },
    });
    expect(replaced[0]).toBe(200);
    expect(await cells()).toEqual(["9", "5", "2", "it's \\", "F", null, "-1", null]);
    const property = await answer(database, "/Invoices(9)/status", {
      method: "PUT",
      body: { value: "Draft" },
      headers: { "If-Match": replaced[2].get("ETag") ?? "" },
    });
    expect(property[0]).toBeLessThan(300);
    expect((await cells())[1]).toBe("7");
    const removed = await answer(database, "/Invoices(9)", {
      method: "DELETE",
      headers: { "If-Match": (await answer(database, "/Invoices(9)"))[2].get("ETag") ?? "" },
    });
    expect(removed[0]).toBe(204);
  });

  test("a cell that no value is mapped to is a 500 whose log names the property and the mapping", async () => {
    const { database, db } = services;
    await sql`insert into invoices (id, status, stage, open) values (20, 99, 0, 0)`.execute(db);
    expect((await answer(database, "/Invoices(20)"))[0]).toBe(500);
    expect(services.logged.at(-1)).toMatch(
      /Column "status" of table "invoices": The database contains .*99.* where Status, an Status, .* `storage` maps no value/,
    );
    expect((await answer(database, "/Invoices?$filter=status eq 'Paid'"))[0]).toBe(200);
    await sql`delete from invoices where id = 20`.execute(db);
  });
});
