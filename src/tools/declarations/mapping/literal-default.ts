import type { DatabaseKind, ObjectColumn } from "../../../databases/introspect/database-schema.ts";
import { INTEGER_BOUNDS } from "../../../edm/integer-bounds.ts";
import type { Literal } from "../columns/column-rules.ts";
import { rulesOf } from "../columns/rules-of.ts";
import type { DescribedColumn } from "../described-service.ts";

type Default = boolean | number | string;

const NUMBER = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)$/;

/**
 * Returns the default of a column as a value of its property: a literal only, because an expression such as `now()` has
 * another value for each row.
 * @returns undefined for an expression, and for a value that requests could not send
 */
export function literalDefault(column: ObjectColumn, chosen: DescribedColumn, kind: DatabaseKind): Default | undefined {
  const { defaultValue, isGenerated, isIdentity } = column;
  if (defaultValue === null || isGenerated || isIdentity) return undefined;
  if (chosen.isCollection || chosen.isReadOnly || chosen.sql !== null || chosen.storage === "hex") return undefined;
  const literal = literalOf(defaultValue.trim(), kind);
  if (literal === undefined) return undefined;
  const { storage } = chosen;
  if (typeof storage === "object" && storage !== null) return storedDefault(literal.text, storage);
  return valueOf(literal, column, chosen);
}

/** A default that is none. PostgreSQL adds the type. */
const NULL = /^\(*null(?:::[\w ".]+)?\)*$/i;

/**
 * Whether the database has a default that it can store. PostgreSQL accepts the declaration of a literal that is beyond the
 * type of its column.
 */
export function hasOwnDefault(column: ObjectColumn, chosen: DescribedColumn, kind: DatabaseKind): boolean {
  const { defaultValue, isGenerated, isIdentity } = column;
  if (defaultValue === null || isGenerated || isIdentity || NULL.test(defaultValue.trim())) return false;
  if (chosen.isReadOnly || chosen.sql !== null) return false;
  const literal = literalOf(defaultValue.trim(), kind);
  return literal === undefined || !isBeyond(literal, chosen);
}

/** Whether a literal has more digits or characters than the values of a property. */
function isBeyond({ text, isQuoted }: Literal, { type, facets, isCollection, storage }: DescribedColumn): boolean {
  if (typeof type === "object" || isCollection || storage === "hex") return false;
  if (type === "Edm.String") return isQuoted && text.length > (facets.maxLength ?? Infinity);
  if (!NUMBER.test(text)) return false;
  const range = INTEGER_BOUNDS[type];
  if (range !== undefined) return Number(text) < Number(range[0]) || Number(text) > Number(range[1]);
  const { precision = Infinity, scale = 0 } = facets;
  return type === "Edm.Decimal" && Math.abs(Number(text)) >= 10 ** (precision - scale);
}

function literalOf(given: string, kind: DatabaseKind): Literal | undefined {
  const inner = /^\((.*)\)$/s.exec(given)?.[1];
  const text = inner === undefined ? given : inner.trim();
  if (NUMBER.test(text)) return { text, isQuoted: false };
  if (/^(?:true|false)$/i.test(text)) return { text: text.toLowerCase() === "true" ? "1" : "0", isQuoted: false };
  return rulesOf(kind).literal(text);
}

/** Returns the value whose cell is the default. */
function storedDefault(cell: string, storage: Exclude<DescribedColumn["storage"], string | null>): Default | undefined {
  if (!("values" in storage)) {
    if (String(storage.true) === cell) return true;
    return String(storage.false) === cell ? false : undefined;
  }
  return Object.entries(storage.values).find(([, each]) => String(each) === cell)?.[0];
}

function valueOf(
  literal: Literal,
  column: ObjectColumn,
  { type, facets, storage }: DescribedColumn,
): Default | undefined {
  const { text, isQuoted } = literal;
  if (typeof type === "object") return isQuoted && /^[\p{L}_][\p{L}\p{N}_]*$/u.test(text) ? text : undefined;
  const range = INTEGER_BOUNDS[type];
  if (range !== undefined) return wholeNumber(text, range);
  switch (type) {
    case "Edm.Boolean":
      return /^[01]$/.test(text) ? text === "1" : undefined;
    case "Edm.Double":
    case "Edm.Single":
      return NUMBER.test(text) && Number.isFinite(Math.fround(Number(text))) ? Number(text) : undefined;
    case "Edm.Decimal":
      return storage === null || storage === "real" ? decimal(text, facets) : undefined;
    case "Edm.String": {
      const isText = isQuoted && /char|text|clob/i.test(column.type) && !/^(?:bpchar|char)$/i.test(column.type);
      return isText && text.length <= (facets.maxLength ?? Infinity) ? text : undefined;
    }
    default:
      // Texts of dates and identifiers have many forms.
      return undefined;
  }
}

function wholeNumber(text: string, [least, greatest]: readonly [bigint, bigint]): Default | undefined {
  const digits = /^\+?(-?\d+)(?:\.0*)?$/.exec(text)?.[1];
  if (digits === undefined) return undefined;
  const value = BigInt(digits);
  if (value < least || value > greatest) return undefined;
  return Number.isSafeInteger(Number(value)) ? Number(value) : value.toString();
}

/** The database would round more digits than its column has. */
function decimal(
  text: string,
  { precision = Infinity, scale = Infinity }: DescribedColumn["facets"],
): Default | undefined {
  const [, sign = "", whole = "", fraction = ""] = /^\+?(-?)0*(\d*)\.?(\d*?)0*$/.exec(text) ?? [];
  if (
    !NUMBER.test(text) ||
    fraction.length > scale ||
    whole.length > precision - (Number.isFinite(scale) ? scale : 0)
  ) {
    return undefined;
  }
  const exact = `${sign}${whole === "" ? "0" : whole}${fraction === "" ? "" : `.${fraction}`}`;
  return String(Number(exact)) === exact ? Number(exact) : exact;
}
