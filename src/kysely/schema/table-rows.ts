import { sql } from "kysely";
import { once } from "../../base/memo.ts";
import { required } from "../../base/required.ts";
import type { StoredDatabase, StoredHandler, StoredRows } from "../../definition/stored-database.ts";
import type { TableName } from "../../edm/table-name.ts";
import type { WantedTable } from "../../introspect/schema.ts";
import type { PlansByField } from "../columns/table-columns.ts";
import type { AnyKysely } from "../connection/synchronous-reader.ts";
import { sqlTableName } from "../statement/sql-table-name.ts";

/** The table of the handlers of an entity set, for the schema check. */
export class TableRows implements StoredRows {
  readonly database: StoredDatabase;
  /** As the declaration names it. */
  readonly table: TableName;
  /** The property that counts the writes of a row. */
  readonly rowVersion: string | undefined;
  /** Whether cells that cannot be read are null in responses, if their properties may be null. */
  readonly forgives: boolean;
  /** Leaves ignored properties and members without a column out of statements, by their paths. */
  readonly omit: (paths: Iterable<string>) => void;
  /** Returns the property whose column distributes the rows; null if it is not declared, undefined if each machine has all. */
  readonly distributedBy: () => string | null | undefined;
  readonly #plan: () => PlansByField;

  constructor(
    database: StoredDatabase,
    given: Pick<TableRows, "table" | "rowVersion" | "forgives" | "omit" | "distributedBy">,
    plan: () => PlansByField,
  ) {
    this.database = database;
    this.table = given.table;
    this.rowVersion = given.rowVersion;
    this.forgives = given.forgives;
    this.omit = given.omit;
    this.distributedBy = given.distributedBy;
    this.#plan = plan;
  }

  /** Returns the same rows for one check, which needs the plans often. Services need them rarely, so they keep none. */
  forCheck(): TableRows {
    return new TableRows(this.database, this, once(this.#plan));
  }

  /** The columns of the properties, including ignored ones. Each access makes them. */
  get plans(): PlansByField {
    return this.#plan();
  }
}

/** Records on a handler which rows it reads or writes. */
export function noteRows(handler: object, stored: StoredRows): void {
  Object.assign(handler, { stored } satisfies StoredHandler);
}

/** Returns the column of a property with a single column. */
export function plainColumn(
  { plans }: TableRows,
  field: string,
  { db }: { readonly db: AnyKysely },
): readonly string[] {
  const plan = plans.get(field);
  return plan?.kind === "scalar" ? [columnName(plan.column, db)] : [];
}

/** Returns a name as in statements: Kysely plugins may change it. */
export function columnName(column: string, db: AnyKysely): string {
  return required(namesIn(sql`${sql.id(column)}`.compile(db).sql)[0], "Kysely does not quote names.");
}

/** Returns a table as in statements, with the names in its text. */
export function wantedTable(table: TableName, db: AnyKysely): WantedTable {
  const text = sqlTableName(table).compile(db).sql;
  return { text, names: namesIn(text) };
}

function namesIn(text: string): readonly string[] {
  return Array.from(text.matchAll(/"((?:[^"]|"")*)"|`((?:[^`]|``)*)`/g), ([, double, back = ""]) =>
    double === undefined ? back.replaceAll("``", "`") : double.replaceAll('""', '"'),
  );
}
