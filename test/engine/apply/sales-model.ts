import {
  arraySource,
  complexType,
  edm,
  entitySet,
  entityType,
  enumType,
  hasMany,
  hasOptional,
  odataService,
} from "odatakit";
import { sqlEntitySet } from "odatakit/kysely";
import type { Service } from "../../service/http/doors.ts";
import { createTable, ENGINES, insertRow } from "../executors/engines.ts";
import type { DatabaseName, OpenDatabase } from "../executors/open-database.ts";

/** Its values are not in the order of its names. */
const Status = enumType("Status", { Open: 2, Closed: 1, Void: 0 });
const Place = complexType("Place", { street: edm.string().nullable(), zip: edm.string().nullable() });

export const Kind = entityType("Kind", { id: edm.int32().key(), label: edm.string().nullable() });
export const Item = entityType("Item", {
  id: edm.int32().key(),
  name: edm.string().nullable(),
  kindId: edm.int32().nullable(),
  rate: edm.decimal({ precision: 10, scale: 3 }).nullable(),
});
export const Sale = entityType("Sale", {
  id: edm.int32().key(),
  city: edm.string().nullable(),
  amount: edm.decimal({ precision: 12, scale: 2 }).nullable(),
  units: edm.int32(),
  stock: edm.int64().nullable(),
  weight: edm.double().nullable(),
  status: edm.enum(Status),
  at: edm.dateTimeOffset().nullable(),
  day: edm.date().nullable(),
  took: edm.duration().nullable(),
  paid: edm.boolean(),
  itemId: edm.int32().nullable(),
  place: edm.complex(Place).nullable(),
  secret: edm.string().nullable().ignored(),
});

export const KINDS = [
  { id: 1, label: "x" },
  { id: 2, label: null },
];
export const ITEMS = [
  { id: 1, name: "Cup", kindId: 1, rate: "1.500" },
  { id: 2, name: null, kindId: 2, rate: "0.250" },
  { id: 3, name: "Pot", kindId: null, rate: null },
];
const sale = { at: null, day: null, took: null, paid: false, place: null, secret: null };
export const SALES = [
  {
    ...sale,
    id: 1,
    city: "Oslo",
    amount: "0.10",
    units: 3,
    stock: 9007199254740993n,
    weight: 0.5,
    status: "Open",
    at: "2024-01-01T10:00:00Z",
    day: "2024-01-01",
    took: "PT1H",
    paid: true,
    itemId: 1,
    place: { street: "Main", zip: "01" },
  },
  {
    ...sale,
    id: 2,
    city: "Rome",
    amount: "30.50",
    units: 1,
    stock: 1n,
    weight: 0.25,
    status: "Closed",
    at: "2024-01-01T10:00:00.5Z",
    day: "2024-02-29",
    took: "PT30M",
    itemId: 2,
    place: { street: "Via", zip: null },
  },
  {
    ...sale,
    id: 3,
    city: "Oslo",
    amount: "0.20",
    units: 2,
    stock: 9007199254740993n,
    weight: null,
    status: "Void",
    paid: true,
    itemId: 1,
    place: { street: "Main", zip: "01" },
  },
  { ...sale, id: 4, city: null, amount: "99.99", units: 4, stock: null, weight: 1, status: "Open", itemId: null },
  {
    ...sale,
    id: 5,
    city: "oslo",
    amount: null,
    units: -1,
    stock: 5n,
    weight: -2.5,
    status: "Closed",
    at: "2023-12-31T23:59:59Z",
    day: "2023-12-31",
    took: "PT1M30.5S",
    itemId: 3,
  },
  { ...sale, id: 6, city: "Rome", amount: "-5.25", units: 0, stock: 2n, weight: 0.25, status: "Open", itemId: 1 },
] as const;

/** How the sets of a service are read: by handlers, by a source in memory, or from tables of a database. */
export const FORMS: readonly string[] = ["getAll", "arraySource", ...ENGINES.map(({ title }) => title)];

/** The options of a service of sales that a test changes. */
export interface SalesOptions {
  readonly sales?: object;
  readonly items?: object;
  readonly defaults?: object;
  readonly profile?: "standard" | "specification";
  readonly operations?: readonly unknown[];
  readonly secret?: string;
  readonly authenticate?: unknown;
}

