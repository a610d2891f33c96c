import type { SchemaFinding } from "../../base/errors/schema-finding.ts";
import { textOf, type CatalogueSteps } from "./catalogue-steps.ts";
import { findColumn } from "./compare-tables.ts";
import type { ExpectedColumn, ExpectedTable } from "./expected-table.ts";
import { type NameSyntax, plainName } from "./quote-name.ts";
import type { ColumnSchema, CheckedSchema, IndexedColumn, TableSchema, IndexSchema } from "./schema.ts";

/** Smaller tables are fast to read without an index. */
const MANY_ROWS = 10_000;
/** The number of tables whose size one statement checks. */
const TABLES_PER_STATEMENT = 50;

/** How one kind of database writes and uses indexes. */
export interface IndexSyntax {
  /** Whether the database names an index that has no name. */
  readonly namesIndexes: boolean;
  /** The collation of texts whose indexes serve statements; null: any. */
  readonly textCollation: string | null;
  /** Whether indexes order null last by default. */
  readonly nullsAreLast: boolean;
  /** Types that a plain index cannot contain. */
  readonly unindexedTypes: readonly string[];
  /** Writes the text of a column as conditions and orders have it; absent: they have the column itself. */
  readonly textOf?: (column: string) => string;
}

type ScopeSyntax = IndexSyntax & NameSyntax;

interface Warned {
  readonly expected: ExpectedTable;
  readonly findings: readonly SchemaFinding[];
}

/**
 * Finds the sorts, filters and navigations without an index on tables of more than 10,000 rows. Checks the size of such
 * tables only.
 */
export function* findMissingIndexes(
  expected: readonly ExpectedTable[],
  schema: CheckedSchema,
  { quote, indexes }: NameSyntax & { readonly indexes: IndexSyntax },
): CatalogueSteps<readonly SchemaFinding[]> {
  const syntax: ScopeSyntax = { ...indexes, quote };
  const warned = expected
    .map((table): Warned => ({ expected: table, findings: [...checkTable(table, schema, syntax)] }))
    .filter(({ findings }) => findings.length > 0);
  const texts = [...new Set(warned.map((each) => each.expected.text))];
  const many = new Set<number>();
  for (let start = 0; start < texts.length; start += TABLES_PER_STATEMENT) {
    const part = texts.slice(start, start + TABLES_PER_STATEMENT);
    const sql = part.map((text, index) => hasManyRows(text, start + index)).join(" union all ");
    for (const [index] of yield { sql, parameters: [], width: 1 }) many.add(Number(textOf(index)));
  }
  const large = new Set(texts.filter((_text, index) => many.has(index)));
  return warned.filter((each) => large.has(each.expected.text)).flatMap(({ findings }) => findings);
}

function hasManyRows(text: string, index: number): string {
  return `select ${String(index)} as c0 from (select 1 as x from ${text} limit 1 offset ${String(MANY_ROWS)}) as many${String(index)}`;
}

function* checkTable(expected: ExpectedTable, schema: CheckedSchema, syntax: ScopeSyntax): Iterable<SchemaFinding> {
  const table = schema.tables.get(expected.text);
  if (table === undefined || table.kind === "view") return;
  const scope: Scope = { expected, table, schema, syntax };
  const served = new Set<string>();
  for (const { navigation, columns } of expected.lookups) {
    const found = columns.flatMap((name) => findColumn(name, table, schema) ?? []);
    if (found.length < columns.length || table.indexes.some((index) => beginsWith(index, found))) continue;
    const names = found.map(({ name }) => name);
    if (served.has(names.join())) continue;
    served.add(names.join());
    const declared = names.map((name) => expected.columns.find((column) => column.name === name));
    const items = found.map((column, index) => itemOf(scope, column, declared[index], false));
    yield warn(scope, {
      code: "C10",
      columns: names,
      items,
      what: `The navigation ${navigation} finds rows by`,
      property: navigation,
    });
  }
  for (const declared of expected.columns) {
    const column = declared.access.size === 0 ? undefined : findColumn(declared.name, table, schema);
    if (column === undefined || served.has(column.name) || syntax.unindexedTypes.includes(column.type)) continue;
    if (isServed(scope, column, declared)) continue;
    const isSorted = declared.access.has("sort");
    const key = isSorted ? expected.key.filter((name) => name !== column.name).map((name) => keyItem(scope, name)) : [];
    const what = [...declared.access].toSorted().join(" and ");
    const items = [itemOf(scope, column, declared, isSorted, true), ...key];
    yield warn(scope, {
      code: "C11",
      columns: [column.name],
      items,
      what: `Clients may ${what} by`,
      property: declared.property,
    });
  }
}

