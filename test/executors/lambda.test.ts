import { Kysely, sql } from "kysely";
import { odataService } from "odatakit";
import { sqlEntitySet } from "odatakit/kysely";
import { sqliteDialect } from "odatakit/sqlite";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { LAMBDA_CASES, Trip, TRIPS } from "../http/trips.ts";

/** What a column with JSON cannot be asked for. */
const REFUSED = /^(?:Services|Octets)\//;
/** JSON has no NaN. */
const WITHOUT_SQL = new Set(["Ratios/any(r:r ne r)"]);

// oxlint-disable-next-line typescript/no-explicit-any -- the table is not described
const db = new Kysely<any>({ dialect: sqliteDialect(":memory:") });
const fields = Object.keys(Trip.properties);
const service = odataService({
  namespace: "Kit",
  entitySets: [
    sqlEntitySet(Trip, {
      db,
      table: "trips",
      operations: ["read"],
      columns: { plan: { storage: "json" } },
    }),
  ],
});

/** JSON text as another program would have written it: numbers with all their digits, texts in canonical form. */
function toJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(toJson).join(",")}]`;
  if (typeof value === "bigint") return String(value);
  if (value === undefined || value === null || Number.isNaN(value)) return "null";
  if (value instanceof Date) return JSON.stringify(value);
  if (value instanceof Uint8Array) return JSON.stringify(Buffer.from(value).toString("base64url"));
  if (typeof value === "object") {
    const members = Object.entries(value).map(([name, member]) => `${JSON.stringify(name)}:${toJson(member)}`);
    return `{${members.join(",")}}`;
  }
  if (typeof value !== "string") return JSON.stringify(value);
  if (/^-?\d+(?:\.\d+)?$/.test(value)) return value;
  return JSON.stringify(/^[\dA-F-]{36}$/.test(value) ? value.toLowerCase() : value);
}

beforeAll(async () => {
  await sql`create table trips (${sql.join(fields.map((field) => sql.id(field)))})`.execute(db);
  for (const trip of TRIPS) {
    const cells = fields.map((field) => {
      const value: unknown = Reflect.get(trip, field);
      if (value === undefined || value === null) return null;
      return typeof value === "object" ? toJson(value) : value;
    });
    await sql`insert into trips values (${sql.join(cells)})`.execute(db);
  }
});
afterAll(() => db.destroy());

async function answerTo(query: string): Promise<{ readonly status: number; readonly text: string }> {
  const [filter = "", ...options] = query.split("&");
  const target = [`$select=Id&$filter=${encodeURIComponent(filter)}`, ...options].join("&");
  const response = await service.fetch(new Request(`http://service.example/Trips?${target}`));
  return { status: response.status, text: await response.text() };
}

describe("over JSON columns of SQLite, what any, all and in mean in memory", () => {
  test.each(LAMBDA_CASES.filter(([filter]) => !WITHOUT_SQL.has(filter)))("%s", async (filter, ids) => {
    const { status, text } = await answerTo(filter);
    if (REFUSED.test(filter)) {
      expect([status, text]).toEqual([400, expect.stringContaining("UnsupportedQueryOption")]);
      return;
    }
    expect(status, text).toBe(200);
    const { value } = JSON.parse(text) as { value: { Id: number }[] };
    expect(value.map(({ Id }) => Id)).toEqual(ids);
  });
});
