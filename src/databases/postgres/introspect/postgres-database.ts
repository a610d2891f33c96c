import { isYes, textOf, textOrNull, type CatalogueRow, type CatalogueSteps } from "../../introspect/catalogue-steps.ts";
import { collectIndexes, groupBy, type ListedIndexColumn, omitMigrations } from "../../introspect/collect-tables.ts";
import type {
  DatabaseSchema,
  ObjectOmission,
  SchemaObject,
  SchemaSelection,
  ForeignKey,
  ObjectColumn,
} from "../../introspect/database-schema.ts";
import type { TablePlacement } from "../../introspect/schema.ts";
import { withUnreadableSamples } from "../../introspect/unreadable-samples.ts";
import { ELSEWHERE, IS_CITUS, readPlacements } from "../../placement/catalogue/citus-tables.ts";
import {
  IS_NEVER_NULL,
  IS_OF_USER,
  postgresColumns,
  postgresIndexes,
  readCatalogue,
  toLabels,
  toPostgresColumn,
  toPostgresIndexColumn,
} from "./postgres-catalogue.ts";
import { proveViews, type PostgresObject } from "./postgres-views.ts";
import { PG_CELL_TESTS } from "./unreadable-cells.ts";

const SERVER = `select current_setting('server_version') as c0, coalesce(current_schema(), 'public')::text as c1,
  current_user::text as c2, current_setting('server_version_num') as c3,
  ${IS_CITUS} as c4`;

