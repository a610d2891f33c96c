import type { StoredDatabase, StoredHandler, StoredRows } from "../../definition/sets/stored-database.ts";
import type { PlansByField } from "../columns/table-columns.ts";

/** The table behind the handlers of an entity set, for the schema check. */
export class TableRows implements StoredRows {
  readonly database: StoredDatabase;
  /** As the declaration names it. */
  readonly table: string;
  readonly #plan: () => PlansByField;

  constructor(database: StoredDatabase, table: string, plan: () => PlansByField) {
    this.database = database;
    this.table = table;
    this.#plan = plan;
  }

  /** Where the properties stand, ignored ones too. */
  get plans(): PlansByField {
    return this.#plan();
  }
}

/** Notes on a handler which rows it reads or writes. */
export function noteRows(handler: object, stored: TableRows): void {
  Object.assign(handler, { stored } satisfies StoredHandler);
}