/** The context of a warning. */
interface Scope {
  readonly expected: ExpectedTable;
  readonly table: TableSchema;
  readonly schema: CheckedSchema;
  readonly syntax: ScopeSyntax;
}

/** The rest of an order, by whose texts it sorts as well. */
function keyItem(scope: Scope, name: string): string {
  const { expected, table, schema, syntax } = scope;
  const column = findColumn(name, table, schema);
  const declared = expected.columns.find((each) => each.name === name);
  const isText = syntax.textOf !== undefined && declared?.indexCollation !== undefined;
  return column !== undefined && isText ? itemOf(scope, column, declared, false, true) : plainName(name, syntax.quote);
}

function isServed({ table, syntax }: Scope, column: ColumnSchema, declared: ExpectedColumn): boolean {
  const needsNulls = syntax.nullsAreLast && column.nullable && declared.access.has("sort");
  const serves = (first: IndexedColumn): boolean =>
    (declared.indexCollation === undefined || isSameCollation(first.collation, declared.indexCollation)) &&
    (!needsNulls || first.nullsFirst);
  const ofText = syntax.textOf !== undefined && declared.indexCollation !== undefined;
  return table.indexes.some(({ columns: [plain], firstText }) => {
    const first = ofText ? firstText : plain;
    return first?.name === column.name && serves(first);
  });
}

function isSameCollation(found: string | null, wanted: string): boolean {
  return found === wanted || (wanted === "C" && found === "POSIX");
}

function itemOf(
  { syntax }: Scope,
  column: ColumnSchema,
  declared: ExpectedColumn | undefined,
  isSorted: boolean,
  isCompared = isSorted,
): string {
  const wanted = declared?.indexCollation;
  const nulls = isSorted && syntax.nullsAreLast && column.nullable ? " nulls first" : "";
  const name = plainName(column.name, syntax.quote);
  if (isCompared && wanted !== undefined && syntax.textOf !== undefined) return `${syntax.textOf(name)}${nulls}`;
  const needsCollation = wanted !== undefined && !isSameCollation(column.collation, wanted);
  const collation = needsCollation ? ` collate "${wanted}"` : "";
  return `${name}${collation}${nulls}`;
}

interface Warning {
  readonly code: "C10" | "C11";
  readonly columns: readonly string[];
  readonly items: readonly string[];
  readonly what: string;
  readonly property: string;
}

function warn({ expected, syntax }: Scope, { code, columns, items, what, property }: Warning): SchemaFinding {
  const table = expected.names.join(".");
  const on = expected.names.map((name) => plainName(name, syntax.quote)).join(".");
  const name = syntax.namesIndexes
    ? ""
    : ` ${plainName([...expected.names.slice(-1), ...columns].join("_"), syntax.quote)}`;
  return {
    code,
    severity: "warning",
    set: expected.set,
    property,
    table,
    column: columns.join(", "),
    message: `${what} \`${columns.join(", ")}\`, but no index of the table \`${table}\` begins with it. The table has more than ${String(MANY_ROWS)} rows.`,
    fix: `create index${name} on ${on} (${items.join(", ")})`,
  };
}

/** Returns whether an index begins with the columns, in any order. */
function beginsWith({ columns }: IndexSchema, wanted: readonly ColumnSchema[]): boolean {
  const first = columns.slice(0, wanted.length);
  return wanted.every(({ name }) => first.some((column) => column?.name === name));
}