/** Reads all tables and views of PostgreSQL. @see https://www.postgresql.org/docs/current/catalogs.html */
export function* readPostgresDatabase({ schemas }: SchemaSelection = {}): CatalogueSteps<DatabaseSchema> {
  const [server = []] = yield { sql: SERVER, parameters: [], width: 5 };
  const [version, defaultSchema, user, versionNumber, isCitus] = server.map(textOf);
  const read = (sql: string, width: number): CatalogueSteps<readonly CatalogueRow[]> =>
    readCatalogue({ sql, parameters: [], width });
  const rows = yield* read(PG_OBJECTS, 11);
  const columns = groupBy((yield* read(PG_COLUMNS, 23)).map(toObjectColumn), oidOf);
  const indexes = groupBy((yield* read(PG_INDEXES, 9)).map(toObjectIndexColumn), oidOf);
  const foreignKeys = toForeignKeys(yield* read(PG_FOREIGN_KEYS, 8));
  const placements = isCitus === "true" ? yield* readPlacements() : null;
  const knowsEmpty = Number(versionNumber) >= 140_000;
  const found = rows.map((row) => {
    const oid = textOf(row[0]);
    const ofObject = { columns: columns.get(oid) ?? [], indexes: indexes.get(oid) ?? [] };
    return toObject(row, {
      ...ofObject,
      foreignKeys: foreignKeys.get(oid) ?? [],
      user: user ?? "",
      knowsEmpty,
      placements,
    });
  });
  const wanted = found.map(({ object }) => object).filter(({ schema }) => schemas?.includes(schema) ?? true);
  const isPlanned = ({ kind, omission }: SchemaObject): boolean => kind === "view" && omission === null;
  const views = yield* proveViews(wanted.filter(isPlanned), found);
  const remaining = views.values();
  const objects: SchemaObject[] = [];
  for (const each of wanted) {
    const object = isPlanned(each) ? (remaining.next().value ?? each) : each;
    objects.push(yield* withUnreadableSamples(object, PG_CELL_TESTS));
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
  /** Where the rows of tables are; null in a database on one machine. */
  readonly placements: ReadonlyMap<string, TablePlacement> | null;
}

function toObject(
  row: CatalogueRow,
  { columns, indexes, foreignKeys, user, knowsEmpty, placements }: Parts,
): PostgresObject {
  const [, schema, name, relationKind, comment, estimate, parent, extension, isPopulated, isReachable, rule] = row;
  const visible = columns.filter(({ column }) => !column.isHidden);
  const rows = Number(estimate);
  const kind = kindOf(textOf(relationKind));
  const stored = placements?.get(textOf(row[0]));
  // The coordinator has no rows of tables on other machines.
  const isEstimate = stored === undefined && kind !== "view" && (knowsEmpty ? rows >= 0 : rows > 0);
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
    ...(placements !== null && { placement: stored ?? ELSEWHERE }),
    ...(kind === "table" && typeof rule === "string" && { unwritable: rule }),
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

/** Statements that read a table also return the rows of tables that inherit it, which its constraints do not cover. */
const isInherited = (table: string): string =>
  `(${table}.relkind = 'r' and exists (select from pg_inherits h where h.inhparent = ${table}.oid))`;
const OF_USER = `pg_class c join pg_namespace n on n.oid = c.relnamespace and ${IS_OF_USER}`;

/** Lists tables and views, also in schemas that are not wanted, because views read their tables. */
const PG_OBJECTS: string = `select c.oid::text as c0, n.nspname::text as c1, c.relname::text as c2, c.relkind::text as c3,
  obj_description(c.oid, 'pg_class') as c4, c.reltuples::float8::text as c5,
  (select p.inhparent::regclass::text from pg_inherits p where p.inhrelid = c.oid and c.relispartition) as c6,
  (select e.extname::text from pg_depend d join pg_extension e on e.oid = d.refobjid
    where d.classid = 'pg_class'::regclass and d.objid = c.oid and d.objsubid = 0
      and d.refclassid = 'pg_extension'::regclass and d.deptype = 'e' limit 1) as c7,
  c.relispopulated::text as c8, has_schema_privilege(n.oid, 'usage')::text as c9,
  (select 'the rule ' || r.rulename || ' replaces a write' from pg_rewrite r
    where r.ev_class = c.oid and r.ev_type in ('2', '3', '4') and r.is_instead order by 1 limit 1) as c10
  from ${OF_USER} order by n.nspname collate "C", c.relname collate "C"`;

/** `c16` is the length or precision, `c17` the kind of the type or of its items, `c22` a constraint that holds for all rows. */
export const PG_COLUMNS: string = postgresColumns(
  OF_USER,
  "c.relname::text",
  `, col_description(c.oid, a.attnum) as c13, a.attidentity::text as c14,
  has_column_privilege(c.oid, a.attnum, 'select')::text as c15, coalesce(nullif(d2.modifier, -1), nullif(d1.modifier, -1), a.atttypmod)::text as c16,
  (case when bt.typcategory = 'A' then el.typtype else bt.typtype end)::text as c17, a.attndims::text as c18,
  tn.nspname::text as c19,
  (case when bt.typcategory = 'A' then el.typname else bt.typname end)::text as c20,
  e2.labels as c21, ${IS_NEVER_NULL}::text as c22`,
);

const PG_INDEXES: string = postgresIndexes(
  `${OF_USER} and not ${isInherited("c")}`,
  "c.relname::text",
  ", i.indisprimary::text as c8",
);

/**
 * Lists the columns of foreign keys that hold for all rows. Foreign keys to a partitioned table have copies for its
 * partitions. Those over periods compare ranges.
 */
const PG_FOREIGN_KEYS: string = `select k.conrelid::text as c0, k.oid::text as c1, k.conname::text as c2, a.attname::text as c3,
  tn.nspname::text as c4, t.relname::text as c5, ta.attname::text as c6, obj_description(k.oid, 'pg_constraint') as c7
  from ${OF_USER} and not ${isInherited("c")}
  join pg_constraint k on k.conrelid = c.oid and k.contype = 'f' and k.convalidated
  join pg_class t on t.oid = k.confrelid and not ${isInherited("t")} join pg_namespace tn on tn.oid = t.relnamespace
  cross join lateral unnest(k.conkey, k.confkey) with ordinality as p(own, other, ord)
  join pg_attribute a on a.attrelid = k.conrelid and a.attnum = p.own
  join pg_attribute ta on ta.attrelid = k.confrelid and ta.attnum = p.other
  where coalesce(to_jsonb(k) ->> 'conperiod', 'false') = 'false'
    and not exists (select from pg_constraint u where u.oid = k.conparentid and u.conrelid = k.conrelid)
  order by k.conname collate "C", k.oid, p.ord`;

/** A column, and whether a constraint forbids null in every row. A domain does not: casts of absent rows evade it. */
interface PostgresColumn {
  readonly oid: string;
  readonly isNeverNull: boolean;
  readonly column: ObjectColumn;
}

/** Returns a row of `PG_COLUMNS`. */
function toObjectColumn(row: CatalogueRow): PostgresColumn {
  const { schema: oid, column } = toPostgresColumn(row);
  const [comment, identity, isSelectable, modifier, typeKind, dimensions, schema, name, itemLabels, isNeverNull] =
    row.slice(13);
  const type = typeOf(column.type, textOf(typeKind), Number(dimensions));
  return {
    oid,
    isNeverNull: isYes(isNeverNull),
    column: {
      ...column,
      type,
      labels: column.labels ?? toLabels(itemLabels),
      ...measuresOf(type.replace(/(?:\[\])+$/, ""), Number(modifier)),
      comment: textOrNull(comment),
      isIdentity: textOf(identity) !== "" || (column.defaultValue ?? "").startsWith("nextval("),
      ...(textOf(identity) === "a" ? { refusesValues: true } : {}),
      isInvisible: false,
      isSelectable: isYes(isSelectable),
      characterSet: null,
      enumType: type.startsWith("enum") ? { schema: textOf(schema), name: textOf(name) } : null,
      source: null,
      sample: null,
    },
  };
}

/** Types that users define have any name, so the kind replaces it. Several dimensions are several pairs of brackets. */
function typeOf(type: string, typeKind: string, dimensions: number): string {
  const brackets = type.endsWith("[]") ? "[]".repeat(Math.max(1, dimensions)) : "";
  if (typeKind === "c") return `composite${brackets}`;
  if (typeKind === "r" || typeKind === "m") return `range${brackets}`;
  return type.endsWith("[]") ? `${type.slice(0, -2)}${brackets}` : type;
}

/** The type modifiers of PostgreSQL. Lengths and numbers have an offset of four. */
function measuresOf(type: string, modifier: number): Pick<ObjectColumn, "length" | "precision" | "scale"> {
  const none = { length: null, precision: null, scale: null };
  if (modifier < 0) return none;
  if (type === "varchar" || type === "bpchar") return { ...none, length: modifier - 4 };
  if (type === "bit" || type === "varbit") return { ...none, length: modifier };
  if (type === "numeric") {
    const packed = modifier - 4;
    return { ...none, precision: (packed >> 16) & 0xffff, scale: ((packed & 0x7ff) ^ 0x400) - 0x400 };
  }
  return type.startsWith("time") ? { ...none, precision: modifier } : none;
}

/** A column of an index, by the object of the index. */
interface PostgresIndexColumn {
  readonly oid: string;
  readonly isPrimary: boolean;
  readonly listed: ListedIndexColumn;
}

/** Returns a row of `PG_INDEXES`. */
function toObjectIndexColumn(row: CatalogueRow): PostgresIndexColumn {
  const listed = toPostgresIndexColumn(row);
  return { oid: listed.schema, isPrimary: isYes(row[8]) && !listed.isPartial, listed };
}

/** Groups rows of `PG_FOREIGN_KEYS` by the object. */
function toForeignKeys(rows: readonly CatalogueRow[]): ReadonlyMap<string, readonly ForeignKey[]> {
  const keys = new Map<string, Map<string, ForeignKey>>();
  for (const [table, id, name, column, schema, target, targetColumn, comment] of rows) {
    const ofTable = keys.get(textOf(table)) ?? new Map<string, ForeignKey>();
    keys.set(textOf(table), ofTable);
    const before = ofTable.get(textOf(id));
    ofTable.set(textOf(id), {
      name: textOf(name),
      columns: [...(before?.columns ?? []), textOf(column)],
      target: { schema: textOf(schema), name: textOf(target) },
      targetColumns: [...(before?.targetColumns ?? []), textOf(targetColumn)],
      comment: textOrNull(comment),
    });
  }
  return new Map(Array.from(keys, ([table, ofTable]) => [table, [...ofTable.values()]]));
}

/** Returns the kind of an object with a kind of PostgreSQL. */
function kindOf(relationKind: string): SchemaObject["kind"] {
  if (relationKind === "v") return "view";
  return relationKind === "m" ? "materialized view" : "table";
}
