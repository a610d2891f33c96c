import type { SchemaFinding } from "../../base/errors/schema-finding.ts";
import { type CatalogueSteps, textOf } from "../introspect/catalogue-steps.ts";
import { findColumn } from "../introspect/compare-tables.ts";
import type { ObjectColumn, DatabaseKind, SchemaObject, ObjectName } from "../introspect/database-schema.ts";
import type { ExpectedTable, ExpectedColumn, ExpectedReference } from "../introspect/expected-table.ts";
import { quoteName } from "../introspect/quote-name.ts";
import type { IndexedColumn } from "../introspect/schema.ts";
import { checkStoredValues } from "./check-limits.ts";
import type { WantedObjects } from "./wanted-objects.ts";

/**
 * Finds the differences that do not prevent a service from starting, and differences that only the whole catalogue or the rows
 * show.
 * @param known the findings of the schema check
 */
export function* examineDatabase(
  expected: readonly ExpectedTable[],
  wanted: WantedObjects,
  known: readonly SchemaFinding[],
): CatalogueSteps<readonly SchemaFinding[]> {
  return [
    ...(yield* checkDuplicates(expected, wanted, known)),
    ...checkStoredValues(expected, wanted),
    ...(yield* checkInserts(expected, wanted)),
    ...checkCollations(expected, wanted, known),
    ...checkRelations(expected, wanted),
    ...checkComments(expected, wanted),
    ...(wanted.database.kind === "postgres" ? yield* checkRowSecurity(expected) : []),
  ];
}

/**
 * Finds strings with an index that filters and sorts cannot use, because it compares them otherwise than the service.
 * @param known the findings of the schema check: C11 names such columns of large tables
 */
function checkCollations(
  expected: readonly ExpectedTable[],
  { database: { kind }, objects }: WantedObjects,
  known: readonly SchemaFinding[],
): readonly SchemaFinding[] {
  if (kind === "sqlite") return [];
  return expected.flatMap((table) => {
    const object = objects.get(table.text);
    if (object?.kind !== "table") return [];
    return table.columns.flatMap((declared): readonly SchemaFinding[] => {
      const found = findColumn(declared.name, object, { ignoresCase: kind === "mysql" });
      if (found === undefined || !isCompared(declared, found)) return [];
      const isKnown = known.some(
        ({ code, set, property }) => code === "C11" && set === table.set && property === declared.property,
      );
      const leading = object.indexes.flatMap(({ columns: [first] }) => (first?.name === found.name ? [first] : []));
      const name = table.names.join(".");
      const isUsable = (first: IndexedColumn): boolean =>
        kind === "mysql" ? found.characterSet === "utf8mb4" : first.collation === "C" || first.collation === "POSIX";
      if (isKnown || leading.length === 0 || leading.some(isUsable)) return [];
      const column = quoteName(found.name, kind);
      const stated = kind === "mysql" ? `character set ${found.characterSet ?? ""}, ` : "";
      return [
        {
          set: table.set,
          property: declared.property,
          table: name,
          column: found.name,
          code: "C09",
          severity: "warning",
          message: `No index of the column \`${name}.${found.name}\` (${stated}collation \`${found.collation ?? ""}\`) serves filters and sorts, which compare strings by code point.`,
          fix:
            kind === "mysql"
              ? `Change the column, with its default and comment: alter table ${table.text} modify ${column} ${found.definition} character set utf8mb4 collate utf8mb4_nopad_bin${found.nullable ? "" : " not null"}`
              : `create index on ${table.text} (${column} collate "C"${found.nullable ? " nulls first" : ""})`,
        },
      ];
    });
  });
}

/** Whether clients may filter or sort by a column with the text of the database. */
function isCompared({ access, limits }: ExpectedColumn, { collation }: ObjectColumn): boolean {
  return access.size > 0 && limits.unit === "characters" && collation !== null;
}

/** Finds descriptions that differ from the comments of the database, where both exist. */
function checkComments(
  expected: readonly ExpectedTable[],
  { objects, database }: WantedObjects,
): readonly SchemaFinding[] {
  const ignoresCase = database.kind !== "postgres";
  return expected.flatMap((table) => {
    const object = objects.get(table.text);
    if (object === undefined) return [];
    const own = differs(table.description, object.comment) ? [finding(table, undefined, object.comment)] : [];
    const ofColumns = table.columns.flatMap(({ name, property, description }) => {
      const found = findColumn(name, object, { ignoresCase });
      const comment = object.columns.find((column) => column.name === found?.name)?.comment ?? null;
      return differs(description, comment) ? [finding(table, { name, property }, comment)] : [];
    });
    return [...own, ...ofColumns];
  });
}

