import { sql } from "kysely";
import { edm, entityType, hasMany, hasOptional, odataService, type ODataService } from "odatakit";
import { sqlEntitySet } from "odatakit/kysely";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { ENGINES, type AnyDatabase, type OpenDatabase } from "../../engine/executors/engines.ts";

/** So many rows that a page without a limit is streamed. */
const LENGTH = 3000;
/** The ids of rows with an infinite cell in each column: two of the first rows, one in the middle, and the last one. */
const INFINITE = [2, 3, 1500, LENGTH];

const Moment = entityType("Moment", {
  id: edm.int32().key(),
  at: edm.dateTimeOffset({ precision: 6 }).nullable(),
  local: edm.dateTimeOffset({ precision: 6 }).nullable(),
  day: edm.date().nullable(),
  epoch: edm.dateTimeOffset({ precision: 3 }).nullable(),
  amount: edm.decimal().nullable(),
  ratio: edm.double().nullable(),
  parentId: edm.int32().nullable(),
});
const columns = { local: { storage: "utc" }, epoch: { storage: "epoch" }, parentId: "parent_id" } as const;

async function createMoments(db: AnyDatabase): Promise<void> {
  await sql`create table moments (id integer primary key, at timestamptz, local timestamp, day date, epoch float8,
    amount numeric, ratio float8, parent_id integer)`.execute(db);
  await sql`insert into moments select i, timestamptz '2024-02-29 12:00:00+00' + i * interval '1 hour',
    timestamp '2024-02-29 12:00:00' + i * interval '1 hour', date '2024-02-29' + i, 1709208000000 + i * 3600000.0, i, i / 4.0,
    nullif(i / 2, 0) from generate_series(1, ${sql.lit(LENGTH)}) i`.execute(db);
  for (const [index, id] of INFINITE.entries()) {
    const value = sql.lit(index % 2 === 0 ? "infinity" : "-infinity");
    await sql`update moments set at = ${value}, local = ${value}, day = ${value}, epoch = ${value}, amount = ${value}
      where id = ${sql.lit(id)}`.execute(db);
  }
}

interface Body {
  readonly value: readonly Row[];
  readonly error?: unknown;
  readonly "@odata.nextLink"?: string;
}
interface Row {
  readonly id: number;
  readonly at: string | null;
}

function serve(db: AnyDatabase, unreadable: "error" | "null", maxTop: number | null): ODataService {
  return odataService({
    logger: { error: () => undefined, warn: () => undefined, info: () => undefined },
    propertyNaming: "camelCase",
    profile: "standard",
    secret: "0123456789abcdef0123456789abcdef",
    schemaCheck: false,
    defaults: { maxTop },
    entitySets: [
      sqlEntitySet(Moment, {
        db,
        table: "moments",
        operations: ["read"],
        columns,
        unreadable,
        navigation: {
          parent: hasOptional(Moment, { on: { parentId: "id" }, target: "Moments" }),
          children: hasMany(Moment, { on: { id: "parentId" }, target: "Moments" }),
        },
      }),
    ],
  });
}

async function get(service: ODataService, query: string): Promise<{ readonly status: number; readonly body: Body }> {
  const response = await service.fetch(new Request(query.startsWith("http") ? query : `http://x/Moments?${query}`));
  const text = await response.text();
  return { status: response.status, body: JSON.parse(text) as Body };
}

const TIMES = ["at", "local", "epoch"];
const I = "2024-03-01T12:00:00Z";
const FILTERS: readonly string[] = [
  ...TIMES.flatMap((name) => [
    ...["year", "month", "day", "hour", "minute", "second", "totaloffsetminutes"].map(
      (part) => `${part}(${name}) ge 0`,
    ),
    `date(${name}) ge 2024-01-01`,
    `date(${name}) eq day`,
    `time(${name}) ge 00:00:00`,
    `fractionalseconds(${name}) eq 0`,
    `${name} add duration'P1D' gt ${I}`,
    `(${name} sub ${I}) gt duration'P1D'`,
    `totalseconds(${name} sub ${I}) gt 1`,
    `date(parent/${name}) ge 2024-01-01`,
    `children/any(c:month(c/${name}) eq 3)`,
    `${name} in (${I})`,
    ...TIMES.map((other) => `${name} le ${other}`),
  ]),
  ...["year", "month", "day"].map((part) => `${part}(day) ge 0`),
  "day add duration'P1D' gt 2024-02-29",
  "(day sub 2024-02-29) gt duration'P1D'",
  "amount add 1 gt 2",
  "amount mul amount gt 2",
  "amount div 2 gt 2",
  "round(amount) gt 2",
  "amount gt ratio",
];
const ORDERS = [
  ...["at", "local", "epoch", "day", "amount"].flatMap((name) => [name, `${name} desc`]),
  ...TIMES.flatMap((name) => [`year(${name})`, `date(${name}) desc`, `${name} add duration'P1D'`]),
  "month(day),day",
  "amount mul 2",
  "parent/at",
  "day(parent/day) desc",
];

