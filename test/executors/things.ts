import { Kysely, sql } from "kysely";
import {
  arraySource,
  complexType,
  edm,
  entitySet,
  entityType,
  enumType,
  odataService,
  type EntityOf,
  type ResultOf,
  type ServiceOptions,
} from "odatakit";
import { sqlEntitySet } from "odatakit/kysely";
import { sqliteDialect } from "odatakit/sqlite";

export const Level = enumType("Level", { Low: 10, High: 2, Middle: 5, Least: -1 });
export const Rank = enumType("Rank", { First: 1, Top: 1, Second: 2 });
export const Color = enumType("Color", { None: 0, Red: 1, Green: 2, Blue: 4, White: 7 }, { isFlags: true });
export const Geo = complexType("Geo", { latitude: edm.double(), name: edm.string().nullable() });
export const Address = complexType("Address", {
  city: edm.string().nullable(),
  number: edm.int32(),
  geo: edm.complex(Geo).nullable(),
});
export const Note = complexType("Note", {
  text: edm.string().nullable(),
  count: edm.int64().nullable(),
  price: edm.decimal().nullable(),
  at: edm.dateTimeOffset().nullable(),
  done: edm.boolean().nullable(),
  words: edm.collection(edm.string()),
});

export const Part = complexType("Part", {
  code: edm.string().nullable(),
  size: edm.int32().nullable(),
  price: edm.decimal().nullable(),
  level: edm.enum(Level),
});

/** A property of each type and storage form, nullable ones and others. */
export const Thing = entityType("Thing", {
  id: edm.int32().key(),
  name: edm.string().nullable(),
  code: edm.string(),
  small: edm.int16().nullable(),
  count: edm.int32(),
  big: edm.int64().nullable(),
  ratio: edm.double().nullable(),
  limit: edm.double(),
  price: edm.decimal().nullable(),
  cost: edm.decimal({ precision: 12, scale: 2 }).nullable(),
  rate: edm.decimal({ precision: 12, scale: 4 }).nullable(),
  flag: edm.boolean().nullable(),
  active: edm.boolean(),
  uuid: edm.guid().nullable(),
  token: edm.guid(),
  bytes: edm.binary().nullable(),
  day: edm.date().nullable(),
  time: edm.timeOfDay().nullable(),
  at: edm.dateTimeOffset().nullable(),
  second: edm.dateTimeOffset({ precision: 0 }),
  local: edm.dateTimeOffset().nullable(),
  epoch: edm.dateTimeOffset({ precision: 3 }).nullable(),
  span: edm.duration().nullable(),
  level: edm.enum(Level).nullable(),
  rank: edm.enum(Rank),
  color: edm.enum(Color).nullable(),
  home: edm.complex(Address).nullable(),
  note: edm.complex(Note).nullable(),
  tags: edm.collection(edm.string().nullable()),
  amounts: edm.collection(edm.decimal().nullable()),
  parts: edm.collection(edm.complex(Part).nullable()),
});
export type ThingRow = EntityOf<typeof Thing>;

/** Where and how the properties stand that are not stored by default. */
const columns = {
  code: "the code",
  cost: { storage: "scaled" },
  rate: { name: "rate_real", storage: "real" },
  token: { storage: "text" },
  local: { storage: "text" },
  epoch: { name: "epoch_ms", storage: "epoch" },
  home: { columns: { number: "house_number" } },
  note: { storage: "json" },
} as const;

const TABLE = `create table "things" (
  "id" integer primary key, "name" text collate nocase, "the code" text not null, "small" integer, "count" integer not null,
  "big" integer, "ratio" real, "limit" real not null, "price" text, "cost" integer, "rate_real" real, "flag" integer,
  "active" integer not null, "uuid" text, "token" text not null, "bytes" blob, "day" text, "time" text, "at" text,
  "second" text not null, "local" text, "epoch_ms" integer, "span" text, "level" text, "rank" text not null, "color" integer,
  "home_city" text, "house_number" integer, "home_geo_latitude" real, "home_geo_name" text, "note" text, "tags" text, "amounts" text,
  "parts" text
)`;

const FLAG_VALUES: Readonly<Record<string, number>> = { None: 0, Red: 1, Green: 2, Blue: 4, White: 7 };

/** The cells of a row in the order of the table. */
function cellsOf(row: ThingRow): readonly unknown[] {
  const scaled = row.cost === null ? null : BigInt(row.cost.replace(".", ""));
  const rate = row.rate === null ? null : Number(row.rate);
  const epoch = row.epoch === null ? null : Date.parse(row.epoch);
  const color =
    row.color === null ? null : row.color.split(",").reduce((sum, name) => sum + (FLAG_VALUES[name] ?? 0), 0);
  const { home, note } = row;
  return [
    [row.id, row.name, row.code, row.small, row.count, row.big, row.ratio, row.limit, row.price, scaled, rate],
    [row.flag, row.active, row.uuid, row.id % 2 === 0 ? row.token.toUpperCase() : row.token, row.bytes, row.day],
    [row.time, row.at, row.second, row.local, epoch, row.span, row.level, row.rank, color],
    [home?.city ?? null, home?.number ?? null, home?.geo?.latitude ?? null, home?.geo?.name ?? null],
    [note === null ? null : documentOf(note)],
    [row.tags.length === 0 && row.id % 2 === 0 ? null : JSON.stringify(row.tags)],
    [`[${row.amounts.join(",").replaceAll(/(?<=^|,)(?=,|$)/g, row.amounts.length === 0 ? "" : "null")}]`],
    [`[${row.parts.map((part) => (part === null ? "null" : documentOf(part))).join(",")}]`],
  ].flat();
}

/** A complex value with numbers that have all their digits, as JSON has them. */
function documentOf({
  price,
  count,
  ...others
}: {
  readonly price: string | null;
  readonly count?: bigint | null;
}): string {
  const exact = count === undefined ? "" : `"count":${String(count)},`;
  return `{${exact}"price":${String(price)},${JSON.stringify(others).slice(1)}`;
}

// oxlint-disable-next-line typescript/no-explicit-any -- the tables are not described
export type AnyDatabase = Kysely<any>;

/** A database in memory that holds the rows. */
export async function thingsDatabase(rows: readonly ThingRow[]): Promise<AnyDatabase> {
  const db: AnyDatabase = new Kysely({ dialect: sqliteDialect(":memory:") });
  await sql.raw(TABLE).execute(db);
  for (const row of rows) {
    await sql`insert into "things" values (${sql.join(cellsOf(row).map((cell) => sql.val(cell)))})`.execute(db);
  }
  return db;
}

/** One registration per executor, with the same rows. */
export interface ThingServices {
  readonly memory: ReturnType<typeof odataService>;
  readonly sqlite: ReturnType<typeof odataService>;
  readonly db: AnyDatabase;
}

/** The rows behind both executors, each in a service of its own. */
export async function thingServices(
  rows: readonly ThingRow[],
  others: Pick<ServiceOptions, "defaults" | "secret"> = {},
): Promise<ThingServices> {
  const db = await thingsDatabase(rows);
  const name = "Things";
  const options = { propertyNaming: "camelCase", namespace: "Test", ...others } as const;
  const stored: readonly ResultOf<typeof Thing>[] = rows;
  const memory = odataService({
    ...options,
    entitySets: [entitySet(Thing, { name, maxTop: null, queryable: () => arraySource(Thing, stored) })],
  });
  const sqlite = odataService({
    ...options,
    entitySets: [sqlEntitySet(Thing, { name, maxTop: null, db, table: "things", operations: ["read"], columns })],
  });
  return { memory, sqlite, db };
}
