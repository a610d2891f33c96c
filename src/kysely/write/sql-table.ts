import type { EntityType, StructuralProperty } from "../../edm/model.ts";
import type { SelectedProperty } from "../../query/clauses.ts";
import type { PlansByField } from "../columns/table-columns.ts";
import type { AnyKysely } from "../connection/synchronous-reader.ts";
import type { SqlReader } from "../read/sql-reader.ts";
import { storedProperty, type StoredProperty } from "./stored-columns.ts";

/** What a table of a writable set is made of. */
interface TableOptions {
  readonly db: AnyKysely;
  readonly name: string;
  readonly entityType: EntityType;
  readonly reader: SqlReader;
  /** The field that counts the writes of a row. */
  readonly rowVersion: string | undefined;
}

/** The table behind an entity set, as what writes it sees it. */
export class SqlTable {
  readonly db: AnyKysely;
  readonly name: string;
  /** As declared: the model of a service has other names on the wire, and the same fields. */
  readonly entityType: EntityType;
  readonly reader: SqlReader;
  readonly rowVersion: StructuralProperty | null;
  /** What is read of a row that was written: each property. */
  readonly whole: readonly SelectedProperty[];
  readonly #stored = new Map<string, StoredProperty>();

  constructor({ db, name, entityType, reader, rowVersion }: TableOptions) {
    this.db = db;
    this.name = name;
    this.entityType = entityType;
    this.reader = reader;
    this.rowVersion = entityType.properties.find(({ field }) => field === rowVersion) ?? null;
    this.whole = Object.freeze(entityType.properties.map((property) => ({ property })));
  }

  /** Where the properties stand: asked for with the first write, for the table may be made after its declaration. */
  get plans(): PlansByField {
    return this.reader.statements.rowsFor(null).plans;
  }

  /** What writes a property. @throws Error for one that has no column */
  stored(field: string): StoredProperty {
    const known = this.#stored.get(field);
    if (known !== undefined) return known;
    const plan = this.plans.get(field);
    if (plan === undefined) throw new Error(`${field} of ${this.entityType.name} has no column.`);
    const made = storedProperty(plan);
    this.#stored.set(field, made);
    return made;
  }

  /** The property whose values stand in a column, and the members of complex ones on the way to it; none that no client may know. */
  pathOf(column: string): readonly StructuralProperty[] {
    const wanted = column.toLowerCase();
    for (const { field } of this.entityType.properties) {
      const found = this.stored(field).columns.find((each) => each.column.toLowerCase() === wanted);
      if (found !== undefined) return found.path;
    }
    return wanted === "primary" ? this.entityType.key.slice(0, 1) : [];
  }

  /** Whether two tables are written by one transaction. */
  shares({ db }: SqlTable): boolean {
    return this.db === db;
  }
}

/** The hidden fields by which the handlers and sources of this library know their table. */
const TABLE: unique symbol = Symbol("table");
const NARROWED: unique symbol = Symbol("narrowed");

interface MadeOverTable {
  readonly [TABLE]?: SqlTable;
  readonly [NARROWED]?: SqlTable;
}

/** Notes which table a handler, or a source, was made over. */
export function noteTable<Made extends object>(made: Made, table: SqlTable): Made {
  return Object.defineProperty(made, TABLE, { value: table, configurable: true });
}

/** The table that a handler or a source was made over; null for one of the application's own. */
export function tableOf(made: unknown): SqlTable | null {
  if (typeof made !== "function" && (typeof made !== "object" || made === null)) return null;
  return (made as MadeOverTable)[TABLE] ?? null;
}

/** Notes which table a handler writes some rows of, as the application tells which. */
export function noteNarrowed(made: object, table: SqlTable): void {
  Object.defineProperty(made, NARROWED, { value: table, configurable: true });
}

/** The table that a handler reads or writes, be it whole or as far as the application shows it. */
export function tableBehind(made: unknown): SqlTable | null {
  const table = tableOf(made);
  if (table !== null || typeof made !== "function") return table;
  return (made as MadeOverTable)[NARROWED] ?? null;
}
