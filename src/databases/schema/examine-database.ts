import type { SchemaFinding } from "../../base/errors/schema-finding.ts";
import { type CatalogueSteps, textOf } from "../introspect/catalogue-steps.ts";
import { findColumn } from "../introspect/compare-tables.ts";
import type { DatabaseCatalogue, WantedObjects } from "../introspect/database-catalogue.ts";
import type { ObjectColumn, SchemaObject, ObjectName } from "../introspect/database-schema.ts";
import type { ExpectedTable, ExpectedColumn, ExpectedReference } from "../introspect/expected-table.ts";
import { quoteName } from "../introspect/quote-name.ts";
import { catalogueOf } from "../kinds/catalogues.ts";
import { checkStoredValues } from "./check-limits.ts";

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
  const { examine } = catalogueOf(wanted.database.kind);
  return [
    ...(yield* checkDuplicates(expected, wanted, known)),
    ...checkStoredValues(expected, wanted),
    ...(yield* checkInserts(expected, wanted)),
    ...checkCollations(expected, wanted, known),
    ...checkRelations(expected, wanted),
    ...checkComments(expected, wanted),
    ...(examine === undefined ? [] : yield* examine(expected)),
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
  const { texts, ignoresCase } = catalogueOf(kind);
  if (texts === null) return [];
  return expected.flatMap((table) => {
    const object = objects.get(table.text);
    // Over several machines, an index on the column serves none of them: C11 names those of large tables.
    if (object?.kind !== "table" || table.placement !== null) return [];
    return table.columns.flatMap((declared): readonly SchemaFinding[] => {
      const found = findColumn(declared.name, object, { ignoresCase });
      if (found === undefined || !isCompared(declared, found)) return [];
      const isKnown = known.some(
        ({ code, set, property }) => code === "C11" && set === table.set && property === declared.property,
      );
      const leading = object.indexes.flatMap(({ columns: [first] }) => (first?.name === found.name ? [first] : []));
      const name = table.names.join(".");
      if (isKnown || leading.length === 0 || leading.some((first) => texts.serves(found, first))) return [];
      return [
        {
          set: table.set,
          property: declared.property,
          table: name,
          column: found.name,
          code: "C09",
          severity: "warning",
          message: `No index of the column \`${name}.${found.name}\` (${texts.statedSet(found)}collation \`${found.collation ?? ""}\`) serves filters and sorts, which compare strings by code point.`,
          fix: texts.fix(table, found),
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
  const { ignoresCase } = catalogueOf(database.kind);
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
  const catalogue = catalogueOf(kind);
  const findings: SchemaFinding[] = known.filter(({ code }) => code !== "C06");
  const missing = known.filter(({ code }) => code === "C06");
  for (const table of expected) {
    const object = objects.get(table.text);
    const key = object === undefined ? [] : keyColumns(table, object, catalogue);
    const finding = missing.find(
      ({ set, table: name, column }) =>
        set === table.set && name === table.names.join(".") && column === key.join(", "),
    );
    const isView = object !== undefined && object.kind !== "table" && !isProven(object, key);
    if (key.length === 0 || (finding === undefined && !isView)) continue;
    const columns = key.map((name) => quoteName(name, catalogue)).join(", ");
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

function keyColumns(table: ExpectedTable, object: SchemaObject, catalogue: DatabaseCatalogue): readonly string[] {
  const found = table.key.flatMap((name) => findColumn(name, object, catalogue) ?? []);
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

/** Finds the columns without a value that make every insert of the service fail. */
function* checkInserts(
  expected: readonly ExpectedTable[],
  { database: { kind }, objects }: WantedObjects,
): CatalogueSteps<readonly SchemaFinding[]> {
  const catalogue = catalogueOf(kind);
  const found = expected.flatMap((table) => {
    const object = table.isCreated ? objects.get(table.text) : undefined;
    if (object?.kind !== "table") return [];
    const findings = [...missingValues(table, object, catalogue)];
    return findings.length === 0 ? [] : [{ object, findings }];
  });
  const sql = catalogue.triggered;
  const rows = found.length === 0 || sql === null ? [] : yield { sql, parameters: [], width: 2 };
  const triggered = new Set(rows.map(([schema, name]) => keyOf({ schema: textOf(schema), name: textOf(name) })));
  return found.flatMap(({ object, findings }) => (triggered.has(keyOf(object)) ? [] : findings));
}

function* missingValues(
  { columns, set, names, text }: ExpectedTable,
  object: SchemaObject,
  catalogue: DatabaseCatalogue,
): Iterable<SchemaFinding> {
  const place = { set, table: names.join("."), code: "C08", severity: "error" } as const;
  for (const column of object.columns.filter((each) => needsValue(each, catalogue))) {
    const mapped = columns.filter(({ name }) => findColumn(name, object, catalogue)?.name === column.name);
    const name = `\`${place.table}.${column.name}\``;
    const setDefault = `alter table ${text} alter column ${quoteName(column.name, catalogue)} set default …`;
    const how = catalogue.setsDefaults ? `give it a default: ${setDefault}` : "make the table again with a default";
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
function needsValue(column: ObjectColumn, { fillsIn }: DatabaseCatalogue): boolean {
  if (column.nullable || column.isGenerated || column.isIdentity || column.isHidden) return false;
  return column.defaultValue === null && !fillsIn(column);
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
