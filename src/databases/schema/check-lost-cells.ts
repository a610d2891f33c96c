import { sql } from "kysely";
import { isODataError } from "../../base/errors/odata-error.ts";
import type { SchemaFinding } from "../../base/errors/schema-finding.ts";
import type { ServiceDefinition } from "../../definition/model/service-definition.ts";
import type { StructuralProperty } from "../../edm/model.ts";
import { fractionDigits } from "../../edm/shown-value.ts";
import { tableNameText, type TableName } from "../../edm/table-name.ts";
import type { Row } from "../../language/query/row-shape.ts";
import type { ColumnFormat } from "../columns/column-format.ts";
import { columnName, wantedTable } from "../columns/column-name.ts";
import type { AnyKysely } from "../connection/synchronous-reader.ts";
import type { Database } from "../forms/database.ts";
import type { CatalogueSteps } from "../introspect/catalogue-steps.ts";
import type { Sql } from "../statement/sql-form.ts";
import { sqlTableName } from "../statement/sql-operand.ts";
import { compileStatement } from "../translate/utc-session.ts";
import { comparedLeaves } from "./check-cells.ts";
import { comparersIn, type ComparersOf } from "./compared-properties.ts";
import { storageOfLink } from "./expected-tables.ts";
import { type CheckedSet, joinsOf } from "./table-rows.ts";

/** So many rows show most faults of other programs, and are read within a millisecond or two. */
const SAMPLED = 1000;

/** Types that have one text for each value, if odatakit writes it. */
const TEXTS: ReadonlySet<string> = new Set(["Edm.Guid", "Edm.DateTimeOffset", "Edm.Date"]);

/** A type whose texts are found in every form: two texts of one value may only be one key. */
const TIME = "Edm.TimeOfDay";

/** A column whose cells are compared as texts. */
interface TextColumn {
  readonly property: StructuralProperty;
  readonly column: string;
  readonly format: ColumnFormat;
  /** The key of the property, or of the navigation of a link table, in objects of the application. */
  readonly path: string;
  /** Whether responses contain the values. */
  readonly isShown: boolean;
  /** The words for everything that compares the cells. */
  readonly comparers: readonly string[];
  /** The option that finds the texts in every form. */
  readonly option: string;
}

/** The columns to sample of one table. */
interface SampledTable {
  readonly set: string;
  readonly table: TableName;
  readonly columns: readonly TextColumn[];
}

/**
 * Reads the first rows of each table, and counts the texts in another form than their values have: keys, filters, rules and
 * navigations may not find them.
 * @param known the other findings: columns that they name are not read
 */
export function* checkLostCells(
  sets: readonly CheckedSet[],
  service: ServiceDefinition,
  { db, profile }: { readonly db: AnyKysely; readonly profile: Database },
  known: readonly SchemaFinding[],
): CatalogueSteps<readonly SchemaFinding[]> {
  // Other databases have types for these values.
  if (!profile.values.guidsAreTexts) return [];
  const findings: SchemaFinding[] = [];
  const comparers = comparersIn(service);
  const tables = [...sets.map((each) => tableOf(each, comparers, known)), ...linkTables(sets, profile, known)];
  for (const { set, table, columns } of tables) {
    if (columns.length === 0) continue;
    const cells = columns.flatMap(sampledCells);
    const named = cells.map((cell, index) => sql`${cell} as ${sql.id(`c${String(index)}`)}`);
    const statement = sql`select ${sql.join(named)} from ${sqlTableName(table)} limit ${sql.lit(SAMPLED)}`;
    try {
      const read = { sql: compileStatement(statement, db, profile).sql, parameters: [], width: cells.length };
      const rows = yield { ...read, rowsOf: wantedTable(table, db), most: SAMPLED };
      for (const [index, column] of columns.entries()) {
        findings.push(...lostCells({ set, table }, column, { rows, index: index * 2 }, db));
      }
    } catch (error) {
      if (isODataError(error) && error.status === 503) throw error;
      // The rows cannot be read: other checks say so, or the first request.
    }
  }
  return findings;
}

function tableOf(checked: CheckedSet, comparersOf: ComparersOf, known: readonly SchemaFinding[]): SampledTable {
  const { set, rows } = checked;
  const { name, entityType } = set.entitySet;
  const columns = comparedLeaves(checked, known).flatMap(({ path, plan }): readonly TextColumn[] => {
    const { column, format, property, expression, storage } = plan;
    const [field] = path.split(".", 1);
    const owner = [...entityType.properties, ...entityType.ignoredProperties].find((each) => each.field === field);
    if (owner === undefined || expression !== undefined || storage !== undefined) return [];
    const isShown = entityType.properties.includes(owner);
    // Nothing compares the members of an ignored complex value.
    const isTimeKey = property.isKey && property.type.name === TIME;
    if (!(isTimeKey || isBareText(property, format)) || !(isShown || path === field)) return [];
    const option = `\`columns: { ${path}: { storage: "text" } }\``;
    return [{ property, column, format, path, isShown, comparers: comparersOf(set, owner), option }];
  });
  return { set: name, table: rows.table, columns };
}

