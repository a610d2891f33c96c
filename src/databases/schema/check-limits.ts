import type { SchemaFinding } from "../../base/errors/schema-finding.ts";
import { findColumn } from "../introspect/compare-tables.ts";
import type { WantedObjects } from "../introspect/database-catalogue.ts";
import type { ObjectColumn } from "../introspect/database-schema.ts";
import type { ExpectedColumn, ExpectedLimits, ExpectedTable } from "../introspect/expected-table.ts";
import type { CheckedSchema, ColumnSchema } from "../introspect/schema.ts";
import { catalogueOf } from "../kinds/catalogues.ts";

/** The place of a column, for findings. */
type ColumnPlace = Pick<SchemaFinding, "set"> & {
  readonly table: string;
  readonly column: string;
  readonly property: string;
};

/** A bound of the values of a column, and the bound of its property. */
interface Bound {
  /** Completes `The column has 20 …`. */
  readonly what: string;
  readonly facet: "maxLength" | "precision" | "scale";
  readonly declared: number | undefined;
  readonly stored: number | null;
}

/** The bounds of a column in the catalogue. */
type Bounds = Pick<ObjectColumn, "type" | "definition" | "length" | "precision" | "scale">;

/** Compares the facets of a property with the bounds of its column. A bound of only one of the two is not a difference. */
function* checkLimits(
  { limits, source }: Pick<ExpectedColumn, "limits" | "source">,
  found: Bounds,
  { isKey, ...place }: ColumnPlace & { readonly isKey: boolean },
): Iterable<SchemaFinding> {
  const isWritten = source === "create" || source === "write";
  const column = `\`${place.table}.${place.column}\``;
  for (const { what, facet, declared, stored } of boundsOf(limits, found)) {
    if (declared === undefined || stored === null || stored === declared) continue;
    const isNarrower = stored < declared;
    // A service that does not write never meets the bound.
    if (isNarrower && !isWritten) continue;
    // Two rows may have one key.
    const isShared = !isNarrower && isKey && limits.unit === "fractions";
    yield {
      ...place,
      code: "C07",
      severity: isNarrower || isShared ? "error" : "warning",
      message: isNarrower
        ? `The column ${column} (\`${found.definition}\`) stores ${String(stored)} ${what}, and clients may write ${String(declared)}.`
        : `The column ${column} (\`${found.definition}\`) stores ${String(stored)} ${what}, but the model promises at most ${String(declared)}${isShared ? ", so that two rows may have one key" : ""}.`,
      fix: `Declare the property with \`${facetOf(facet, stored, limits, found)}\`, or change the type of the column.`,
    };
  }
}

const TIME = /^(?:datetime|time)/;
/** A timestamp or time of PostgreSQL without a precision: `timestamp with time zone`. */
const MICROSECONDS = /^time(?:stamp)? with/;
const FRACTIONS = /^(?:time|timestamp|datetime)\((\d)\)/;

/**
 * Finds the columns of tables with more fraction digits of seconds than their properties. These are warnings, because a service
 * over them works as long as no two rows share a key; `odatakit check` reports a key as an error.
 */
export function* checkFractions(expected: readonly ExpectedTable[], schema: CheckedSchema): Iterable<SchemaFinding> {
  for (const { text, set, names, key, columns } of expected) {
    const table = schema.tables.get(text);
    if (table?.kind !== "table") continue;
    for (const { name, property, limits } of columns) {
      const found = limits.unit === "fractions" ? findColumn(name, table, schema) : undefined;
      // SQLite has no such type, and ignores precisions.
      if (found === undefined || !TIME.test(found.type)) continue;
      const bound = { ...found, length: null, precision: fractionsIn(found), scale: null };
      const place = { set, table: names.join("."), column: found.name, property, isKey: key.includes(name) };
      // With the source `nobody`, only more digits are a finding: `odatakit check` reports fewer digits.
      for (const finding of checkLimits({ limits, source: "nobody" }, bound, place)) {
        yield { ...finding, severity: "warning" };
      }
    }
  }
}

function fractionsIn({ definition }: ColumnSchema): number {
  return MICROSECONDS.test(definition) ? 6 : Number(FRACTIONS.exec(definition)?.[1] ?? 0);
}

function boundsOf({ unit, maxLength, precision, scale }: ExpectedLimits, found: Bounds): readonly Bound[] {
  switch (unit) {
    case "characters":
      return [{ what: "characters", facet: "maxLength", declared: maxLength, stored: found.length }];
    case "octets":
      return [{ what: "octets", facet: "maxLength", declared: maxLength, stored: found.length }];
    case "fractions":
      return [
        { what: "fraction digits of seconds", facet: "precision", declared: precision, stored: fractionsOf(found) },
      ];
    case "digits": {
      // An integer column has no fraction digits, and a `numeric` without a precision any number of them.
      if (!/^(?:numeric|decimal)/.test(found.type)) return [];
      const whole = precision === undefined || scale === undefined ? undefined : precision - scale;
      const stored = found.precision === null ? null : found.precision - (found.scale ?? 0);
      return [
        { what: "digits before the point", facet: "precision", declared: whole, stored },
        { what: "digits after the point", facet: "scale", declared: scale, stored: found.scale },
      ];
    }
    case undefined:
      return [];
  }
}

