import type { SchemaFinding } from "../errors/schema-finding.ts";
import type { ExpectedColumn, StoredTypes, TypeAdvice } from "./expected-table.ts";
import type { ColumnSchema, CheckedSchema, TableSchema } from "./schema.ts";

type Place = Pick<SchemaFinding, "set" | "severity"> & {
  readonly table: string;
  readonly column: string;
  readonly property: string;
};

/** Compares one property with its column. */
export function* checkColumn(
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