function linkTables(
  sets: readonly CheckedSet[],
  { values }: Database,
  known: readonly SchemaFinding[],
): readonly SampledTable[] {
  const tables = sets.flatMap((checked) => {
    const { entitySet } = checked.set;
    return joinsOf(entitySet).flatMap(({ name, field, join }): readonly SampledTable[] => {
      const targetName = entitySet.navigationPropertyBindings.get(name);
      const target = sets.find(({ set }) => set.entitySet.name === targetName);
      const isFaulty = known.some((each) => each.set === entitySet.name && each.property === field);
      if (join.kind !== "link" || target === undefined || isFaulty) return [];
      const ends = [
        ...join.from.map((each) => [each, checked] as const),
        ...join.to.map((each) => [each, target] as const),
      ];
      const columns = ends.flatMap(([each, end]): readonly TextColumn[] => {
        const { property, column } = each;
        const format = storageOfLink(end, each) === undefined ? values.columnFormat(property, undefined) : null;
        if (format === null || !isBareText(property, format)) return [];
        const option = `\`columns: { ${column}: { storage: "text" } }\` of \`through\``;
        return [{ property, column, format, path: field, isShown: false, comparers: ["navigations"], option }];
      });
      return [{ set: entitySet.name, table: join.table, columns }];
    });
  });
  // Two opposite navigations name the same link table.
  const distinct = new Map(tables.map((each) => [keyOf(each), each]));
  return [...distinct.values()];
}

function keyOf({ table, columns }: SampledTable): string {
  return JSON.stringify([tableNameText(table), columns.map(({ column }) => column).toSorted()]);
}

/** Whether values are compared with the bare cells, each value with one text. */
function isBareText({ type }: StructuralProperty, { form }: ColumnFormat): boolean {
  return TEXTS.has(type.name) && form.exact !== null && form.sortable === undefined && form.equatable === undefined;
}

/** Selects a cell, and whether the collation of its column distinguishes it from its text in lower case. */
function sampledCells({ column, format }: TextColumn): readonly Sql[] {
  const source = sql`${sql.id(column)}`;
  return [format.toSelected(source), sql`case when ${source} <> lower(${source}) then 1 end`];
}

function lostCells(
  { set, table }: Omit<SampledTable, "columns">,
  { property, format, comparers, isShown, option, path, column: declared }: TextColumn,
  { rows, index }: { readonly rows: readonly Row[]; readonly index: number },
  db: AnyKysely,
): readonly SchemaFinding[] {
  const isGuid = property.type.name === "Edm.Guid";
  const isWritten = writtenForm(property);
  const isLostIn = (row: Row): boolean =>
    isGuid ? Number(row[index + 1]) === 1 : isInOtherForm(format, isWritten, row[index]);
  const lost = rows.filter(isLostIn);
  const [first] = lost;
  if (first === undefined) return [];
  const name = wantedTable(table, db).names.join(".");
  const column = columnName(declared, db);
  const count = lost.length === 1 ? "1 text" : `${String(lost.length)} texts`;
  const isLost = property.type.name !== TIME;
  const form = isGuid ? "upper case" : "another form than odatakit writes";
  const who = comparers.length === 0 ? "filters of `ctx.sets`" : listOf(comparers);
  const effect = isGuid ? `${who} do not find them` : effectOf(property);
  return [
    {
      set,
      property: path,
      table: name,
      column,
      code: "C16",
      severity: isLost && comparers.length > 0 && (isGuid || property.isKey) ? "error" : "warning",
      message: `The column \`${name}.${column}\` has ${count} in ${form} in its first ${String(rows.length)} rows, such as ${JSON.stringify(String(first[index]))}: ${isShown ? `responses show them, but ${effect}` : effect}.`,
      fix: FIXES[property.type.name] ?? `Set ${option}, which finds them in every form, or correct the rows.`,
    },
  ];
}

const FIXES: Readonly<Record<string, string>> = {
  "Edm.Date": "Correct the rows: write `YYYY-MM-DD`.",
  [TIME]: "Correct the rows: write `hh:mm:ss`.",
};

function effectOf({ type }: StructuralProperty): string {
  return type.name === TIME
    ? "two texts of one time are one key, and no write reaches their rows"
    : "comparisons, orders and joins read them as texts, and miss some";
}

/** Lists words: `a`, `a and b`, `a, b and c`. */
function listOf(words: readonly string[]): string {
  return words.length === 1 ? words.join("") : `${words.slice(0, -1).join(", ")} and ${words.at(-1) ?? ""}`;
}

const WRITTEN_DATE = /^\d{4}-\d\d-\d\d$/u;
const WRITTEN_INSTANT = /^\d{4}-\d\d-\d\dT(?:[01]\d|2[0-3])(?::[0-5]\d){2}(?:\.\d+)?Z$/u;

/** Returns the test of most texts that odatakit writes for a type: they need no conversion. */
function writtenForm(property: StructuralProperty): (cell: string) => boolean {
  if (property.type.name === "Edm.Date") return (cell) => WRITTEN_DATE.test(cell);
  if (property.type.name !== "Edm.DateTimeOffset") return () => false;
  const digits = fractionDigits(property);
  const { length } = `0000-00-00T00:00:00${digits === 0 ? "" : "."}Z`;
  return (cell) => cell.length === length + digits && WRITTEN_INSTANT.test(cell);
}

/** Whether a cell has a value, but is not the cell of this value. Cells that cannot be read are separate findings. */
function isInOtherForm(
  { form, toValue, toCell = form.floor }: ColumnFormat,
  isWritten: (cell: string) => boolean,
  cell: unknown,
): boolean {
  if (typeof cell !== "string" || isWritten(cell)) return false;
  try {
    const value = toValue(cell);
    // The cell at or below the value is its only one: most cells need no second conversion.
    return form.floor(value) !== cell && toCell(value) !== cell;
  } catch {
    return false;
  }
}
