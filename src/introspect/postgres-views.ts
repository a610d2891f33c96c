import type { CatalogueRow, CatalogueSteps } from "./catalogue-steps.ts";
import type { ObjectColumn, ObjectName, SchemaObject } from "./database-schema.ts";
import { provePlan, type IsNeverNull, type KeysOf, type PlanProof } from "./postgres-plan.ts";

/** An object with facts that only proofs of keys need. */
export interface PostgresObject {
  readonly object: SchemaObject;
  /** The columns that a constraint forbids to be null. */
  readonly neverNull: ReadonlySet<string>;
}

const ALIAS = "odatakit_planned_view";

/**
 * Adds to views the keys and the table columns that their plans prove. A view that PostgreSQL cannot plan cannot be read
 * either, so it is omitted.
 */
export function* proveViews(
  views: readonly SchemaObject[],
  tables: readonly PostgresObject[],
): CatalogueSteps<readonly SchemaObject[]> {
  const facts = factsOf(tables);
  const isTransaction = views.length > 0 && (yield* succeeds("savepoint odatakit_plan"));
  const proven: SchemaObject[] = [];
  for (const view of views) {
    const columns = view.columns.filter(({ isSelectable }) => isSelectable).map(({ name }) => name);
    let rows: readonly CatalogueRow[];
    try {
      const from = `${quote(view.schema)}.${quote(view.name)} as ${ALIAS}`;
      const sql = `explain (verbose, format json) select ${columns.map(quote).join(", ")} from ${from}`;
      rows = yield { sql, parameters: [], width: undefined };
    } catch (error) {
      if (isTransaction) yield* succeeds("rollback to savepoint odatakit_plan");
      const message = error instanceof Error ? error.message : String(error);
      proven.push({ ...view, omission: { code: "unreadable", reason: `not readable: ${message}` } });
      continue;
    }
    const planned = { ...facts, alias: ALIAS, columnNames: view.columns.map(({ name }) => name) };
    proven.push(toProven(view, columns, provePlan(rows[0]?.[0], planned), facts.columnOf));
  }
  if (isTransaction) yield* succeeds("release savepoint odatakit_plan");
  return proven;
}

/** Only a transaction has savepoints, and only in a transaction does an error prevent later statements. */
function* succeeds(sql: string): CatalogueSteps<boolean> {
  try {
    yield { sql, parameters: [], width: undefined };
    return true;
  } catch {
    return false;
  }
}

interface Facts {
  readonly keysOf: KeysOf;
  readonly isNeverNull: IsNeverNull;
  readonly columnOf: (table: ObjectName, column: string) => ObjectColumn | undefined;
}

function factsOf(tables: readonly PostgresObject[]): Facts {
  const byName = new Map(tables.map((each) => [nameOf(each.object), each]));
  const find = (table: ObjectName): PostgresObject | undefined => byName.get(nameOf(table));
  return {
    keysOf: (table) => keysOf(find(table)),
    isNeverNull: (table, column) => find(table)?.neverNull.has(column) === true,
    columnOf: (table, column) => find(table)?.object.columns.find(({ name }) => name === column),
  };
}

/** The primary key first, then unique indexes, the shortest first. */
function keysOf(table: PostgresObject | undefined): ReadonlyArray<readonly string[]> {
  if (table === undefined) return [];
  const { object, neverNull } = table;
  const unique = object.indexes.flatMap(({ isUnique, columns }) => {
    const names = columns.flatMap((column) => (column !== null && neverNull.has(column.name) ? [column.name] : []));
    return isUnique && names.length === columns.length ? [names] : [];
  });
  return [object.primaryKey, ...unique.toSorted((left, right) => left.length - right.length)];
}

function toProven(
  view: SchemaObject,
  selected: readonly string[],
  { outputs, key }: PlanProof,
  columnOf: Facts["columnOf"],
): SchemaObject {
  const columns = view.columns.map((column) => {
    const source = outputs[selected.indexOf(column.name)];
    if (source === undefined) return column;
    const comment = column.comment ?? columnOf(source.table, source.column)?.comment ?? null;
    return { ...column, comment, source: source.isOptional ? null : { ...source.table, column: source.column } };
  });
  const names = key?.flatMap((place) => selected[place] ?? []) ?? [];
  return { ...view, columns, provenKey: names.length === key?.length ? names : [] };
}

function nameOf({ schema, name }: ObjectName): string {
  return JSON.stringify([schema, name]);
}

function quote(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}
