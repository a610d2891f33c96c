import { textOf, type CatalogueQuery, type CatalogueSteps } from "../../introspect/catalogue-steps.ts";
import type { ObjectColumn, SchemaObject } from "../../introspect/database-schema.ts";
import { quoteSqlite } from "./sqlite-sample.ts";

/** The message for a function or collation that only the program has which made the database. */
const MISSING = /no such (?:collation sequence|function)|unknown function/;

/** Lists the tables whose columns, defaults, checks, indexes or triggers may need a function or collation of another program. */
export function foreignPartsQuery(schema: string): CatalogueQuery {
  const of = schema === "main" ? "" : `${quoteSqlite(schema)}.`;
  // Blanks and line breaks may precede a parenthesis.
  const dense = "replace(replace(replace(replace(sql, ' ', ''), char(9), ''), char(10), ''), char(13), '')";
  const sql = `select distinct lower(tbl_name) as c0 from ${of}sqlite_schema where sql like '%collate%' or type = 'trigger'
    or (type = 'table' and (sql like '%check%' or ${dense} like '%default(%' or ${dense} like '%as(%')) or (type = 'index' and sql like '%(%(%')`;
  return { sql, parameters: [], width: 1 };
}

/** Marks the columns that no statement can read, or compare without a conversion, and a table that no statement can write. */
export function* withForeignParts(object: SchemaObject): CatalogueSteps<SchemaObject> {
  const table = `${quoteSqlite(object.schema)}.${quoteSqlite(object.name)}`;
  const columns: Array<SchemaObject["columns"][number]> = [];
  for (const given of object.columns) {
    const column = yield* withoutLostDefault(given);
    const name = quoteSqlite(column.name);
    const failure = yield* failureOf(`select 1 as c0 from ${table} where ${name} = '' limit 0`);
    const whole = failure === undefined ? undefined : yield* failureOf(`select ${name} as c0 from ${table} limit 0`);
    if (whole !== undefined) columns.push({ ...column, isSelectable: false, failure: whole });
    else columns.push(failure === undefined ? column : { ...column, isIncomparable: true });
  }
  if (object.kind !== "table") return { ...object, columns };
  const written = columns.find(({ isGenerated }) => !isGenerated);
  const set = written === undefined ? "rowid = rowid" : `${quoteSqlite(written.name)} = ${quoteSqlite(written.name)}`;
  const own = columns.filter(({ isGenerated }) => !isGenerated).map(({ name }) => quoteSqlite(name));
  const checks = yield* checksOf(object);
  const values = own.length === 0 ? "default values" : `(${own.join()}) values (${own.map(() => "null").join()})`;
  for (const statement of [
    `explain insert into ${table} ${values}`,
    `explain update ${table} set ${set}`,
    `explain delete from ${table}`,
    ...checks.map((check) => `select 1 as c0 from ${table} where (${check}\n) limit 0`),
  ]) {
    const unwritable = yield* failureOf(statement);
    if (unwritable !== undefined) return { ...object, columns, unwritable };
  }
  return { ...object, columns };
}

/** Words and parentheses; texts, names and comments as wholes, because their parentheses do not count. */
const TOKENS = /'(?:[^']|'')*'|"(?:[^"]|"")*"|`(?:[^`]|``)*`|\[[^\]]*\]|--.*|\/\*[^]*?(?:\*\/|$)|[()]|[^\s'"`[()/-]+/g;

/** Returns the conditions of the checks of a table. Writes on a connection that only reads would not show them. */
function* checksOf({ schema, name }: SchemaObject): CatalogueSteps<readonly string[]> {
  const sql = `select sql as c0 from ${quoteSqlite(schema)}.sqlite_schema where type = 'table' and name = ?`;
  const [[given] = []] = yield { sql, parameters: [name], width: 1 };
  const text = textOf(given);
  const checks: string[] = [];
  const starts: Array<number | null> = [];
  let isCheck = false;
  for (const { 0: token, index } of text.matchAll(TOKENS)) {
    if (/^(?:--|\/\*)/.test(token)) continue;
    if (token === "(") starts.push(isCheck ? index + 1 : null);
    const start = token === ")" ? (starts.pop() ?? null) : null;
    if (start !== null) checks.push(text.slice(start, index));
    isCheck = token.toLowerCase() === "check";
  }
  return checks;
}

/** Writes give a value to a column whose default cannot be computed. */
function* withoutLostDefault(column: ObjectColumn): CatalogueSteps<ObjectColumn> {
  const { defaultValue } = column;
  const lost = defaultValue?.includes("(") === true ? yield* failureOf(`select ${defaultValue} as c0`) : undefined;
  if (lost === undefined) return column;
  const message = `has a default that cannot be computed, left out: ${lost}`;
  return { ...column, defaultValue: null, defaultCell: null, lost: message };
}

function* failureOf(sql: string): CatalogueSteps<string | undefined> {
  try {
    yield { sql, parameters: [], width: undefined };
  } catch (error) {
    const message = error instanceof Error ? error.message : textOf(error);
    if (MISSING.test(message)) return message;
  }
  return undefined;
}
