import type { SchemaFinding } from "../errors/schema-finding.ts";
import { findColumn } from "./compare-tables.ts";
import type { ObjectColumn } from "./database-schema.ts";
import type { ExpectedColumn, ExpectedLimits, ExpectedTable } from "./expected-table.ts";
import type { CheckedSchema, ColumnSchema } from "./schema.ts";

/** The place of a column, for findings. */
export type ColumnPlace = Pick<SchemaFinding, "set"> & {
  readonly table: string;
  readonly column: string;
  readonly property: string;
};

/** A bound of the values of a column, and the one of its property. */
interface Bound {
  /** Completes `The column has 20 …`. */
  readonly what: string;
  readonly facet: "maxLength" | "precision" | "scale";
  readonly declared: number | undefined;
  readonly stored: number | null;
}

/** What the catalogue says about the bounds of a column. */
type Bounds = Pick<ObjectColumn, "type" | "definition" | "length" | "precision" | "scale">;

/** Compares the facets of a property with the bounds of its column. A bound that only one of them has is no difference. */
export function* checkLimits(
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
      // As if nobody wrote it: fewer digits are for `odatakit check`.
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
