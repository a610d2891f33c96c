import { sql } from "kysely";
import { arraySource, edm, entitySet, entityType, hasMany, hasOptional, odataService, type EntityOf } from "odatakit";
import { sqlEntitySet } from "odatakit/kysely";
import type { AnyDatabase, DatabaseEngine, DatabaseName } from "./engines.ts";

/** Timestamps and dates in every form of storage. */

const instant = () => edm.dateTimeOffset({ precision: 3 }).nullable();

export const Event = entityType("Event", {
  id: edm.int32().key(),
  plain: instant(),
  utc: instant(),
  ms: instant(),
  secs: edm.dateTimeOffset({ precision: 0 }).nullable(),
  jd: instant(),
  lite: instant(),
  day: edm.date().nullable(),
  dayMs: edm.date().nullable(),
  daySecs: edm.date().nullable(),
  dayJd: edm.date().nullable(),
  dayLite: edm.date().nullable(),
});
export type EventRow = EntityOf<typeof Event>;

/** Keyed by a timestamp, to which events refer in other forms. */
export const Moment = entityType("Moment", { at: edm.dateTimeOffset({ precision: 3 }).key(), name: edm.string() });
export type MomentRow = EntityOf<typeof Moment>;

export const INSTANTS = ["plain", "utc", "ms", "secs", "jd", "lite"] as const;
export const DAYS = ["day", "dayMs", "daySecs", "dayJd", "dayLite"] as const;

export const columns = {
  utc: { storage: "utc" },
  ms: { storage: "epoch" },
  secs: { storage: "epoch-seconds" },
  jd: { storage: "julian" },
  lite: { storage: "sqlite-datetime" },
  dayMs: { storage: "epoch" },
  daySecs: { storage: "epoch-seconds" },
  dayJd: { storage: "julian" },
  dayLite: { storage: "sqlite-datetime" },
} as const;

type Types = readonly [sqlite: string, postgres: string, mariadb: string];
const LITE: Types = ["datetime", "text", "varchar(30)"];
const WHOLE: Types = ["integer", "bigint", "bigint"];
const JULIAN: Types = ["real", "double precision", "double"];
const TYPES: Readonly<Record<string, Types>> = {
  id: ["integer primary key", "integer primary key", "int primary key"],
  plain: ["text", "timestamptz", "datetime(3)"],
  utc: ["text", "timestamp", "timestamp(3) null"],
  ms: WHOLE,
  secs: ["datetime", "integer", "int"],
  jd: JULIAN,
  lite: LITE,
  day: ["text", "date", "date"],
  dayMs: WHOLE,
  daySecs: WHOLE,
  dayJd: JULIAN,
  dayLite: LITE,
};
const POSITIONS: Readonly<Record<DatabaseName, 0 | 1 | 2>> = { sqlite: 0, postgres: 1, mariadb: 2 };

/** Whole seconds, which every form can store, including the hour that Berlin has twice. */
const SECONDS = [
  "2024-10-27T00:30:00.000Z",
  "2024-10-27T01:30:00.000Z",
  "2024-03-31T01:30:00.000Z",
  "1999-12-31T23:59:59.000Z",
  "2024-02-29T00:00:00.000Z",
  "1970-01-01T00:00:01.000Z",
];
const FINER = ["2024-10-27T00:30:00.001Z", "2024-10-27T00:29:59.999Z", "2024-02-29T12:30:00.500Z"];
/** Outside the range of MariaDB's timestamp. */
const FARTHER = ["0001-01-01T00:00:00.000Z", "9999-12-31T23:59:59.999Z", "1969-12-31T23:59:59.999Z"];
const DATES = ["2024-02-29", "1970-01-01", "1969-12-31", "0001-01-01", "9999-12-31", "2024-10-27"];

export const EVENTS: readonly EventRow[] = Array.from({ length: 24 }, (_none, index) => {
  const pick = (values: readonly string[], step: number): string | null =>
    (index * step) % 7 === 3 ? null : (values[(index * step + step) % values.length] ?? null);
  const near = [...SECONDS, ...FINER];
  const any = [...near, ...FARTHER];
  return {
    id: index + 1,
    plain: pick(any, 5),
    utc: pick(near, 1),
    ms: pick(any, 7),
    secs: pick(SECONDS, 5)?.replace(".000Z", "Z") ?? null,
    jd: pick(any, 1),
    lite: pick(any, 11),
    day: pick(DATES, 1),
    dayMs: pick(DATES, 5),
    daySecs: pick(DATES, 1),
    dayJd: pick(DATES, 5),
    dayLite: pick(DATES, 7),
  };
});
export const MOMENTS: readonly MomentRow[] = [...SECONDS, ...FINER].map((at, index) => ({
  at,
  name: `m${String(index)}`,
}));

