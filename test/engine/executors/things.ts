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
import { isDistributed } from "../../databases/distributed/watched-database.ts";
import {
  createTable,
  insertRow,
  type AnyDatabase,
  type DatabaseEngine,
  type DatabaseName,
  type OpenDatabase,
} from "./engines.ts";
import { TEXTS } from "./thing-texts.ts";

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
  stage: edm.enum(Level).nullable(),
  mood: edm.enum(Level),
  grade: edm.enum(Rank).nullable(),
  paid: edm.boolean().nullable(),
  open: edm.boolean(),
  secret: edm.string().nullable(),
});
export type ThingRow = EntityOf<typeof Thing>;

/**
 * The cells of members and booleans in an existing database. Their order and letter case differ from those of the
 * values.
 */
const CELLS = {
  stage: { Low: 7, High: -3, Middle: 0, Least: 12 },
  mood: { Low: "l", High: "L", Middle: "", Least: "b" },
  grade: { First: "z", Top: "z", Second: "a" },
  paid: { true: "Y", false: "N" },
  open: { true: 0, false: 1 },
} as const;

/** The columns and forms of the properties that are not stored by default. */
export const columns = {
  code: "the code",
  cost: { storage: "scaled" },
  rate: { name: "rate_real", storage: "real" },
  token: { storage: "text" },
  local: { storage: "text" },
  epoch: { name: "epoch_ms", storage: "epoch" },
  home: { columns: { number: "house_number" } },
  note: { storage: "json" },
  stage: { name: "stage_no", storage: { values: CELLS.stage } },
  mood: { storage: { values: CELLS.mood } },
  grade: { storage: { values: CELLS.grade } },
  paid: { storage: CELLS.paid },
  open: { name: "closed", storage: CELLS.open },
  secret: {
    convert: {
      fromDatabase: (cell: unknown) => String(cell).slice(1),
      toDatabase: (value: string) => `=${value}`,
    },
  },
} as const;

type Types = readonly [sqlite: string, postgres: string, mariadb: string];

const TEXT: Types = ["text", "text", "text"];
const SMALL: Types = ["integer", "smallint", "smallint"];
const INT: Types = ["integer", "integer", "int"];
const LONG: Types = ["integer", "bigint", "bigint"];
const DOUBLE: Types = ["real", "double precision", "double"];
const BOOLEAN: Types = ["integer", "boolean", "tinyint(1)"];
const JSON_TEXT: Types = ["text", "text", "longtext"];

/** The columns with their types. Their collations must not matter, and JSON is in each type that can store it. */
const COLUMNS: Readonly<Record<string, Types>> = {
  id: ["integer primary key", "integer primary key", "int primary key"],
  name: ["text collate nocase", 'text collate "und-x-icu"', "varchar(100) collate utf8mb4_unicode_ci"],
  "the code": ["text not null", 'text collate "C" not null', "varchar(100) collate utf8mb4_nopad_bin not null"],
  small: SMALL,
  count: notNull(INT),
  big: LONG,
  ratio: DOUBLE,
  limit: notNull(DOUBLE),
  price: ["text", "numeric", "decimal(50,25)"],
  cost: LONG,
  rate_real: DOUBLE,
  flag: BOOLEAN,
  active: notNull(BOOLEAN),
  uuid: ["text", "uuid", "char(36)"],
  token: notNull(TEXT),
  bytes: ["blob", "bytea", "blob"],
  day: ["text", "date", "date"],
  time: ["text", "time", "time(6)"],
  at: ["text", "timestamptz", "datetime(3)"],
  second: ["text not null", "timestamptz not null", "datetime not null"],
  local: TEXT,
  epoch_ms: LONG,
  span: TEXT,
  level: TEXT,
  rank: notNull(TEXT),
  color: INT,
  home_city: TEXT,
  house_number: INT,
  home_geo_latitude: DOUBLE,
  home_geo_name: TEXT,
  note: ["text", "jsonb", "json"],
  tags: ["text", "json", "json"],
  amounts: JSON_TEXT,
  parts: ["text", "jsonb", "longtext"],
  stage_no: SMALL,
  mood: ["text collate nocase not null", "varchar(1) not null", "varchar(9) collate utf8mb4_general_ci not null"],
  grade: ["text", "char(1)", "char(1)"],
  paid: ["text", "char(1)", "char(1)"],
  closed: notNull(SMALL),
  secret: TEXT,
};

function notNull([sqlite, postgres, mariadb]: Types): Types {
  return [`${sqlite} not null`, `${postgres} not null`, `${mariadb} not null`];
}

const POSITIONS: Readonly<Record<DatabaseName, 0 | 1 | 2>> = { sqlite: 0, postgres: 1, mariadb: 2 };

const FLAG_VALUES: Readonly<Record<string, number>> = { None: 0, Red: 1, Green: 2, Blue: 4, White: 7 };