/** Without a precision, times of PostgreSQL have microseconds. The catalogues of other databases state it. */
function fractionsOf({ precision, type }: Bounds): number | null {
  return precision ?? (type.startsWith("time") ? 6 : null);
}

function facetOf(facet: Bound["facet"], stored: number, { unit }: ExpectedLimits, found: Bounds): string {
  if (unit !== "digits") return `${facet}: ${String(stored)}`;
  return `precision: ${String(found.precision)}, scale: ${String(found.scale ?? 0)}`;
}

/** Compares the values that clients may write, and the facets of the model, with the values that the columns store. */
export function checkStoredValues(
  expected: readonly ExpectedTable[],
  { database: { kind }, objects }: WantedObjects,
): readonly SchemaFinding[] {
  const catalogue = catalogueOf(kind);
  return expected.flatMap((table) => {
    const object = objects.get(table.text);
    // Only tables restrict values.
    if (object?.kind !== "table") return [];
    return table.columns.flatMap((column) => {
      const found = findColumn(column.name, object, catalogue);
      if (found === undefined) return [];
      const isKey = table.key.includes(column.name);
      const place = { set: table.set, table: table.names.join("."), column: found.name, property: column.property };
      return [...checkWritten(column, found, place, table), ...checkLimits(column, found, { ...place, isKey })];
    });
  });
}

/** A default that has the same value for each row. PostgreSQL adds the type. */
const LITERAL = /^\(*(?:[+-]?[\d.]+|[bex]?'(?:[^']|'')*'|"[^"]*"|true|false|null)(?:::[\w "().[\]]+)?\)*$/i;
const NULL = /^\(*null\b/i;

function* checkWritten(
  expected: ExpectedColumn,
  found: ObjectColumn,
  place: ColumnPlace,
  table: ExpectedTable,
): Iterable<SchemaFinding> {
  const { source, nullable } = expected;
  const column = `\`${place.table}.${place.column}\``;
  const isComputed = found.isGenerated || found.refusesValues === true;
  if (isComputed && source === "version") {
    const message = `The database computes the column ${column}, but \`rowVersion\` names its property, so every write fails.`;
    const fix = "Remove `rowVersion`. `etag` may name a property that the database computes.";
    yield { ...place, code: "C08", severity: "error", message, fix };
  }
  if (source !== "create" && source !== "write") return;
  if (isComputed) {
    const message = `The database computes the column ${column}, but clients may write the property.`;
    yield { ...place, code: "C08", severity: "error", message, fix: "Declare the property with `.computed()`." };
    return;
  }
  if (found.isIdentity) return;
  const word = wordOfDefault(found);
  const isMissing = word !== null && table.isCreated && !expected.databaseDefault && !expected.hasDefault;
  if (found.nullable) {
    const effect = "a new entity that omits the property stores null";
    if (isMissing) yield omittedDefault({ place, column, found, word }, effect);
    return;
  }
  // Clients may read null for a cell that cannot be read, so the property has to be nullable.
  const mustBeNullable = table.forgives === true;
  if (nullable && (isMissing || !mustBeNullable)) {
    const message = `The column ${column} rejects null, but clients may write null to the property.`;
    const how = mustBeNullable ? `with ${String(word)}` : "without `.nullable()`";
    const instead = isMissing && !mustBeNullable ? `, and with ${word}` : "";
    const fix = `Declare the property ${how}${instead}, or remove \`not null\` from the column.`;
    yield { ...place, code: "C04", severity: "warning", message, fix };
  } else if (isMissing) {
    yield omittedDefault({ place, column, found, word }, "clients must send the property in each new entity");
  }
}

/** A default of the database that the declaration lacks. */
interface OmittedDefault {
  readonly place: ColumnPlace;
  readonly column: string;
  readonly found: ObjectColumn;
  /** The modifier that declares it. */
  readonly word: string;
}

function omittedDefault({ place, column, found, word }: OmittedDefault, effect: string): SchemaFinding {
  const message = `The column ${column} has the default \`${String(found.defaultValue)}\`, but ${effect}.`;
  return { ...place, code: "C08", severity: "warning", message, fix: `Declare the property with ${word}.` };
}

const DATABASE_DEFAULT = "`.databaseDefault()`";

/** Returns the modifier for the default of a column; null without a default. */
function wordOfDefault({ defaultValue }: ObjectColumn): string | null {
  if (defaultValue === null || NULL.test(defaultValue.trim())) return null;
  return LITERAL.test(defaultValue.trim()) ? "`.default(value)`" : DATABASE_DEFAULT;
}