/** A cell as another program would have stored it. */
function cellOf(field: string, value: string | null, database: DatabaseName): unknown {
  if (value === null) return null;
  const time = Date.parse(value.includes("T") ? value : `${value}T00:00:00Z`);
  const integer = (cell: number): unknown => (database === "sqlite" ? BigInt(cell) : String(cell));
  switch (field) {
    case "ms":
    case "dayMs":
      return integer(time);
    case "secs":
    case "daySecs":
      return integer(time / 1000);
    case "jd":
    case "dayJd":
      return time / 86_400_000 + 2_440_587.5;
    case "lite":
    case "dayLite": {
      const text = new Date(time).toISOString().replace("T", " ").slice(0, -1);
      // Equal values have strings of different lengths.
      return value.length % 3 === 0 ? text : text.replace(/\.?0+$/, (zeros) => (zeros.startsWith(".") ? "" : zeros));
    }
    case "plain":
    case "utc":
    case "at":
      if (database === "sqlite") return value;
      return database === "postgres" && field === "plain" ? value : value.replace("T", " ").slice(0, -1);
    default:
      return value;
  }
}

/** Makes and fills the tables. Literals of timestamps without a zone are UTC, in any session. */
export async function makeEvents(db: AnyDatabase, database: DatabaseName): Promise<void> {
  const position = POSITIONS[database];
  const definitions = Object.entries(TYPES).map(([name, types]) => sql`${sql.id(name)} ${sql.raw(types[position])}`);
  await sql`create table events (${sql.join(definitions)})`.execute(db);
  const momentTypes = { at: ["text", "timestamp", "timestamp(3)"], name: ["text", "text", "varchar(9)"] } as const;
  await sql`create table moments (at ${sql.raw(momentTypes.at[position])} primary key, name ${sql.raw(momentTypes.name[position])} not null)`.execute(
    db,
  );
  const inUtc = sql.raw(database === "mariadb" ? "set statement time_zone='+00:00' for " : "");
  for (const row of EVENTS) {
    const cells = Object.entries(row).map(([field, value]) =>
      typeof value === "number" ? sql.val(value) : sql.val(cellOf(field, value, database)),
    );
    await sql`${inUtc}insert into events values (${sql.join(cells)})`.execute(db);
  }
  for (const { at, name } of MOMENTS) {
    await sql`${inUtc}insert into moments values (${cellOf("at", at, database)}, ${name})`.execute(db);
  }
}

type Service = ReturnType<typeof odataService>;

/** One registration per executor, with the same rows. */
export interface EventServices {
  readonly memory: Service;
  readonly database: Service;
  readonly db: AnyDatabase;
  readonly close: () => Promise<void>;
}

const OPTIONS = { propertyNaming: "camelCase", namespace: "Test", secret: "s".repeat(32) } as const;
const JOINS = { jd: { jd: "at" }, lite: { lite: "at" }, ms: { at: "ms" } } as const;

/** The rows of both executors; tables may be written. */
export async function eventServices(engine: DatabaseEngine): Promise<EventServices> {
  const { db, close } = await engine.open();
  await makeEvents(db, engine.name);
  const momentOf = (field: "jd" | "lite") => (id: number) => {
    const value = EVENTS.find((event) => event.id === id)?.[field];
    return MOMENTS.find(({ at }) => at === value) ?? null;
  };
  const memory = odataService({
    ...OPTIONS,
    entitySets: [
      entitySet(Event, {
        queryable: () => arraySource(Event, EVENTS),
        getByKey: (id) => EVENTS.find((row) => row.id === id) ?? null,
        paging: "keyset",
        navigation: {
          moment: hasOptional(Moment, { on: JOINS.jd, target: "Moments", get: momentOf("jd") }),
          second: hasOptional(Moment, { on: JOINS.lite, target: "Moments", get: momentOf("lite") }),
        },
      }),
      entitySet(Moment, {
        queryable: () => arraySource(Moment, MOMENTS),
        getByKey: (key) => MOMENTS.find(({ at }) => Date.parse(at) === Date.parse(key)) ?? null,
        navigation: {
          events: hasMany(Event, {
            on: JOINS.ms,
            target: "Events",
            get: (key) => EVENTS.filter(({ ms }) => ms !== null && Date.parse(ms) === Date.parse(key)),
          }),
        },
      }),
    ],
  });
  const operations = ["read", "create", "replace", "patch", "delete"] as const;
  const database = odataService({
    ...OPTIONS,
    logger: { error: () => {}, warn: () => {}, info: () => {} },
    entitySets: [
      sqlEntitySet(Event, {
        db,
        table: "events",
        operations,
        columns,
        paging: "keyset",
        etag: ["utc", "ms", "secs", "jd", "lite"],
        navigation: {
          moment: hasOptional(Moment, { on: JOINS.jd, target: "Moments" }),
          second: hasOptional(Moment, { on: JOINS.lite, target: "Moments" }),
        },
      }),
      sqlEntitySet(Moment, {
        db,
        table: "moments",
        operations,
        columns: { at: { storage: "utc" } },
        allowDeepInsert: true,
        navigation: { events: hasMany(Event, { on: JOINS.ms, target: "Events" }) },
      }),
    ],
  });
  return { memory, database, db, close };
}
