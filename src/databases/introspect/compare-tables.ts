import { nearestName } from "../../base/errors/nearest-name.ts";
import type { SchemaFinding } from "../../base/errors/schema-finding.ts";
import type { ColumnSource, ExpectedTable, ExpectedColumn, StoredTypes, TypeAdvice } from "./expected-table.ts";
import type { ColumnSchema, CheckedSchema, TableSchema } from "./schema.ts";

/**
 * Compares the declarations of a service with the catalogue of a database: tables, columns, types, nullability and keys.
 */
export function compareTables(expected: readonly ExpectedTable[], schema: CheckedSchema): readonly SchemaFinding[] {
  return expected.flatMap((table) => [...compareTable(table, schema)]);
}

function* compareTable(expected: ExpectedTable, schema: CheckedSchema): Iterable<SchemaFinding> {
  const table = schema.tables.get(expected.text);
  const name = expected.names.join(".");
  const place = { set: expected.set, table: name, severity: "error" } as const;
  if (table === undefined) {
    const property = expected.declaredBy === "table" ? {} : { property: expected.declaredBy };
    const message = `The database has no table \`${name}\`.`;
    yield { ...place, ...property, code: "C01", message, fix: adviseTable(name, schema.tableNames) };
    return;
  }
  for (const column of expected.columns) {
    const found = findColumn(column.name, table, schema);
    const severity = column.isOptional === true ? "warning" : "error";
    if (found !== undefined) {
      const at = { ...place, property: column.property, column: found.name };
      const findings = checkColumn(column, found, at, { kind: table.kind, isUtcSession: schema.isUtcSession });
      for (const finding of findings) yield severity === "error" ? finding : { ...finding, severity };
      continue;
    }
    const names = table.columns.filter(({ isHidden }) => !isHidden).map((each) => each.name);
    yield {
      ...place,
      severity,
      property: column.property,
      column: column.name,
      code: "C02",
      message: `The table \`${name}\` has no column \`${column.name}\`.`,
      fix: adviseColumn(column.name, column.property, names),
    };
  }
  yield* checkSharedColumns(expected, table, schema);
  yield* checkKey(expected, table, schema);
}

/** Reports properties under different names whose values one column stores: SQLite has several names for the rowid. */
function* checkSharedColumns(
  { columns, key, set, names }: ExpectedTable,
  table: TableSchema,
  schema: CheckedSchema,
): Iterable<SchemaFinding> {
  if (!columns.some(({ source }) => WRITTEN.has(source))) return;
  const shared = columns.filter(({ name, source }) => {
    const isWritten = WRITTEN.has(source) || (source === "nobody" && key.includes(name));
    return isWritten && findColumn(name, table, schema)?.isRowid === true;
  });
  const [first, second] = shared;
  if (first === undefined || second === undefined) return;
  const { property, name: column } = second;
  const message = `\`${first.property}\` and \`${property}\` are written to the same column: \`${first.name}\` and \`${column}\` are names of the rowid of \`${names.join(".")}\`.`;
  const fix = "Declare one of them as `.computed()`, or give it its own column in `columns`.";
  yield { set, property, table: names.join("."), column, code: "C17", severity: "error", message, fix };
}

/** The sources of columns that the service writes. */
const WRITTEN: ReadonlySet<ColumnSource> = new Set<ColumnSource>(["create", "write", "service", "version"]);

/** Finds the column that a name in a statement refers to. */
export function findColumn<Column extends { readonly name: string }>(
  name: string,
  { columns }: { readonly columns: readonly Column[] },
  { ignoresCase }: Pick<CheckedSchema, "ignoresCase">,
): Column | undefined {
  const exact = columns.find((column) => column.name === name);
  if (exact !== undefined || !ignoresCase) return exact;
  return columns.find((column) => column.name.toLowerCase() === name.toLowerCase());
}

