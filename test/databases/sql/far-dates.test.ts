import { sql } from "kysely";
import { edm, entityType, odataService, type ODataService } from "odatakit";
import { sqlEntitySet } from "odatakit/kysely";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { ENGINES, type OpenDatabase } from "../../engine/executors/engines.ts";
import { noFailures } from "../../service/http/model.ts";

/** The limits of dates and timestamps of PostgreSQL, which other programs may store. */
const Far = entityType("Far", {
  id: edm.int32().key(),
  day: edm.date().nullable(),
  at: edm.dateTimeOffset({ precision: 6 }).nullable(),
  local: edm.dateTimeOffset({ precision: 6 }).nullable(),
});

const FIRST = "-4713-11-24T00:00:00.000000Z";
const LAST = "294276-12-31T23:59:59.999999Z";
const ROWS = [
  { Id: 1, Day: "-4713-11-24", At: FIRST, Local: FIRST },
  { Id: 2, Day: "2024-02-29", At: "2024-02-29T12:00:00.000000Z", Local: "2024-02-29T12:00:00.000000Z" },
  { Id: 3, Day: "294276-12-31", At: LAST, Local: LAST },
  { Id: 4, Day: "294277-01-01", At: null, Local: null },
  { Id: 5, Day: "5874897-12-31", At: null, Local: null },
] as const;

