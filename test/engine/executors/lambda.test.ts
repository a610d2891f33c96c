import { odataService } from "odatakit";
import { sqlEntitySet } from "odatakit/kysely";
import { afterAll, describe, expect, test } from "vitest";
import { LAMBDA_CASES, Trip, TRIPS } from "../../service/http/trips.ts";
import { createTable, ENGINES, insertRow, isSpread, type DatabaseEngine, type DatabaseName } from "./engines.ts";

/** The conditions that a column with JSON does not support. */
const REFUSED = /^(?:Services|Octets)\//;
/** JSON has no NaN. */
const WITHOUT_SQL = new Set(["Ratios/any(r:r ne r)"]);

const fields = Object.keys(Trip.properties);

/** The types of the columns; all others contain JSON. */
const TYPES: Readonly<Record<DatabaseName, Readonly<Record<string, string>>>> = {
  sqlite: {
    id: "integer primary key",
    name: "text not null",
    distance: "text not null",
    limit: "integer not null",
  },
  postgres: {
    id: "integer primary key",
    name: "text not null",
    distance: "numeric not null",
    limit: "bigint not null",
  },
  mariadb: {
    id: "int primary key",
    name: "text not null",
    distance: "decimal(30,10) not null",
    limit: "bigint not null",
  },
};
const JSON_TYPES: Readonly<Record<DatabaseName, string>> = { sqlite: "text", postgres: "jsonb", mariadb: "json" };

/** JSON as another program would have written it: numbers with all their digits, strings in canonical form. */
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

async function tripsOver(engine: DatabaseEngine) {
  const opened = await engine.open();
  const types = fields.map((field) => [field, TYPES[engine.name][field] ?? JSON_TYPES[engine.name]]);
  await createTable(opened, "trips", Object.fromEntries(types));
  for (const trip of TRIPS) {
    const cells = fields.map((field) => {
      const value: unknown = Reflect.get(trip, field);
      if (value === undefined || value === null) return null;
      return typeof value === "object" ? toJson(value) : value;
    });
    await insertRow(opened, "trips", cells);
  }
  const { db, close } = opened;
  const service = odataService({
    namespace: "Kit",
    entitySets: [
      sqlEntitySet(Trip, { db, table: "trips", operations: ["read"], columns: { plan: { storage: "json" } } }),
    ],
  });
  return { title: engine.title, service, close };
}

const over = await Promise.all(ENGINES.map(tripsOver));
afterAll(() => Promise.all(over.map(({ close }) => close())));

/** Citus has no subqueries over the items of a collection within others. */
const isNested = (filter: string): boolean =>
  /\/(?:any|all)\(\w+:.*(?:\/(?:any|all)\(| in (?:\w+\/)?(?:Tags|Notes))/.test(filter);

type Service = (typeof over)[number]["service"];

async function answerTo(service: Service, query: string): Promise<{ readonly status: number; readonly text: string }> {
  const [filter = "", ...options] = query.split("&");
  const target = [`$select=Id&$filter=${encodeURIComponent(filter)}`, ...options].join("&");
  const response = await service.fetch(new Request(`http://service.example/Trips?${target}`));
  return { status: response.status, text: await response.text() };
}

describe.each(over)("over JSON columns of $title, what any, all and in mean in memory", ({ service }) => {
  test.each(LAMBDA_CASES.filter(([filter]) => !WITHOUT_SQL.has(filter)))("%s", async (filter, ids) => {
    const { status, text } = await answerTo(service, filter);
    if (REFUSED.test(filter)) {
      expect([status, text]).toEqual([400, expect.stringContaining("UnsupportedQueryOption")]);
      return;
    }
    if (isSpread() && isNested(filter) && status !== 200) {
      expect([status, text]).toEqual([
        400,
        expect.stringContaining("over the tables of this set, as they are distributed."),
      ]);
      return;
    }
    expect(status, text).toBe(200);
    const { value } = JSON.parse(text) as { value: { Id: number }[] };
    expect(value.map(({ Id }) => Id)).toEqual(ids);
  });
});