/** The cells of a row in the order of the table. */
function cellsOf(row: ThingRow, database: DatabaseName): readonly unknown[] {
  const scaled = row.cost === null ? null : row.cost.replace(".", "");
  const rate = row.rate === null ? null : Number(row.rate);
  const epoch = row.epoch === null ? null : Date.parse(row.epoch);
  const color =
    row.color === null ? null : row.color.split(",").reduce((sum, name) => sum + (FLAG_VALUES[name] ?? 0), 0);
  const instant = (value: string | null): string | null =>
    database === "mariadb" && value !== null ? value.replace("T", " ").replace("Z", "") : value;
  // Only node:sqlite takes integers; the other drivers take their strings.
  const integer = (value: string | bigint | null): unknown =>
    value === null || database !== "sqlite" ? (value?.toString() ?? null) : BigInt(value);
  const { home, note } = row;
  return [
    [row.id, row.name, row.code, row.small, row.count, integer(row.big), row.ratio, row.limit, row.price],
    [integer(scaled), rate, row.flag, row.active, row.uuid, row.id % 2 === 0 ? row.token.toUpperCase() : row.token],
    [row.bytes, row.day, row.time, instant(row.at), instant(row.second), row.local, epoch, row.span, row.level],
    [row.rank, color, home?.city ?? null, home?.number ?? null, home?.geo?.latitude ?? null, home?.geo?.name ?? null],
    [note === null ? null : documentOf(note)],
    [row.tags.length === 0 && row.id % 2 === 0 ? null : JSON.stringify(row.tags)],
    [`[${row.amounts.join(",").replaceAll(/(?<=^|,)(?=,|$)/g, row.amounts.length === 0 ? "" : "null")}]`],
    [`[${row.parts.map((part) => (part === null ? "null" : documentOf(part))).join(",")}]`],
    legacyCells(row),
  ].flat();
}

/** The cells of the forms of an existing database. */
function legacyCells({ stage, mood, grade, paid, open, secret }: ThingRow): readonly unknown[] {
  return [
    stage && CELLS.stage[stage],
    CELLS.mood[mood],
    grade && CELLS.grade[grade],
    paid === null ? null : CELLS.paid[paid ? "true" : "false"],
    CELLS.open[open ? "true" : "false"],
    secret === null ? null : `=${secret}`,
  ];
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

/** The rows as a database can store them. */
export function storableRows(rows: readonly ThingRow[], database: DatabaseName): readonly ThingRow[] {
  const storable = STORABLE[database];
  return rows.map((row) => ({ ...row, ...storable(row) }));
}

const STORABLE: Readonly<Record<DatabaseName, (row: ThingRow) => Partial<ThingRow>>> = {
  sqlite: () => ({}),
  // Seconds have six fraction digits.
  postgres: ({ time }) => ({ time: sixDigits(time) }),
  // Infinities are not possible; a column of Decimals has a fixed number of digits; letter case maps one letter to one.
  mariadb: ({ time, limit, price, name, code, home, note, tags, parts }) => ({
    time: sixDigits(time),
    limit: Number.isFinite(limit) ? limit : 0,
    price: price?.includes(".") === true ? price.replace(/\.?0+$/, "") : price,
    name: caseless(name),
    code: caseless(code),
    home: home && {
      ...home,
      city: caseless(home.city),
      geo: home.geo && { ...home.geo, name: caseless(home.geo.name) },
    },
    note: note && { ...note, text: caseless(note.text), words: note.words.map(caseless) },
    tags: tags.map(caseless),
    parts: parts.map((part) => part && { ...part, code: caseless(part.code) }),
  }),
};

/** A string without letters that become two in the other case, or that databases do not know. */
function caseless<T extends string | null>(text: T): T | string {
  if (text === null || !TEXTS.includes(text)) return text === null ? text : "";
  return text.replace("ß", "ss");
}

function sixDigits(time: string | null): string | null {
  return time === null ? null : time.slice(0, "hh:mm:ss.ffffff".length);
}

/** A row as a database shows it: its rates are doubles, which have more digits than the scale of 4. */
export function shownRow(row: ThingRow): ThingRow {
  return { ...row, rate: row.rate === null ? null : Number(row.rate).toFixed(4) };
}

/** A database with the rows. */
export async function thingsDatabase(engine: DatabaseEngine, rows: readonly ThingRow[]): Promise<OpenDatabase> {
  const opened = await engine.open();
  const position = POSITIONS[engine.name];
  const types = Object.entries(COLUMNS).map(([name, each]) => [name, each[position]] as const);
  await createTable(opened, "things", Object.fromEntries(types));
  for (const row of rows) await insertRow(opened, "things", cellsOf(row, engine.name));
  return opened;
}

/** One registration per executor, with the same rows. */
export interface ThingServices {
  readonly memory: ReturnType<typeof odataService>;
  readonly database: ReturnType<typeof odataService>;
  readonly db: AnyDatabase;
  readonly close: () => Promise<void>;
}

/** The rows of both executors, each in its own service. */
export async function thingServices(
  engine: DatabaseEngine,
  given: readonly ThingRow[],
  others: Pick<ServiceOptions, "defaults" | "secret"> = {},
): Promise<ThingServices> {
  const rows = storableRows(given, engine.name);
  const { db, close } = await thingsDatabase(engine, rows);
  const name = "Things";
  const options = { propertyNaming: "camelCase", namespace: "Test", ...others } as const;
  const stored: readonly ResultOf<typeof Thing>[] = rows.map(shownRow);
  const memory = odataService({
    ...options,
    entitySets: [
      entitySet(Thing, {
        name,
        maxTop: null,
        queryable: () => arraySource(Thing, stored),
        getByKey: (id) => stored.find((row) => row.id === id) ?? null,
      }),
    ],
  });
  const table = { db, table: "things", operations: ["read"], columns, distributed: isDistributed(db) } as const;
  const database = odataService({ ...options, entitySets: [sqlEntitySet(Thing, { name, maxTop: null, ...table })] });
  return { memory, database, db, close };
}