function differs(description: string | undefined, comment: string | null): boolean {
  return description !== undefined && comment !== null && comment !== "" && description !== comment;
}

function finding(
  { set, names }: ExpectedTable,
  column: { readonly name: string; readonly property: string } | undefined,
  comment: string | null,
): SchemaFinding {
  const table = names.join(".");
  const place = column === undefined ? {} : { property: column.property, column: column.name };
  const what = column === undefined ? `the table \`${table}\`` : `the column \`${table}.${column.name}\``;
  return {
    code: "C14",
    severity: "info",
    set,
    table,
    ...place,
    message: `The description differs from the comment of ${what}.`,
    fix: `Use one text in both places. The comment is ${JSON.stringify(comment)}.`,
  };
}

/**
 * Looks for rows with the same key where the database does not prevent them.
 * @param known the findings of the schema check
 * @returns these findings, as errors if such rows exist and as warnings if not, and further ones for views
 */
function* checkDuplicates(
  expected: readonly ExpectedTable[],
  { database: { kind }, objects }: WantedObjects,
  known: readonly SchemaFinding[],
): CatalogueSteps<readonly SchemaFinding[]> {
  const findings: SchemaFinding[] = known.filter(({ code }) => code !== "C06");
  const missing = known.filter(({ code }) => code === "C06");
  for (const table of expected) {
    const object = objects.get(table.text);
    const key = object === undefined ? [] : keyColumns(table, object, kind);
    const finding = missing.find(
      ({ set, table: name, column }) =>
        set === table.set && name === table.names.join(".") && column === key.join(", "),
    );
    const isView = object !== undefined && object.kind !== "table" && !isProven(object, key);
    if (key.length === 0 || (finding === undefined && !isView)) continue;
    const columns = key.map((name) => quoteName(name, kind)).join(", ");
    const hasDuplicates =
      (yield {
        sql: `select 1 as c0 from ${table.text} group by ${columns} having count(*) > 1 limit 1`,
        parameters: [],
        width: 1,
        rowsOf: table,
      }).length > 0;
    if (finding !== undefined) findings.push(judged(finding, hasDuplicates));
    else if (hasDuplicates) findings.push(duplicatesOf(table, key));
  }
  return findings;
}

function keyColumns(table: ExpectedTable, object: SchemaObject, kind: DatabaseKind): readonly string[] {
  const found = table.key.flatMap((name) => findColumn(name, object, { ignoresCase: kind !== "postgres" }) ?? []);
  return found.length === table.key.length ? found.map(({ name }) => name) : [];
}

function isProven({ provenKey }: SchemaObject, key: readonly string[]): boolean {
  return provenKey.length > 0 && provenKey.every((name) => key.includes(name));
}

function judged(finding: SchemaFinding, hasDuplicates: boolean): SchemaFinding {
  const rows = hasDuplicates ? "The table contains such rows." : "The rows are unique now.";
  const severity = hasDuplicates ? "error" : "warning";
  return { ...finding, severity, message: `${finding.message} ${rows}` };
}

function duplicatesOf({ set, names }: ExpectedTable, key: readonly string[]): SchemaFinding {
  const table = names.join(".");
  const columns = key.join(", ");
  return {
    set,
    table,
    column: columns,
    code: "C06",
    severity: "error",
    message: `Rows of the view \`${table}\` share a key: (${columns}) is not unique.`,
    fix: "Declare a key whose values no two rows share, or remove the duplicates from the view.",
  };
}

/** The tables whose triggers may supply values of new rows. Triggers of SQLite cannot. */
const TRIGGERED: Readonly<Record<DatabaseKind, string | null>> = {
  postgres: `select distinct n.nspname::text as c0, c.relname::text as c1 from pg_trigger t
    join pg_class c on c.oid = t.tgrelid join pg_namespace n on n.oid = c.relnamespace
    where not t.tgisinternal and t.tgtype & 7 = 7`,
  mysql: `select distinct event_object_schema as c0, event_object_table as c1 from information_schema.triggers
    where action_timing = 'BEFORE' and event_manipulation = 'INSERT'`,
  sqlite: null,
};

