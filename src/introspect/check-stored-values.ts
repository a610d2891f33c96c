import type { SchemaFinding } from "../errors/schema-finding.ts";
import { checkLimits, type ColumnPlace } from "./check-limits.ts";
import { findColumn } from "./compare-tables.ts";
import type { ObjectColumn } from "./database-schema.ts";
import type { ExpectedColumn, ExpectedTable } from "./expected-table.ts";
import type { WantedObjects } from "./wanted-objects.ts";

/** Compares the values that clients may write, and the facets of the model, with what the columns store. */
export function checkStoredValues(
  expected: readonly ExpectedTable[],
  { database: { kind }, objects }: WantedObjects,
): readonly SchemaFinding[] {
  return expected.flatMap((table) => {
    const object = objects.get(table.text);
    // Only tables restrict values.
    if (object?.kind !== "table") return [];
    return table.columns.flatMap((column) => {
      const found = findColumn(column.name, object, { ignoresCase: kind !== "postgres" });
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
