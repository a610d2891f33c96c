import type { StoredDatabase, StoredRows } from "../../definition/stored-database.ts";
import type { PlansByField } from "../columns/table-columns.ts";
import type { From } from "../translate/base-query.ts";

/** The query of the handlers of an entity set in place of a table, for the schema check. */
export class QueryRows implements StoredRows {
  readonly database: StoredDatabase;
  readonly from: From;
  /** Leaves ignored properties and members without a column out of statements, by their paths. */
  readonly omit: (paths: Iterable<string>) => void;
  readonly #plan: () => PlansByField;

  constructor(database: StoredDatabase, { from, omit }: Pick<QueryRows, "from" | "omit">, plan: () => PlansByField) {
    this.database = database;
    this.from = from;
    this.omit = omit;
    this.#plan = plan;
  }

  /** The columns of the properties, including ignored ones. */
  get plans(): PlansByField {
    return this.#plan();
  }
}