/** Finds the columns without a value that make every insert of the service fail. */
function* checkInserts(
  expected: readonly ExpectedTable[],
  { database: { kind }, objects }: WantedObjects,
): CatalogueSteps<readonly SchemaFinding[]> {
  const found = expected.flatMap((table) => {
    const object = table.isCreated ? objects.get(table.text) : undefined;
    if (object?.kind !== "table") return [];
    const findings = [...missingValues(table, object, kind)];
    return findings.length === 0 ? [] : [{ object, findings }];
  });
  const sql = TRIGGERED[kind];
  const rows = found.length === 0 || sql === null ? [] : yield { sql, parameters: [], width: 2 };
  const triggered = new Set(rows.map(([schema, name]) => keyOf({ schema: textOf(schema), name: textOf(name) })));
  return found.flatMap(({ object, findings }) => (triggered.has(keyOf(object)) ? [] : findings));
}

function* missingValues(
  { columns, set, names, text }: ExpectedTable,
  object: SchemaObject,
  kind: DatabaseKind,
): Iterable<SchemaFinding> {
  const place = { set, table: names.join("."), code: "C08", severity: "error" } as const;
  for (const column of object.columns.filter((each) => needsValue(each, kind))) {
    const mapped = columns.filter(
      ({ name }) => findColumn(name, object, { ignoresCase: kind !== "postgres" })?.name === column.name,
    );
    const name = `\`${place.table}.${column.name}\``;
    const setDefault = `alter table ${text} alter column ${quoteName(column.name, kind)} set default …`;
    const how = kind === "sqlite" ? "make the table again with a default" : `give it a default: ${setDefault}`;
    if (mapped.length === 0) {
      const message = `The column ${name} needs a value, but no property supplies one, so every \`create\` fails.`;
      yield { ...place, column: column.name, message, fix: `Declare a property for the column, or ${how}.` };
    } else if (mapped.every(({ source }) => source === "database")) {
      const property = mapped[0]?.property;
      const message = `The database has no value for the column ${name}, but its property is \`.computed()\`, so every \`create\` fails.`;
      yield {
        ...place,
        property,
        column: column.name,
        message,
        fix: `Remove \`.computed()\`, give the value in \`before.create\`, or ${how}.`,
      };
    } else if (mapped.every(({ databaseDefault }) => databaseDefault)) {
      const property = mapped[0]?.property;
      const message = `The database has no default for the column ${name}, but its property is \`.databaseDefault()\`, so every \`create\` without the property fails.`;
      yield { ...place, property, column: column.name, message, fix: `Remove \`.databaseDefault()\`, or ${how}.` };
    }
  }
}

/** Whether the database rejects a new row without a value of the column. */
function needsValue(column: ObjectColumn, kind: DatabaseKind): boolean {
  if (column.nullable || column.isGenerated || column.isIdentity || column.isHidden) return false;
  // Some servers fill the first `timestamp` of a table.
  return column.defaultValue === null && !(kind === "mysql" && column.type === "timestamp");
}

function keyOf({ schema, name }: ObjectName): string {
  return JSON.stringify([schema, name]);
}

/** Finds navigations whose tables have no foreign key. The catalogue has none of views. */
function checkRelations(expected: readonly ExpectedTable[], { objects }: WantedObjects): readonly SchemaFinding[] {
  const seen = new Set<string>();
  return expected.flatMap((table) =>
    (table.references ?? []).flatMap((reference): readonly SchemaFinding[] => {
      const own = objects.get(table.text);
      const other = objects.get(reference.target.text);
      if (own?.kind !== "table" || other?.kind !== "table") return [];
      const { columns, targetColumns } = reference;
      if (refers(own, columns, other, targetColumns) || refers(other, targetColumns, own, columns)) return [];
      // The opposite navigation would say the same.
      const ends = [JSON.stringify([table.text, columns]), JSON.stringify([reference.target.text, targetColumns])];
      const pair = ends.toSorted().join();
      if (seen.has(pair)) return [];
      seen.add(pair);
      return [missingConstraint(table, reference, own, other)];
    }),
  );
}

