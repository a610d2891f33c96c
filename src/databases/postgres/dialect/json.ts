import { sql } from "kysely";
import { type SmallIntegerTypeName, smallIntegerBounds } from "../../../edm/integer-bounds.ts";
import {
  scanBoolean,
  scanDate,
  scanDecimal,
  scanDouble,
  scanGuid,
  scanInt64,
  scanInteger,
  scanName,
  scanTimeOfDay,
  scanUtc,
  type ScanJson,
} from "../../cells/json-cells.ts";
import { scanString } from "../../cells/json-text.ts";
import {
  furtherCells,
  JSON_PAGE,
  type JsonCell,
  type JsonLimit,
  type JsonPart,
  type JsonSyntax,
} from "../../columns/json-syntax.ts";
import type { ColumnTable } from "../../forms/column-table.ts";
import type { Sql } from "../../statement/sql-form.ts";

/**
 * Writes a value by its own type: a column of another type than the property's becomes another form, which the scan refuses.
 * PostgreSQL escapes strings as JavaScript does.
 */
const toJson = (value: Sql): Sql => sql`coalesce(to_json(${value})::text, 'null')`;

const asItStands = (cell: Sql): Sql => toJson(cell);
const asText = (cell: Sql): Sql => toJson(sql`${cell}::text`);

/** Negative zero becomes a string, which is refused. */
const asDouble = (cell: Sql): Sql => {
  const number = sql`${cell}::float8`;
  return sql`case when ${number} = 0 and ${number}::text = '-0' then '""' else ${toJson(number)} end`;
};

interface Written {
  readonly scan: ScanJson;
  /** The scan by the scale of a property. */
  readonly ofScale?: typeof scanDecimal;
  /** By default, the selected text of the column. */
  readonly toArgument?: (cell: Sql) => Sql;
}

const double: Written = { scan: scanDouble, toArgument: asDouble };
const integer = (name: SmallIntegerTypeName): Written => ({
  scan: scanInteger(...smallIntegerBounds(name)),
  toArgument: asItStands,
});

/** How PostgreSQL writes the values of each type in its default storage; without an entry, rows are read instead. */
const WRITTEN: Readonly<Record<string, Written>> = {
  "Edm.Boolean": { scan: scanBoolean, toArgument: asItStands },
  "Edm.Byte": integer("Edm.Byte"),
  "Edm.SByte": integer("Edm.SByte"),
  "Edm.Int16": integer("Edm.Int16"),
  "Edm.Int32": integer("Edm.Int32"),
  "Edm.Int64": { scan: scanInt64, toArgument: asItStands },
  "Edm.Single": double,
  "Edm.Double": double,
  "Edm.Decimal": { scan: scanDecimal("variable"), ofScale: scanDecimal, toArgument: asItStands },
  "Edm.String": { scan: scanString },
  "Edm.Guid": { scan: scanGuid },
  "Edm.Date": { scan: scanDate },
  "Edm.TimeOfDay": { scan: scanTimeOfDay },
  "Edm.DateTimeOffset": { scan: scanUtc },
};

/** Adds the JSON of their values to the default formats of columns. */
export function withJson(defaults: ColumnTable["defaults"]): ColumnTable["defaults"] {
  const rows = Object.entries(defaults).map(([name, row]): [string, (typeof defaults)["Edm.String"]] => {
    const written = WRITTEN[name];
    if (written === undefined) return [name, row];
    return [
      name,
      (property) => {
        const parts = row(property);
        const { toSelected } = parts;
        const text = toSelected === undefined ? asText : (cell: Sql): Sql => toJson(toSelected(cell));
        const scan = written.ofScale?.(property.facets.scale) ?? written.scan;
        return { ...parts, json: { scan, toArgument: written.toArgument ?? text } };
      },
    ];
  });
  // The names are those of the given table.
  return Object.fromEntries(rows) as ColumnTable["defaults"];
}

/** How PostgreSQL writes names of enumeration members. */
export const PG_NAME_JSON = (names: ReadonlySet<string>): JsonCell => ({ toArgument: asText, scan: scanName(names) });

const MAX_MEMBERS = 500;
/** A function takes at most 100 arguments. */
const PAIRS_OF_CALL = 45;

/** The bytes of long texts so far. The setting ends with the transaction of the statement. */
const SPENT_BYTES = "odatakit.bytes";
/** The bytes from which the texts of an object are counted: shorter ones count with their list, and those of a page are never many. */
const COUNTED = 1024;

