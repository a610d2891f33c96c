import type { SchemaFinding } from "../errors/schema-finding.ts";
import type { ExpectedColumn, TypeAdvice } from "./expected-table.ts";
import type { ColumnSchema, TableSchema } from "./schema.ts";

/** Where a finding belongs. */
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
  kind: TableSchema["kind"],
): Iterable<SchemaFinding> {
  yield* checkType(expected, found, place);
  yield* checkLabels(expected, found, place);
  yield* checkDefault(expected, found, place);
  // No database says of the columns of a view, or of computed ones, what never is null.
  if (expected.nullable || !found.nullable || kind === "view" || found.isGenerated) return;
  yield {
    ...place,
    code: "C04",
    message: `The column \`${place.table}.${place.column}\` may be null, and the property may not.`,
    fix: "Add `not null` to the column, or declare the property with `.nullable()`.",
  };
}

function* checkType(expected: ExpectedColumn, found: ColumnSchema, place: Place): Iterable<SchemaFinding> {
  const { storedTypes } = expected;
  if (storedTypes === undefined || storedTypes.types.length === 0 || storedTypes.types.includes(found.type)) return;
  const advice = storedTypes.instead?.[found.type];
  const column = `\`${place.table}.${place.column}\``;
  const definition = found.definition === "" ? "no type" : `the type \`${found.definition}\``;
  const why = advice?.why ?? `which does not hold ${expected.declaredType}`;
  yield {
    ...place,
    code: advice?.code ?? "C03",
    message: `The column ${column} has ${definition}, ${why}.`,
    fix: advice === undefined ? defaultFix(expected) : fillIn(advice, place),
  };
}

function defaultFix({ storedTypes, declaredType }: ExpectedColumn): string {
  const types = (storedTypes?.types ?? []).filter((type) => type !== "").map((type) => `\`${type}\``);
  return `Give the column a type that holds ${declaredType} (${types.join(", ")}), or the property another type or \`storage\`.`;
}

function fillIn({ fix }: TypeAdvice, { table, column }: Place): string {
  return fix.replaceAll("{table}", table).replaceAll("{column}", column);
}

/** The labels of an enumeration type of the database must be the values of the enumeration. */
function* checkLabels(expected: ExpectedColumn, found: ColumnSchema, place: Place): Iterable<SchemaFinding> {
  if (expected.labels === undefined || found.labels === null) return;
  const { known, written } = expected.labels;
  const { labels } = found;
  const unknown = labels.filter((label) => !known.includes(label));
  const missing = written.filter((label) => !labels.includes(label));
  const column = `\`${place.table}.${place.column}\``;
  const quote = (names: readonly string[]): string => names.map((name) => `'${name}'`).join(", ");
  if (unknown.length > 0) {
    const message = `The enumeration type of the column ${column} has ${quote(unknown)}, which ${expected.declaredType} has not.`;
    yield { ...place, code: "C03", message, fix: "Add the members to the enumeration, in the same letter case." };
  }
  if (missing.length > 0) {
    const message = `The enumeration type of the column ${column} lacks ${quote(missing)}, which clients may write.`;
    yield { ...place, code: "C03", message, fix: `Add them: alter type \`${found.definition}\` add value …` };
  }
}

function* checkDefault(expected: ExpectedColumn, found: ColumnSchema, place: Place): Iterable<SchemaFinding> {
  const refused = expected.storedTypes?.refusedDefault;
  if (refused === undefined || found.defaultValue === null || !refused.pattern.test(found.defaultValue)) return;
  yield {
    ...place,
    code: "C03",
    message: `The column \`${place.table}.${place.column}\` has the default \`${found.defaultValue}\`, ${refused.advice.why}.`,
    fix: fillIn(refused.advice, place),
  };
}
