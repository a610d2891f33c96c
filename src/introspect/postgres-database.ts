import { isYes, textOf, textOrNull, type CatalogueRow, type CatalogueSteps } from "./catalogue-steps.ts";
import { collectIndexes, groupBy } from "./collect-tables.ts";
import type { DatabaseSchema, ObjectOmission, SchemaObject, SchemaSelection } from "./database-schema.ts";
import { omitMigrations } from "./omitted-objects.ts";
import {
  kindOf,
  PG_COLUMNS,
  PG_FOREIGN_KEYS,
  PG_INDEXES,
  PG_OBJECTS,
  toForeignKeys,
  toObjectColumn,
  toObjectIndexColumn,
  type PostgresColumn,
  type PostgresIndexColumn,
} from "./postgres-objects.ts";
import { proveViews, type PostgresObject } from "./postgres-views.ts";
import { withUnreadableSamples } from "./unreadable-samples.ts";

const SERVER = `select current_setting('server_version') as c0, coalesce(current_schema(), 'public')::text as c1,
  current_user::text as c2, current_setting('server_version_num') as c3`;

/** Reads all tables and views of PostgreSQL. @see https://www.postgresql.org/docs/current/catalogs.html */
export function* readPostgresDatabase({ schemas }: SchemaSelection = {}): CatalogueSteps<DatabaseSchema> {
  const [server = []] = yield { sql: SERVER, parameters: [], width: 4 };
  const [version, defaultSchema, user, versionNumber] = server.map(textOf);
  const rows = yield { sql: PG_OBJECTS, parameters: [], width: 10 };
  const columns = groupBy((yield { sql: PG_COLUMNS, parameters: [], width: 23 }).map(toObjectColumn), oidOf);
  const indexes = groupBy((yield { sql: PG_INDEXES, parameters: [], width: 9 }).map(toObjectIndexColumn), oidOf);
  const foreignKeys = toForeignKeys(yield { sql: PG_FOREIGN_KEYS, parameters: [], width: 8 });
  const knowsEmpty = Number(versionNumber) >= 140_000;
  const found = rows.map((row) => {
    const oid = textOf(row[0]);
    const ofObject = { columns: columns.get(oid) ?? [], indexes: indexes.get(oid) ?? [] };
    return toObject(row, { ...ofObject, foreignKeys: foreignKeys.get(oid) ?? [], user: user ?? "", knowsEmpty });
  });
  const wanted = found.map(({ object }) => object).filter(({ schema }) => schemas?.includes(schema) ?? true);
  const isPlanned = ({ kind, omission }: SchemaObject): boolean => kind === "view" && omission === null;
  const views = yield* proveViews(wanted.filter(isPlanned), found);
  const remaining = views.values();
  const objects: SchemaObject[] = [];
  for (const each of wanted) {
    const object = isPlanned(each) ? (remaining.next().value ?? each) : each;
    objects.push(yield* withUnreadableSamples(object, "postgres"));
  }
  return {
    kind: "postgres",
    product: `PostgreSQL ${version?.split(" ")[0] ?? ""}`.trim(),
    defaultSchema: defaultSchema ?? "public",
    objects,
  };
}

interface Parts {
  readonly columns: readonly PostgresColumn[];
  readonly indexes: readonly PostgresIndexColumn[];
  readonly foreignKeys: SchemaObject["foreignKeys"];
  readonly user: string;
  /** Whether an estimate of zero rows means an empty table, and not an unknown number. */
  readonly knowsEmpty: boolean;
}

function toObject(row: CatalogueRow, { columns, indexes, foreignKeys, user, knowsEmpty }: Parts): PostgresObject {
  const [, schema, name, relationKind, comment, estimate, parent, extension, isPopulated, isReachable] = row;
  const visible = columns.filter(({ column }) => !column.isHidden);
  const rows = Number(estimate);
  const kind = kindOf(textOf(relationKind));
  const isEstimate = kind !== "view" && (knowsEmpty ? rows >= 0 : rows > 0);
  const object: SchemaObject = {
    schema: textOf(schema),
    name: textOf(name),
    kind,
    columns: visible.map(({ column }) => column),
    indexes: collectIndexes(indexes.map(({ listed }) => listed)),
    primaryKey: indexes.flatMap(({ isPrimary, listed }) => (isPrimary && listed.column ? [listed.column.name] : [])),
    provenKey: [],
    foreignKeys,
    comment: textOrNull(comment),
    estimatedRows: isEstimate ? rows : null,
    omission: null,
  };
  const omission =
    omissionOf(textOrNull(parent), textOrNull(extension)) ??
    omitMigrations(object) ??
    unreadable(object, { user, isPopulated: isYes(isPopulated), isReachable: isYes(isReachable) });
  const neverNull = new Set(visible.flatMap(({ isNeverNull, column }) => (isNeverNull ? [column.name] : [])));
  return { object: { ...object, omission }, neverNull };
}

function omissionOf(parent: string | null, extension: string | null): ObjectOmission | null {
  if (parent !== null) return { code: "partition", reason: `a partition of ${parent}` };
  return extension === null ? null : { code: "extension", reason: `a part of the extension ${extension}` };
}

function unreadable(
  { columns, schema }: SchemaObject,
  { user, isPopulated, isReachable }: { user: string; isPopulated: boolean; isReachable: boolean },
): ObjectOmission | null {
  if (!isPopulated) return { code: "unreadable", reason: "not populated: run `refresh materialized view`" };
  if (!isReachable) {
    return { code: "unreadable", reason: `in the schema ${schema}, which the user ${user} may not use` };
  }
  const isHidden = columns.length > 0 && columns.every(({ isSelectable }) => !isSelectable);
  return isHidden ? { code: "unreadable", reason: `not readable by the user ${user}` } : null;
}

function oidOf({ oid }: { readonly oid: string }): string {
  return oid;
}
