import { sql } from "kysely";
import {
  arraySource,
  edm,
  entitySet,
  entityType,
  enumType,
  hasMany,
  hasOptional,
  odataService,
  type EntityOf,
} from "odatakit";
import { sqlEntitySet } from "odatakit/kysely";
import type { AnyDatabase, DatabaseEngine, DatabaseName } from "./engines.ts";

/** Tables of an existing database, whose cells are mapped to other values. */

export const Status = enumType("Status", { Draft: 10, Paid: 2, Lost: -1 });
export const Stage = enumType("Stage", { New: 0, Old: 1, Gone: 2 });
export const Rank = enumType("Rank", { First: 1, Top: 1, Second: 2 });

export const Invoice = entityType("Invoice", {
  id: edm.int32().key(),
  status: edm.enum(Status).nullable(),
  stage: edm.enum(Stage),
  letter: edm.enum(Status).nullable(),
  rank: edm.enum(Rank).nullable(),
  paid: edm.boolean().nullable(),
  open: edm.boolean(),
  note: edm.string().nullable(),
});
export type InvoiceRow = EntityOf<typeof Invoice>;

/** Keyed by a mapped enumeration, and related by one with another mapping. */
export const Label = entityType("Label", { code: edm.enum(Status).key(), text: edm.string() });
export type LabelRow = EntityOf<typeof Label>;

export const INVOICE_COLUMNS = {
  status: { storage: { values: { Draft: 7, Paid: 3, Lost: 5 } } },
  stage: { storage: { values: { New: 0, Old: 1, Gone: 2 } } },
  letter: { name: "the letter", storage: { values: { Draft: "d", Paid: "D", Lost: "it's \\" } } },
  rank: { storage: { values: { First: "F", Top: "T", Second: "S" } } },
  paid: { storage: { true: "Y", false: "N" } },
  open: { storage: { true: -1, false: 0 } },
} as const;
export const LABEL_COLUMNS = { code: { storage: { values: { Draft: "DR", Paid: "pd", Lost: "PD" } } } } as const;

type Types = readonly [sqlite: string, postgres: string, mariadb: string];

const COLUMNS: Readonly<Record<string, Types>> = {
  id: ["integer primary key", "integer primary key", "int primary key"],
  status: ["integer", "smallint", "tinyint"],
  stage: ["integer not null", "numeric(1) not null", "decimal(1) not null"],
  "the letter": ["text collate nocase", "varchar(10)", "varchar(10)"],
  rank: ["text", "text", "varchar(10)"],
  paid: ["char(1)", "char(1)", "char(1)"],
  open: ["integer not null", "smallint not null", "smallint not null"],
  note: ["text", "text", "varchar(20)"],
};

export const POSITIONS: Readonly<Record<DatabaseName, 0 | 1 | 2>> = { sqlite: 0, postgres: 1, mariadb: 2 };

export const INVOICES: readonly InvoiceRow[] = [
  [1, "Draft", "New", "Draft", "First", true, true, "a"],
  [2, "Paid", "Old", "Paid", "Second", false, false, "b"],
  [3, "Lost", "Gone", "Lost", "First", null, true, null],
  [4, null, "New", null, null, true, false, "c"],
  [5, "Paid", "Gone", "Draft", "Second", false, true, ""],
  [6, "Lost", "Old", "Paid", null, null, false, "d"],
].map(([id, status, stage, letter, rank, paid, open, note]) => ({
  id,
  status,
  stage,
  letter,
  rank,
  paid,
  open,
  note,
})) as readonly InvoiceRow[];
export const LABELS: readonly LabelRow[] = [
  { code: "Draft", text: "draft" },
  { code: "Paid", text: "paid" },
  { code: "Lost", text: "lost" },
];

function cellOf(columns: object, field: string, value: unknown): unknown {
  const option = Object.entries(columns).find(([name]) => name === field)?.[1] as
    | { readonly storage: Readonly<Record<string, unknown>> }
    | undefined;
  if (option === undefined || value === null) return value;
  const { values, ...others } = option.storage;
  return ((values ?? others) as Readonly<Record<string, unknown>>)[JSON.stringify(value).replaceAll(`"`, "")];
}

