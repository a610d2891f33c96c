import type { AnyKysely } from "../../connection/synchronous-reader.ts";
import { type Context, returnsIgnored } from "../../definition/context.ts";
import type { EntityType, JoinPair, StructuralProperty } from "../../edm/model.ts";
import { tableNameText, type TableName } from "../../edm/table-name.ts";
import type { SelectedProperty } from "../../query/clauses.ts";
import { planOf, type PlansByField } from "../columns/table-columns.ts";
import type { SqlReader } from "../read/sql-reader.ts";
import { storedProperty, type StoredProperty } from "./stored-columns.ts";

interface TableOptions {
  readonly db: AnyKysely;
  readonly name: TableName;
  readonly entityType: EntityType;
  readonly reader: SqlReader;
  /** The field that counts the writes of a row. */
  readonly rowVersion: string | undefined;
}

/** The table of an entity set, for writing. */
export class SqlTable {
  readonly db: AnyKysely;
  /** The name for messages. */
  readonly name: string;
  readonly tableName: TableName;
  /** The declared type: the model of a service may have other names in JSON, but the same fields. */
  readonly entityType: EntityType;
  readonly reader: SqlReader;
  readonly rowVersion: StructuralProperty | null;
  /** All properties that clients see. */
  readonly whole: readonly SelectedProperty[];
  readonly keyOnly: readonly SelectedProperty[];
  /** All properties, ignored ones and ignored members of complex values included, for code of the application. */
  readonly #declared: readonly SelectedProperty[];
  readonly #stored = new Map<string, StoredProperty>();

  constructor({ db, name, entityType, reader, rowVersion }: TableOptions) {
    this.db = db;
    this.name = tableNameText(name);
    this.tableName = name;
    this.entityType = entityType;
    this.reader = reader;
    this.rowVersion = entityType.properties.find(({ field }) => field === rowVersion) ?? null;
    const { key, properties, ignoredProperties } = entityType;
    this.keyOnly = Object.freeze(key.map((property) => ({ property })));
    this.whole = Object.freeze(properties.map((property) => ({ property })));
    const declared = [...properties, ...ignoredProperties];
    this.#declared = Object.freeze(declared.map((property) => ({ property, withIgnored: true as const })));
  }

  /** Returns the properties to read from a written row: `ctx.sets` returns ignored properties, too. */
  returnedTo(context: Context): readonly SelectedProperty[] {
    return returnsIgnored(context) ? this.#declared : this.whole;
  }

  /** The columns of the properties. Used from the first write on, since the table may be created after its declaration. */
  get plans(): PlansByField {
    return this.reader.statements.rowsFor(null).plans;
  }

  /** Whether the database does not compare a part of a join by code point. */
  comparesOtherwise(pairs: readonly JoinPair[]): boolean {
    const { comparisonOf } = this.reader.statements.rowsFor(null);
    return pairs.some((pair) => comparisonOf(pair) !== undefined);
  }

  /** Returns the writer of a property. @throws Error for a property without a column */
  stored(field: string): StoredProperty {
    const known = this.#stored.get(field);
    if (known !== undefined) return known;
    const made = storedProperty(planOf({ field, name: `${field} of ${this.entityType.name}` }, this.plans));
    this.#stored.set(field, made);
    return made;
  }

  /** Returns the path of the property that a column stores; empty if clients must not know it. */
  pathOf(column: string): readonly StructuralProperty[] {
    const wanted = column.toLowerCase();
    for (const { field } of this.entityType.properties) {
      const found = this.stored(field).columns.find((each) => each.column.toLowerCase() === wanted);
      if (found !== undefined) return found.path;
    }
    return wanted === "primary" ? this.entityType.key.slice(0, 1) : [];
  }

  /** Whether one transaction can write both tables. */
  shares({ db }: SqlTable): boolean {
    return this.db === db;
  }
}

/** The hidden fields that link handlers of this library to their table. */
const TABLE: unique symbol = Symbol("table");
const NARROWED: unique symbol = Symbol("narrowed");

interface MadeOverTable {
  readonly [TABLE]?: SqlTable;
  readonly [NARROWED]?: SqlTable;
}

/** Records the table of a handler. */
export function noteTable(made: object, table: SqlTable): void {
  Object.defineProperty(made, TABLE, { value: table, configurable: true });
}

/** Returns the table of a handler; null for a handler of the application. */
export function tableOf(made: unknown): SqlTable | null {
  return typeof made === "function" ? ((made as MadeOverTable)[TABLE] ?? null) : null;
}

/** Records the table of a handler that reads or writes only rows that the application shows. */
export function noteNarrowed(made: object, table: SqlTable): void {
  Object.defineProperty(made, NARROWED, { value: table, configurable: true });
}

/** Returns the table of a handler, whether it accesses all rows or only the rows that the application shows. */
export function tableBehind(made: unknown): SqlTable | null {
  const table = tableOf(made);
  if (table !== null || typeof made !== "function") return table;
  return (made as MadeOverTable)[NARROWED] ?? null;
}
