import { isYes, type CatalogueQuery, type CatalogueRow, type CatalogueSteps } from "./catalogue-steps.ts";
import type { ObjectName, UniqueKey } from "./database-schema.ts";
import { type NameSyntax, quoteName } from "./quote-name.ts";

/** Rows that the search compares for one object, those of each combination of columns until the first equal ones. */
const MOST_COMPARED = 1_000_000;
/** Rows beyond these are compared by the database, for the keys that these rows leave. */
const MOST_ROWS = 20_000;
/** A key of more columns is too long for URLs. */
const MOST_COLUMNS = 3;
const MOST_CHECKS = 3;
/** The length of the longest value in a key. Longer values are not names. */
const LONGEST = 200;

/** An object without a key, and the columns that can be part of one, in the order of preference. */
interface KeySearch extends ObjectName {
  readonly columns: readonly string[];
}

/**
 * Searches the data for the shortest keys of objects, in their order. The same rows have the same key, however busy the
 * machine is.
 * @param alive a condition that ends a statement after its time; absent: none
 */
export function* findUniqueKeys(
  searches: readonly KeySearch[],
  syntax: NameSyntax,
  alive?: string,
): CatalogueSteps<readonly UniqueKey[]> {
  const where = alive === undefined ? "" : ` where ${alive}`;
  const found: UniqueKey[] = [];
  for (const search of searches) found.push(yield* findUniqueKey(search, syntax, where));
  return found;
}

function* findUniqueKey(search: KeySearch, syntax: NameSyntax, where: string): CatalogueSteps<UniqueKey> {
  const { columns } = search;
  if (columns.length === 0) return "none";
  let rows: readonly CatalogueRow[];
  try {
    rows = yield readRows(search, syntax, where);
  } catch {
    return "too slow";
  }
  if (rows.length === 0) return "no rows";
  const texts = rows.map((row) => row.map(textOfCell));
  const usable = columns.flatMap((_, place) => (texts.every((row) => isKeyText(row[place])) ? [place] : []));
  let [checks, compared] = [0, 0];
  for (const places of combinations(usable)) {
    if (compared >= MOST_COMPARED) return "too slow";
    const different = countDifferent(texts, places);
    compared += different;
    if (different < rows.length) continue;
    const names = places.flatMap((place) => columns[place] ?? []);
    if (rows.length < MOST_ROWS) return names;
    checks += 1;
    if (checks > MOST_CHECKS) return "none";
    try {
      const [duplicate] = yield duplicateQuery(search, names, syntax, where);
      if (duplicate === undefined) return names;
    } catch {
      return "too slow";
    }
  }
  return "none";
}

function readRows({ schema, name, columns }: KeySearch, syntax: NameSyntax, where: string): CatalogueQuery {
  const cells = columns.map((column, place) => `${quoteName(column, syntax)} as c${String(place)}`).join(", ");
  const sql = `select ${cells} from ${quoteName(schema, syntax)}.${quoteName(name, syntax)}${where} limit ${String(MOST_ROWS)}`;
  return { sql, parameters: [], width: columns.length };
}

/** Returns the query of a row that shares its key, or has none. */
function duplicateQuery(
  { schema, name }: ObjectName,
  columns: readonly string[],
  syntax: NameSyntax,
  where: string,
): CatalogueQuery {
  const quoted = columns.map((column) => quoteName(column, syntax));
  const from = `${quoteName(schema, syntax)}.${quoteName(name, syntax)}`;
  const isNull = quoted.map((column) => `${column} is null`).join(" or ");
  const sql = `select 1 as c0 from ${from}${where} group by ${quoted.join(", ")} having count(*) > 1 or ${isNull} limit 1`;
  return { sql, parameters: [], width: 1 };
}

function textOfCell(cell: unknown): string | null {
  if (cell === null || cell === undefined) return null;
  if (cell instanceof Date) return String(cell.getTime());
  if (typeof cell === "boolean") return String(isYes(cell));
  if (typeof cell === "string") return cell;
  return typeof cell === "number" || typeof cell === "bigint" ? String(cell) : null;
}

function isKeyText(text: string | null | undefined): boolean {
  return text !== null && text !== undefined && text.length > 0 && text.length <= LONGEST;
}

/** Counts the rows before the first row that equals another. */
function countDifferent(rows: ReadonlyArray<ReadonlyArray<string | null>>, places: readonly number[]): number {
  const seen = new Set<string>();
  for (const row of rows) {
    const key = places.length === 1 ? (row[places[0] ?? 0] ?? "") : JSON.stringify(places.map((place) => row[place]));
    if (seen.has(key)) break;
    seen.add(key);
  }
  return seen.size;
}

/** Returns the combinations of up to three items: the short ones first, each in the order of the items. */
function* combinations(items: readonly number[]): Iterable<readonly number[]> {
  for (let length = 1; length <= Math.min(MOST_COLUMNS, items.length); length += 1) {
    yield* combinationsOf(items, length);
  }
}

function* combinationsOf(items: readonly number[], length: number): Iterable<readonly number[]> {
  if (length === 0) {
    yield [];
    return;
  }
  for (const [place, first] of items.entries()) {
    for (const rest of combinationsOf(items.slice(place + 1), length - 1)) yield [first, ...rest];
  }
}