function* checkKey(expected: ExpectedTable, table: TableSchema, schema: CheckedSchema): Iterable<SchemaFinding> {
  if (table.kind === "view" || expected.key.length === 0) return;
  const key = expected.key.flatMap((name) => findColumn(name, table, schema) ?? []);
  // Another finding reports a missing column.
  if (key.length < expected.key.length) return;
  const ruled = (expected.ruledColumns ?? []).flatMap((name) => findColumn(name, table, schema) ?? []);
  const isUniqueBy = (allowed: readonly { readonly name: string }[]): boolean =>
    table.indexes.some(
      ({ isUnique: is, columns }) => is && columns.every((column) => allowed.some(({ name }) => name === column?.name)),
    );
  const { unpaired = [] } = expected;
  if (isUniqueBy(unpaired.length === 0 ? [...key, ...ruled] : key)) return;
  const columns = key.map(({ name }) => name).join(", ");
  const name = expected.names.join(".");
  const isLinks = expected.declaredBy !== "table";
  const indexed = [...ruled.map((each) => each.name), columns].join(", ");
  const index = `create unique index ${name.replaceAll(".", "_")}_key on ${expected.text} (${indexed})`;
  yield {
    code: "C06",
    severity: expected.keySeverity,
    set: expected.set,
    ...(isLinks ? { property: expected.declaredBy } : {}),
    table: name,
    column: columns,
    message: isLinks
      ? `The table \`${name}\` may contain a link twice: (${columns}) is not unique. The service then returns the related entity twice.`
      : `Rows of the table \`${name}\` may share a key: (${columns}) is not unique.`,
    fix: expected.adviseKey?.(index) ?? `Add a primary key or a unique index: ${index}.`,
  };
}

function adviseTable(name: string, names: readonly string[]): string {
  const short = name.replace(/^.*\./, "");
  // Prefer the same name in another schema to another name.
  const elsewhere = names.find((each) => each.endsWith(`.${short}`));
  const nearest = nearestName(name, names) ?? elsewhere ?? null;
  if (nearest !== null) return `Did you mean \`${nearest}\`?`;
  // SQLite creates the file of a misspelt path, so its database is empty.
  if (names.length === 0) {
    return "The service sees no tables in this database. Create the table, or correct the name of the database.";
  }
  return "Create the table, or correct its name.";
}

/** Advises on a column that is missing. @param names the columns that exist @param kind the owner of the columns */
export function adviseColumn(
  name: string,
  property: string,
  names: readonly string[],
  kind: "table" | "query" = "table",
): string {
  // A key such as `customerId` is often stored in a column such as `customer_id`.
  const nearest = names.find((each) => simplify(each) === simplify(name)) ?? nearestName(name, names);
  const key = property.includes(".") ? "`columns`" : `\`columns: { ${property}: "…" }\``;
  if (nearest === null) return `Add the column, or set its name with ${key}. The ${kind} has ${list(names)}.`;
  return `Did you mean \`${nearest}\`? Set the name with ${key.replace("…", nearest)}.`;
}

function simplify(name: string): string {
  return name.toLowerCase().replaceAll(/[^\p{L}\p{N}]/gu, "");
}

const NAMES_SHOWN = 20;

function list(names: readonly string[]): string {
  const shown = names.slice(0, NAMES_SHOWN).map((name) => `\`${name}\``);
  return names.length > NAMES_SHOWN ? `${shown.join(", ")} and others` : shown.join(", ");
}

type Place = Pick<SchemaFinding, "set" | "severity"> & {
  readonly table: string;
  readonly column: string;
  readonly property: string;
};

/** Compares one property with its column. */
function* checkColumn(
  expected: ExpectedColumn,
  found: ColumnSchema,
  place: Place,
  { kind, isUtcSession }: Pick<TableSchema, "kind"> & Pick<CheckedSchema, "isUtcSession">,
): Iterable<SchemaFinding> {
  yield* checkType(expected, found, place);
  yield* checkLabels(expected, found, place);
  yield* checkDefault(expected, found, place, isUtcSession);
  // Catalogues do not state whether columns of views and generated columns may be null.
  if (expected.nullable || !found.nullable || kind === "view" || found.isGenerated) return;
  yield {
    ...place,
    code: "C04",
    message: `The column \`${place.table}.${place.column}\` may be null, but the property may not.`,
    fix: "Add `not null` to the column, or declare the property with `.nullable()`.",
  };
}