function refers(
  { foreignKeys }: SchemaObject,
  columns: readonly string[],
  target: SchemaObject,
  targetColumns: readonly string[],
): boolean {
  const pairs = pairsOf(columns, targetColumns);
  return foreignKeys.some(
    (key) =>
      key.target.schema === target.schema &&
      key.target.name === target.name &&
      pairsOf(key.columns, key.targetColumns) === pairs,
  );
}

/** Pairs are the same in any order, and in other letters where the database ignores case. */
function pairsOf(columns: readonly string[], others: readonly string[]): string {
  const pairs = columns.map((name, at) => JSON.stringify([name.toLowerCase(), others[at]?.toLowerCase()]));
  return pairs.toSorted().join();
}

function missingConstraint(
  table: ExpectedTable,
  { navigation, columns, target, targetColumns }: ExpectedReference,
  own: SchemaObject,
  other: SchemaObject,
): SchemaFinding {
  const isChild = other.primaryKey.length > 0 && other.primaryKey.every((name) => targetColumns.includes(name));
  const [child, childColumns, parent, parentColumns] = isChild
    ? [own, columns, other, targetColumns]
    : [other, targetColumns, own, columns];
  const constraint = `foreign key (${childColumns.join(", ")}) references ${parent.name} (${parentColumns.join(", ")})`;
  return {
    code: "C14",
    severity: "info",
    set: table.set,
    property: navigation,
    table: table.names.join("."),
    column: columns.join(", "),
    message: `The navigation joins \`${table.names.join(".")}\` and \`${target.names.join(".")}\`, but no foreign key makes the database keep its values right.`,
    fix: `Add \`${constraint}\` to the table ${child.name}.`,
  };
}

/**
 * The wanted tables with row-level security, and whether the user of the connection bypasses it; the wanted views without
 * `security_invoker` over such tables.
 */
const SECURITY = `with recursive wanted as (
    select w.name, c.oid, c.relkind, c.reloptions from json_array_elements_text($1::json) as w(name)
    join pg_class c on c.oid = to_regclass(w.name)::oid),
  below(name, oid) as (
    select name, oid from wanted where relkind = 'v' and not coalesce('security_invoker=true' = any(reloptions)
      or 'security_invoker=on' = any(reloptions) or 'security_invoker=1' = any(reloptions), false)
    union
    select below.name, d.refobjid from below join pg_rewrite r on r.ev_class = below.oid
    join pg_depend d on d.classid = 'pg_rewrite'::regclass and d.objid = r.oid and d.refclassid = 'pg_class'::regclass
      and d.refobjid <> below.oid)
  select wanted.name as c0, 'table' as c1, t.oid::regclass::text as c2, current_user::text as c3
  from wanted join pg_class t on t.oid = wanted.oid and t.relrowsecurity
  join pg_roles u on u.rolname = current_user
  where u.rolsuper or u.rolbypassrls or (pg_has_role(t.relowner, 'usage') and not t.relforcerowsecurity)
  union
  select below.name, 'view', t.oid::regclass::text, current_user::text
  from below join pg_class t on t.oid = below.oid and t.relrowsecurity
  order by 1, 2, 3`;

/** Finds row-level security of PostgreSQL that does not protect the rows of a service. */
function* checkRowSecurity(expected: readonly ExpectedTable[]): CatalogueSteps<readonly SchemaFinding[]> {
  const parameters = [JSON.stringify([...new Set(expected.map(({ text }) => text))])];
  const rows = yield { sql: SECURITY, parameters, width: 4 };
  return rows.flatMap(([text, kind, protectedTable, user]) =>
    expected
      .filter((table) => table.text === textOf(text))
      .map((table): SchemaFinding => {
        const name = table.names.join(".");
        const place = { set: table.set, table: name, code: "C13", severity: "warning" } as const;
        const ofTable = table.declaredBy === "table" ? {} : { property: table.declaredBy };
        if (textOf(kind) === "view") {
          const message = `The view \`${name}\` reads \`${textOf(protectedTable)}\` with the rights of its owner, so row-level security does not apply to the user of the connection.`;
          return { ...place, ...ofTable, message, fix: `alter view ${table.text} set (security_invoker = true)` };
        }
        const message = `The user \`${textOf(user)}\` of the connection bypasses the row-level security of \`${name}\`.`;
        const fix = `Connect as a user without these rights, or, if it owns the table: alter table ${table.text} force row level security.`;
        return { ...place, ...ofTable, message, fix };
      }),
  );
}