describe.each(ENGINES.filter(({ name }) => name === "postgres"))(
  "dates and timestamps at the limits of $title",
  (engine) => {
    let open: OpenDatabase;
    let service: ODataService;
    beforeAll(async () => {
      open = await engine.open();
      const { db } = open;
      await sql`create table fars (id integer primary key, day date, at timestamptz, local timestamp)`.execute(db);
      await sql`insert into fars values
      (1, '4714-11-24 BC', '4714-11-24 00:00:00+00 BC', '4714-11-24 00:00:00 BC'),
      (2, '2024-02-29', '2024-02-29 12:00:00+00', '2024-02-29 12:00:00'),
      (3, '294276-12-31', '294276-12-31 23:59:59.999999+00', '294276-12-31 23:59:59.999999'),
      (4, '294277-01-01', null, null), (5, '5874897-12-31', null, null)`.execute(db);
      service = odataService({
        logger: noFailures,
        secret: "0123456789abcdef0123456789abcdef",
        entitySets: [
          sqlEntitySet(Far, {
            db,
            table: "fars",
            operations: ["read", "create", "patch", "delete"],
            columns: { local: { storage: "utc" } },
            maxTop: null,
          }),
        ],
      });
    });
    afterAll(() => open.close());

    const send = async (method: string, path: string, body?: object): Promise<readonly [number, unknown]> => {
      const response = await service.fetch(
        new Request(path.startsWith("http") ? path : `http://x/${encodeURI(path)}`, {
          method,
          headers: { "Content-Type": "application/json", Accept: "application/json;odata.metadata=none" },
          ...(body && { body: JSON.stringify(body) }),
        }),
      );
      const text = await response.text();
      return [response.status, text === "" ? null : (JSON.parse(text) as unknown)];
    };
    const ids = async (filter: string): Promise<unknown> => {
      const [status, body] = await send("GET", `Fars?$filter=${filter}&$select=Id&$orderby=Id`);
      return status === 200 ? (body as { value: { Id: number }[] }).value.map(({ Id }) => Id) : [status, body];
    };

    test("are read", async () => {
      expect(await send("GET", "Fars?$orderby=Id")).toEqual([200, { value: ROWS }]);
      expect(await send("GET", "Fars(5)")).toEqual([200, ROWS[4]]);
    });

    test.each<readonly [filter: string, found: readonly number[]]>([
      ...ROWS.map(({ Id, Day }) => [`Day eq ${Day}`, [Id]] as const),
      ...["At", "Local"].flatMap((name) => [
        [`${name} eq ${FIRST}`, [1]] as const,
        [`${name} eq ${LAST}`, [3]] as const,
        [`${name} ge ${LAST}`, [3]] as const,
        [`${name} gt ${LAST}`, []] as const,
        [`${name} lt ${FIRST}`, []] as const,
        [`${name} in (${LAST},${FIRST})`, [1, 3]] as const,
        [`${name} eq 294277-01-01T00:00:00Z`, []] as const,
        [`${name} lt 294277-01-01T00:00:00Z`, [1, 2, 3]] as const,
        [`${name} le 9999999-01-01T00:00:00Z`, [1, 2, 3]] as const,
        [`${name} gt 294277-01-01T00:00:00Z`, []] as const,
        [`${name} ge 9999999-01-01T00:00:00Z`, []] as const,
        [`${name} gt -4714-01-01T00:00:00Z`, [1, 2, 3]] as const,
        [`${name} ge -4714-01-01T00:00:00Z`, [1, 2, 3]] as const,
        [`${name} lt -4714-01-01T00:00:00Z`, []] as const,
        [`${name} ne 9999999-01-01T00:00:00Z`, [1, 2, 3, 4, 5]] as const,
      ]),
      ["Day eq 9999999-01-01", []],
      ["Day ne 9999999-01-01", [1, 2, 3, 4, 5]],
      ["not (Day eq 9999999-01-01)", [1, 2, 3, 4, 5]],
      ["Day in (9999999-01-01,2024-02-29)", [2]],
      ["Day lt 9999999-01-01", [1, 2, 3, 4, 5]],
      ["Day le 9999999-01-01", [1, 2, 3, 4, 5]],
      ["Day gt 9999999-01-01", []],
      ["Day ge 9999999-01-01", []],
      ["Day gt -4714-01-01", [1, 2, 3, 4, 5]],
      ["Day lt -4714-01-01", []],
      ["Day gt 294276-12-31", [4, 5]],
      ["Day ge 5874897-12-31", [5]],
      ["year(Day) eq 5874897", [5]],
      ["month(Day) eq 12", [3, 5]],
      ["Day add duration'P1D' gt 294277-01-01", [4, 5]],
    ])("%s", async (filter, found) => {
      expect(await ids(filter)).toEqual(found);
    });

    test.each(["Day", "Day desc", "At", "At desc", "Local desc"])("are in the pages ordered by %s", async (order) => {
      const [, whole] = await send("GET", `Fars?$orderby=${order}`);
      const pages: unknown[] = [];
      const headers = { Prefer: "maxpagesize=2", Accept: "application/json;odata.metadata=minimal" };
      let next: string | undefined = `http://x/${encodeURI(`Fars?$orderby=${order}&$select=Id`)}`;
      while (next !== undefined) {
        const response = await service.fetch(new Request(next, { headers }));
        expect(response.status).toBe(200);
        const body = (await response.json()) as { value: { Id: number }[]; "@odata.nextLink"?: string };
        pages.push(...body.value.map(({ Id }) => Id));
        next = body["@odata.nextLink"];
      }
      expect(whole).toMatchObject({ value: ROWS.map(() => expect.anything()) });
      expect(pages).toEqual((whole as { value: { Id: number }[] }).value.map(({ Id }) => Id));
      expect(pages.toSorted((one, other) => Number(one) - Number(other))).toEqual([1, 2, 3, 4, 5]);
    });

    test("are written", async () => {
      const row = { Id: 9, Day: "5874897-12-31", At: LAST, Local: FIRST };
      expect(await send("POST", "Fars", row)).toEqual([201, row]);
      expect((await send("PATCH", "Fars(9)", { Day: "5874898-01-01" }))[0]).toBe(400);
      expect((await send("PATCH", "Fars(9)", { At: "294277-01-01T00:00:00Z" }))[0]).toBe(400);
      expect(await send("GET", "Fars(9)")).toEqual([200, row]);
      expect((await send("DELETE", "Fars(9)"))[0]).toBe(204);
    });
  },
);