/** Fails when the texts of the objects have too many bytes, before this object is written; null otherwise. */
function guardOf(parts: readonly JsonPart[], { bytes }: JsonLimit): readonly Sql[] {
  const lengths = parts.flatMap(({ cell, isText }) =>
    cell === null || isText !== true ? [] : [sql`coalesce(octet_length(${cell}::text), 0)`],
  );
  if (lengths.length === 0) return [];
  const size = sql`(${sql.join(lengths, sql` + `)})`;
  const spent = spend(SPENT_BYTES, size);
  // The divisor depends on the row, so that the division is not evaluated when the statement is planned.
  return [
    sql`case when ${size} < ${sql.lit(COUNTED)} then null when ${spent} > ${bytes}::bigint then (1 / (${size} - ${size}))::text end`,
  ];
}

/** Adds to a setting that counts. @returns its new value */
function spend(name: string, more: Sql): Sql {
  const before = sql`coalesce(nullif(current_setting(${sql.lit(name)}, true), ''), '0')::bigint`;
  return sql`set_config(${sql.lit(name)}, (${before} + ${more})::text, true)::bigint`;
}

/** Concatenates the names and values of an object. The functions of PostgreSQL for objects write blanks. */
function objectOf(parts: readonly JsonPart[], limit: JsonLimit): Sql {
  const pieces = parts.map(({ name, argument }, index) => {
    const head = `${index === 0 ? "{" : ","}${JSON.stringify(name)}:`;
    return sql`${sql.lit(head)}, ${argument}`;
  });
  // `concat` skips null.
  pieces.unshift(...guardOf(parts, limit));
  const calls: Sql[] = [];
  for (let start = 0; start < pieces.length; start += PAIRS_OF_CALL) {
    calls.push(sql`concat(${sql.join(pieces.slice(start, start + PAIRS_OF_CALL))})`);
  }
  return sql`${sql.join(calls, sql` || `)} || '}'`;
}

/** The number of entities of the lists so far, and their bytes. The settings end with the transaction of the statement. */
const SPENT = "odatakit.entities";
const SPENT_LISTED = "odatakit.listed";

/** A division by zero, if lists have too many entities or bytes, or in a condition; a text above 1 GB. */
const REFUSED: ReadonlySet<unknown> = new Set(["22012", "54000"]);
const REFUSED_MESSAGE = /invalid memory alloc request size|string too long/;

/** How PostgreSQL writes entities as JSON. */
export const PG_JSON_SYNTAX: JsonSyntax = Object.freeze<JsonSyntax>({
  // JSON of plain pages would only move the work to the server.
  isForPlainPages: false,
  keepsCells: false,
  needsListLimit: true,
  constant: (text) => sql.lit(JSON.stringify(text)),
  maxMembers: MAX_MEMBERS,
  page: (parts, rows, { total, marks }, limit) => {
    const others = furtherCells(3, total === null ? marks : [total, ...marks]);
    return sql`select string_agg(${objectOf(parts, limit)}, ',') as "c0", 0 as "c1", count(*) as "c2"${others} from (${rows}) as ${sql.id(JSON_PAGE)}`;
  },
  markAt: (value, position) => sql`(array_agg(${value}))[${position}::int + 1]`,
  entity: (parts, from, limit) => sql`coalesce((select ${objectOf(parts, limit)}${from}), 'null')`,
  entities: (parts, from, limit) => {
    const { most, bytes } = limit;
    const fits = sql`${spend(SPENT, sql`odata_length`)} <= ${most}::bigint and ${spend(SPENT_LISTED, sql`octet_length(odata_list)`)} <= ${bytes}::bigint`;
    // The divisor depends on the rows, so that the division is not evaluated when the statement is planned.
    const failure = sql`(1 / (odata_length - odata_length))::text`;
    const list = sql`select coalesce(string_agg(${objectOf(parts, limit)}, ','), '') as odata_list, count(*) as odata_length${from}`;
    return sql`(select case when ${fits} then '[' || odata_list || ']' else ${failure} end from (${list}) as odata_listed)`;
  },
  // Rows contain the same digits.
  writesDoubles: () => true,
  // The error of the driver is the cause of that of the read.
  isRefused: (error) => isRefusal(error) || (error instanceof Error && isRefusal(error.cause)),
});

function isRefusal(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  return ("code" in error && REFUSED.has(error.code)) || REFUSED_MESSAGE.test(error.message);
}