/** A type of numbers with fraction digits, such as `numeric(12,2)`. */
const FRACTION = /^(?:numeric|decimal)\(\d+,\s*[1-9]/;

function* checkType(expected: ExpectedColumn, found: ColumnSchema, place: Place): Iterable<SchemaFinding> {
  const { storedTypes } = expected;
  if (storedTypes === undefined || storedTypes.types.length === 0) return;
  const isFraction = storedTypes.isWhole === true && FRACTION.test(found.definition);
  if (storedTypes.types.includes(found.type) && !isFraction) return;
  const advice = storedTypes.instead?.[found.type];
  const column = `\`${place.table}.${place.column}\``;
  const why = isFraction
    ? "which has fraction digits"
    : (advice?.why ?? `which does not hold ${expected.declaredType}`);
  yield {
    ...place,
    code: advice?.code ?? "C03",
    severity: advice?.severity ?? place.severity,
    message: `The column ${column} has the type \`${found.definition}\`, ${why}.`,
    fix: advice === undefined ? defaultFix(storedTypes, expected.declaredType) : fillIn(advice, place),
  };
}

function defaultFix({ types }: StoredTypes, declaredType: string): string {
  const names = types.filter((type) => type !== "").map((type) => `\`${type}\``);
  return `Give the column a type that holds ${declaredType} (${names.join(", ")}), or the property another type or \`storage\`.`;
}

function fillIn({ fix }: TypeAdvice, { table, column }: Place): string {
  return fix.replaceAll("{table}", table).replaceAll("{column}", column);
}

/** Compares the labels of an enumeration type of the database with the values of the enumeration. */
function* checkLabels(expected: ExpectedColumn, found: ColumnSchema, place: Place): Iterable<SchemaFinding> {
  if (expected.labels === undefined || found.labels === null) return;
  const { known, written } = expected.labels;
  const { labels } = found;
  const unknown = labels.filter((label) => !known.includes(label));
  const missing = written.filter((label) => !labels.includes(label));
  const column = `\`${place.table}.${place.column}\``;
  const quote = (names: readonly string[]): string => names.map((name) => `'${name}'`).join(", ");
  if (unknown.length > 0) {
    const message = `The enumeration type of the column ${column} has ${quote(unknown)}, which ${expected.declaredType} lacks.`;
    yield {
      ...place,
      code: "C03",
      message,
      fix: "Add them to the members of the enumeration, or to its `storage`, in the same letter case.",
    };
  }
  if (missing.length > 0) {
    const message = `The enumeration type of the column ${column} lacks ${quote(missing)}, which clients may write or filter by.`;
    yield { ...place, code: "C03", message, fix: `Add them: alter type \`${found.definition}\` add value …` };
  }
}

function* checkDefault(
  expected: ExpectedColumn,
  { defaultValue, defaultCell }: ColumnSchema,
  place: Place,
  isUtcSession: boolean,
): Iterable<SchemaFinding> {
  const refused = expected.storedTypes?.refusedDefault;
  if (refused === undefined || defaultValue === null) return;
  const { ofSession } = refused;
  // The default is often an empty string that no row uses.
  const isFound = defaultCell === null || defaultCell === "" || expected.findsCell(defaultCell);
  if (ofSession === undefined ? isFound : isUtcSession || !ofSession.test(defaultValue)) return;
  yield {
    ...place,
    code: "C03",
    // Existing rows may be correct.
    severity: ofSession === undefined ? "error" : "warning",
    message: `The column \`${place.table}.${place.column}\` has the default \`${defaultValue}\`, ${refused.advice.why}.`,
    fix: fillIn(refused.advice, place),
  };
}