/** Makes and fills the tables. */
export async function makeLegacy(db: AnyDatabase, name: DatabaseName): Promise<void> {
  const definitions = Object.entries(COLUMNS).map(([column, types]) => {
    return sql`${sql.id(column)} ${sql.raw(types[POSITIONS[name]])}`;
  });
  await sql`create table invoices (${sql.join(definitions)})`.execute(db);
  await sql`create table labels (code varchar(10) primary key, text varchar(20) not null)${sql.raw(
    name === "mariadb" ? " collate utf8mb4_bin" : "",
  )}`.execute(db);
  for (const row of INVOICES) {
    const cells = Object.entries(row).map(([field, value]) => sql.val(cellOf(INVOICE_COLUMNS, field, value)));
    await sql`insert into invoices values (${sql.join(cells)})`.execute(db);
  }
  for (const { code, text } of LABELS) {
    await sql`insert into labels values (${sql.val(cellOf(LABEL_COLUMNS, "code", code))}, ${text})`.execute(db);
  }
}

type Service = ReturnType<typeof odataService>;

const OPTIONS = { propertyNaming: "camelCase", namespace: "Test", secret: "s".repeat(32) } as const;

/** One registration per executor, with the same rows. */
export interface LegacyServices {
  readonly memory: Service;
  readonly database: Service;
  readonly db: AnyDatabase;
  /** The errors that the service over tables logged. */
  readonly logged: readonly string[];
  readonly close: () => Promise<void>;
}

/** The rows of both executors. Tables may be written. */
export async function legacyServices(engine: DatabaseEngine): Promise<LegacyServices> {
  const { db, close } = await engine.open();
  await makeLegacy(db, engine.name);
  const joins = { labels: { letter: "code" }, invoices: { code: "status" } } as const;
  const invoiceLinks = { label: hasOptional(Label, { on: joins.labels, target: "Labels" }) };
  const labelLinks = { invoices: hasMany(Invoice, { on: joins.invoices, target: "Invoices" }) };
  const memory = odataService({
    ...OPTIONS,
    entitySets: [
      entitySet(Invoice, {
        queryable: () => arraySource(Invoice, INVOICES),
        getByKey: (id) => INVOICES.find((row) => row.id === id) ?? null,
        paging: "keyset",
        navigation: {
          label: hasOptional(Label, {
            on: joins.labels,
            target: "Labels",
            get: (id) => {
              const invoice = INVOICES.find((row) => row.id === id);
              return LABELS.find(({ code }) => code === invoice?.letter) ?? null;
            },
          }),
        },
      }),
      entitySet(Label, {
        queryable: () => arraySource(Label, LABELS),
        getByKey: (code) => LABELS.find((row) => row.code === code) ?? null,
        navigation: {
          invoices: hasMany(Invoice, {
            on: joins.invoices,
            target: "Invoices",
            get: (code) => INVOICES.filter(({ status }) => status === code),
          }),
        },
      }),
    ],
  });
  const operations = ["read", "create", "replace", "patch", "delete"] as const;
  const logged: string[] = [];
  const logger = {
    error: (_message: string, fields?: unknown) => {
      // Each logger has its own name for the field with the error.
      for (const value of Object.values(fields ?? {})) if (value instanceof Error) logged.push(value.message);
    },
    warn: () => {},
    info: () => {},
  };
  const database = odataService({
    ...OPTIONS,
    logger,
    entitySets: [
      sqlEntitySet(Invoice, {
        db,
        table: "invoices",
        operations,
        columns: INVOICE_COLUMNS,
        paging: "keyset",
        etag: ["status", "paid", "letter"],
        navigation: invoiceLinks,
      }),
      sqlEntitySet(Label, {
        db,
        table: "labels",
        operations,
        columns: LABEL_COLUMNS,
        allowDeepInsert: true,
        navigation: labelLinks,
      }),
    ],
  });
  return { memory, database, db, logged, close };
}
