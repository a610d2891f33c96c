import type { CatalogueRow, CatalogueSteps } from "./catalogue-steps.ts";
import type { ForeignKey, ObjectColumn, ObjectName, SchemaObject } from "./database-schema.ts";
import { provePlan, type IsNeverNull, type KeysOf, type PlanProof } from "./postgres-plan.ts";

/** An object with facts that only proofs of keys need. */
export interface PostgresObject {
  readonly object: SchemaObject;
  /** The columns that a constraint forbids to be null. */
  readonly neverNull: ReadonlySet<string>;
}

const ALIAS = "odatakit_planned_view";

/**
 * Adds to views the keys, the table columns and the foreign keys that their plans prove. A view that PostgreSQL cannot plan cannot be read
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
    proven.push(toProven(view, columns, provePlan(rows[0]?.[0], planned), facts));
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
  readonly foreignKeysOf: (table: ObjectName) => readonly ForeignKey[];
}

function factsOf(tables: readonly PostgresObject[]): Facts {
  const byName = new Map(tables.map((each) => [nameOf(each.object), each]));
  const find = (table: ObjectName): PostgresObject | undefined => byName.get(nameOf(table));
  return {
    keysOf: (table) => keysOf(find(table)),
    isNeverNull: (table, column) => find(table)?.neverNull.has(column) === true,
    columnOf: (table, column) => find(table)?.object.columns.find(({ name }) => name === column),
    foreignKeysOf: (table) => find(table)?.object.foreignKeys ?? [],
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
  { columnOf, foreignKeysOf }: Facts,
): SchemaObject {
  const columns = view.columns.map((column) => {
    const source = outputs[selected.indexOf(column.name)];
    if (source === undefined) return column;
    const comment = column.comment ?? columnOf(source.table, source.column)?.comment ?? null;
    return { ...column, comment, source: source.isOptional ? null : { ...source.table, column: source.column } };
  });
  const names = key?.flatMap((place) => selected[place] ?? []) ?? [];
  const provenKey = names.length === key?.length ? names : [];
  return { ...view, columns, provenKey, foreignKeys: foreignKeysFrom(outputs, selected, foreignKeysOf) };
}

/**
 * Returns the foreign keys of the tables that a view reads, where it returns all their columns unchanged from one scan. An outer
 * join replaces all of them by null, which refers to nothing.
 */
function foreignKeysFrom(
  outputs: PlanProof["outputs"],
  selected: readonly string[],
  foreignKeysOf: Facts["foreignKeysOf"],
): readonly ForeignKey[] {
  const scans = new Map<string, { readonly table: ObjectName; readonly names: Map<string, string> }>();
  for (const [place, output] of outputs.entries()) {
    const name = selected[place];
    if (output === undefined || name === undefined) continue;
    const scan = scans.get(output.scan) ?? { table: output.table, names: new Map<string, string>() };
    scans.set(output.scan, scan);
    if (!scan.names.has(output.column)) scan.names.set(output.column, name);
  }
  return [...scans.values()].flatMap(({ table, names }) =>
    foreignKeysOf(table).flatMap((foreignKey): readonly ForeignKey[] => {
      const columns = foreignKey.columns.flatMap((column) => names.get(column) ?? []);
      if (columns.length < foreignKey.columns.length) return [];
      return [{ ...foreignKey, name: null, comment: null, columns, base: table }];
    }),
  );
}

function nameOf({ schema, name }: ObjectName): string {
  return JSON.stringify([schema, name]);
}

function quote(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}