describe.each(ENGINES.filter(({ name }) => name === "postgres").map((engine) => [engine.title, engine] as const))(
  "infinite cells over %s",
  (_title, engine) => {
    let opened: OpenDatabase;

    beforeAll(async () => {
      opened = await engine.open();
      await createMoments(opened.db);
    });

    afterAll(() => opened.close());

    test.each(["null", "error"] as const)(
      "fail no filter that returns other properties with %s",
      async (unreadable) => {
        const service = serve(opened.db, unreadable, 2);
        for (const filter of FILTERS) {
          const { status, body } = await get(service, `$select=id&$filter=${encodeURIComponent(filter)}`);
          expect([filter, status, body.error]).toEqual([filter, 200, undefined]);
        }
      },
    );

    test("are in no result of a computation", async () => {
      const service = serve(opened.db, "null", null);
      for (const filter of ["year(at) ge 0", "month(local) ge 0", "day(day) ge 0", "hour(epoch) ge 0"]) {
        const { body } = await get(service, `$select=id&$orderby=id&$top=5&$filter=${encodeURIComponent(filter)}`);
        expect([filter, body.value.map(({ id }) => id)]).toEqual([filter, [1, 4, 5, 6, 7]]);
      }
    });

    test("fail no order, and each page follows", async () => {
      const service = serve(opened.db, "null", 3);
      for (const order of ORDERS) {
        const found: number[] = [];
        const filter = "id le 5 or id ge 2998";
        let next: string | undefined = `$orderby=${encodeURIComponent(order)}&$filter=${encodeURIComponent(filter)}`;
        for (let pages = 0; next !== undefined && pages < 10; pages += 1) {
          const { status, body } = await get(service, next);
          expect([order, pages, status]).toEqual([order, pages, 200]);
          found.push(...body.value.map(({ id }) => id));
          next = body["@odata.nextLink"];
        }
        expect([order, found.toSorted((left, right) => left - right)]).toEqual([
          order,
          [1, 2, 3, 4, 5, 2998, 2999, 3000],
        ]);
      }
    });

    test.each(["$orderby=id", "$orderby=at desc", "$orderby=year(local),id", "$expand=parent($select=at)"])(
      "are null in a stream with %s",
      async (query) => {
        const { status, body } = await get(serve(opened.db, "null", null), query);
        expect(status).toBe(200);
        expect(body.value).toHaveLength(LENGTH);
        const rows = body.value.filter(({ at }) => at === null);
        expect(rows.map(({ id }) => id).toSorted((left, right) => left - right)).toEqual(INFINITE);
        for (const row of rows) expect(row).toMatchObject({ local: null, day: null, epoch: null, amount: null });
      },
    );

    test.each(["$orderby=id", "$orderby=id&$top=2", "$filter=id eq 2", "$expand=parent&$filter=id eq 4&$select=id"])(
      'fail %s with "error"',
      async (query) => {
        expect((await get(serve(opened.db, "error", 100), query)).status).toBe(500);
      },
    );

    test.each([...TIMES, "day", "amount"])('fail a page that returns %s alone with "error"', async (name) => {
      const service = serve(opened.db, "error", 100);
      for (const query of [
        `$select=${name}&$filter=id eq 2`,
        `$select=${name}&$orderby=id`,
        `$select=id&$expand=parent($select=${name})&$filter=id eq 4`,
      ]) {
        expect([query, (await get(service, query)).status]).toEqual([query, 500]);
      }
    });

    test('fail no request with "error" that does not return them', async () => {
      const service = serve(opened.db, "error", null);
      expect((await get(service, "$filter=id eq 1")).status).toBe(200);
      expect((await get(service, "$select=id,ratio&$orderby=at")).status).toBe(200);
      expect((await get(service, "$select=id&$orderby=date(at) desc,year(day)")).status).toBe(200);
    });
  },
);