/** The sales with their items and kinds in one form. */
export interface Sales {
  readonly service: Service;
  readonly close: () => Promise<void>;
}

const ON = {
  item: hasOptional(Item, { target: "Items", on: { itemId: "id" } }),
  kind: hasOptional(Kind, { target: "Kinds", on: { kindId: "id" } }),
  sales: hasMany(Sale, { target: "Sales", on: { id: "itemId" } }),
};

/** Opens a service of sales. Its options are those of every form, so they are not typed by the declarations. */
export async function openSales(form: string, options: SalesOptions = {}): Promise<Sales> {
  const { profile = "standard", sales = {}, items = {}, defaults = {}, ...more } = options;
  const engine = form === "tables" ? ENGINES[0] : ENGINES.find(({ title }) => title === form);
  const database = engine === undefined ? null : await engine.open();
  if (engine !== undefined && database !== null) await fill(database, engine.name);
  const db = database?.db;
  const make = (type: typeof Kind | typeof Item | typeof Sale, rows: readonly object[], set: object): never => {
    if (db !== undefined) {
      return sqlEntitySet(type as never, { db, operations: ["read"], ...set } as never) as never;
    }
    const handlers =
      form === "getAll" ? { getAll: () => rows } : { queryable: () => arraySource(type as never, rows as never) };
    const byKey = (key: unknown): unknown => rows.find((row) => Reflect.get(row, "id") === key) ?? null;
    const { table: _table, columns: _columns, ...kept } = set as { table?: unknown; columns?: unknown };
    return entitySet(type as never, { ...handlers, getByKey: byKey, ...kept } as never) as never;
  };
  const service = odataService({
    prefix: "/s",
    profile,
    defaults,
    entitySets: [
      make(Sale, SALES, {
        table: "sales",
        columns: { at: { storage: "text" } },
        navigation: { item: ON.item },
        ...sales,
      }),
      make(Item, ITEMS, { table: "items", navigation: { kind: ON.kind, sales: ON.sales }, ...items }),
      make(Kind, KINDS, { table: "kinds" }),
    ],
    ...more,
  } as never);
  return { service, close: async () => database?.close() };
}

/** The types of columns that are not the same everywhere. */
const TYPES: Readonly<Record<DatabaseName, Readonly<Record<"decimal" | "double" | "day" | "bool", string>>>> = {
  sqlite: { decimal: "text", double: "real", day: "text", bool: "integer" },
  postgres: { decimal: "numeric(12,3)", double: "double precision", day: "date", bool: "boolean" },
  mariadb: { decimal: "decimal(12,3)", double: "double", day: "date", bool: "boolean" },
};

async function fill(database: OpenDatabase, name: DatabaseName): Promise<void> {
  const { decimal, double, day, bool } = TYPES[name];
  const id = "integer not null primary key";
  await createTable(database, "kinds", { id, label: "varchar(20)" });
  await createTable(database, "items", { id, name: "varchar(20)", kindId: "integer", rate: decimal });
  const text = "varchar(40)";
  await createTable(database, "sales", {
    id,
    city: text,
    amount: decimal.replace("3)", "2)"),
    units: "integer not null",
    stock: "bigint",
    weight: double,
    status: `${text} not null`,
    at: text,
    day,
    took: text,
    paid: `${bool} not null`,
    itemId: "integer",
    place_street: text,
    place_zip: text,
    secret: text,
  });
  for (const row of KINDS) await insertRow(database, "kinds", [row.id, row.label]);
  for (const row of ITEMS) await insertRow(database, "items", [row.id, row.name, row.kindId, row.rate]);
  for (const { place, paid, ...row } of SALES) {
    const { id: key, city, amount, units, stock, weight, status, at, day: date, took, itemId, secret } = row;
    const flag = name === "sqlite" ? Number(paid) : paid;
    const cells = [key, city, amount, units, stock, weight, status, at, date, took, flag, itemId];
    await insertRow(database, "sales", [...cells, place?.street ?? null, place?.zip ?? null, secret]);
  }
}
