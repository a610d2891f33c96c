import { required } from "../../base/required.ts";
import { adviseName, describe, isObject } from "../../definition/option-table.ts";
import type { ComplexType, EntityType, StructuralProperty } from "../../edm/model.ts";
import type { NoteUnreadable } from "../../language/query/row-shape.ts";
import type { Sql } from "../statement/sql-form.ts";
import { reportStorage } from "./check-link-storage.ts";
import { locatedFormat, type ColumnFormat, type ArraySyntax, type ColumnFormats } from "./column-format.ts";
import {
  checkConverted,
  convertedPlan,
  refuseConverted,
  type ConvertedPlan,
  readConversion,
} from "./converted-plan.ts";
import { type ReportFault, type StorageForm, readStorage } from "./storage-option.ts";

/** An expression of the application in place of a column, with the name under which statements read it. */
interface ColumnExpression {
  /** The expression; undefined for a column of the table. It is never written. */
  readonly expression?: string | undefined;
  /** Receives its unreadable cells, which become null; undefined: they are errors. */
  readonly unreadable?: NoteUnreadable | undefined;
}

/** A column with cells that cannot be read. */
export interface ForgivenColumn {
  readonly name: string;
  /** Whether the property may be null, or is a collection. */
  readonly nullable: boolean;
}

/** Receives the cells that cannot be read, for the log. */
export interface ForgivenCells {
  report(table: string | undefined, column: ForgivenColumn, key: readonly unknown[], error: unknown): void;
}

/** The column or columns of a property in a table. */
export type ColumnPlan = ScalarPlan | ComplexPlan | DocumentPlan | ArrayPlan | ConvertedPlan;

/** One column with one value. */
export interface ScalarPlan extends ColumnExpression {
  readonly kind: "scalar";
  readonly property: StructuralProperty;
  readonly column: string;
  /** Whether the column may be NULL: because the value, or an enclosing complex value, may be null. */
  readonly nullable: boolean;
  readonly format: ColumnFormat;
  /** As given in `columns`; undefined for the default of the type. */
  readonly storage: StorageForm | undefined;
}

/**
 * A complex property with one column per member. If those of the members that clients see are all NULL and the property is
 * nullable, it is null.
 */
export interface ComplexPlan {
  readonly kind: "complex";
  readonly property: StructuralProperty;
  readonly nullable: boolean;
  /** The members that clients see. */
  readonly members: PlansByField;
  /** The ignored members, which only rules and handlers receive. No request writes or compares them. */
  readonly ignored: PlansByField;
  /** The column that is NULL exactly if the value is null; absent: the members decide. */
  readonly presence?: string | undefined;
}

/** One column with JSON text: a collection, or a complex value. */
interface DocumentPlan extends ColumnExpression {
  readonly kind: "document";
  readonly property: StructuralProperty;
  readonly column: string;
  readonly nullable: boolean;
  /** Returns the text, as an expression to select. */
  readonly toSelected: (column: Sql) => Sql;
}

/** One column with a database array: a collection of primitive or enumeration values. */
export interface ArrayPlan extends ColumnExpression {
  readonly kind: "array";
  readonly property: StructuralProperty;
  /** The property as if it were single-valued. */
  readonly item: StructuralProperty;
  readonly column: string;
  readonly nullable: boolean;
  readonly format: ColumnFormat;
  readonly syntax: ArraySyntax;
}

/**
 * The plans of the properties of one type, by the application's keys, so that they apply to every service that registers
 * the type.
 */
export type PlansByField = ReadonlyMap<string, ColumnPlan>;

/** The table that columns are planned for. */
export interface PlannedTable {
  /** How the database stores values. */
  readonly values: ColumnFormats;
  /** The name of the table; undefined for the rows of a query. */
  readonly table?: string | undefined;
  /** Whether the properties are ignored properties, which have separate expressions. */
  readonly areIgnored?: boolean;
  /** Receives the cells that cannot be read and become null; undefined: they are errors. */
  readonly unreadable?: ForgivenCells | undefined;
}

/** The place of a property in the type. */
interface Place extends PlannedTable {
  /** The keys of the enclosing complex properties, each with a dot. */
  readonly path: string;
  readonly prefix: string;
  readonly nullable: boolean;
  readonly within: readonly ComplexType[];
  /** Numbers the expressions of the table. */
  readonly nextExpression: () => string;
}

/**
 * Finds the columns of an entity type.
 * @param columns the options of the application, by key
 * @param report receives each fault: unknown properties, storage that does not fit a type
 */
export function planColumns(
  entityType: EntityType,
  columns: Readonly<Record<string, unknown>>,
  table: PlannedTable,
  report: ReportFault,
): PlansByField {
  let expressions = 0;
  const nextExpression = (): string => {
    expressions += 1;
    return `odata_${table.areIgnored === true ? "ignored" : "sql"}_${String(expressions)}`;
  };
  const root: Place = { path: "", prefix: "", nullable: false, within: [], nextExpression, ...table };
  checkFields(entityType.name, entityType.properties, columns, root, report);
  return planProperties(entityType.properties, columns, root, report);
}

function checkFields(
  type: string,
  properties: readonly StructuralProperty[],
  columns: Readonly<Record<string, unknown>>,
  { path }: Place,
  report: ReportFault,
): void {
  const fields = properties.map(({ field }) => field);
  for (const field of Object.keys(columns)) {
    if (fields.includes(field)) continue;
    const message = `\`columns\` names \`${path}${field}\`, which is not a property of ${type}.`;
    report(message, adviseName(field, fields));
  }
}

function planProperties(
  properties: readonly StructuralProperty[],
  columns: Readonly<Record<string, unknown>>,
  place: Place,
  report: ReportFault,
): PlansByField {
  const plans = new Map<string, ColumnPlan>();
  for (const property of properties) {
    const given = Object.hasOwn(columns, property.field) ? columns[property.field] : undefined;
    const option = readColumnOption(given, place.path + property.field, property, report);
    plans.set(property.field, planProperty(property, option, place, report));
  }
  return plans;
}

function planProperty(
  property: StructuralProperty,
  option: ColumnFacts,
  place: Place,
  report: ReportFault,
): ColumnPlan {
  const { sql: expression } = option;
  const plan = forgiving(planColumn(property, option, place, report), place);
  if (expression === undefined) return plan;
  if (plan.kind !== "complex") return Object.freeze({ ...plan, expression });
  const fix = `Give \`sql\` to its members, or store it as a document: { sql, storage: "json" }.`;
  report(`\`${place.path}${property.field}\` has \`sql\`, but is stored in several columns.`, fix);
  return plan;
}

/** Unreadable cells of a key stay errors: no entity is without its key. */
function forgiving(plan: ColumnPlan, { unreadable, table }: Place): ColumnPlan {
  if (unreadable === undefined || plan.kind === "complex" || plan.property.isKey) return plan;
  const { nullable, isCollection } = plan.property;
  const column = { name: plan.column, nullable: nullable || isCollection };
  const note: NoteUnreadable = (error, key) => unreadable.report(table, column, key, error);
  return Object.freeze({ ...plan, unreadable: note });
}

function planColumn(property: StructuralProperty, option: ColumnFacts, place: Place, report: ReportFault): ColumnPlan {
  const { type, field, isCollection } = property;
  const path = place.path + field;
  const column = option.sql === undefined ? (option.name ?? place.prefix + field) : place.nextExpression();
  const nullable = place.nullable || (property.nullable && !property.isKey);
  const { columnFormat, documentText } = place.values;
  if (option.convert !== undefined) {
    checkConverted(
      property,
      {
        path,
        isMember: place.within.length > 0,
        isBesideStorage: hasStorage(option),
      },
      report,
    );
    return convertedPlan({ property, column, nullable, table: place.table }, option.convert);
  }
  const isDocument = isCollection || (type.kind === "ComplexType" && option.storage === "json");
  if ((isDocument || type.kind !== "ComplexType") && Object.keys(option.columns).length > 0) {
    const what = isDocument ? "is stored in one column" : "is not a complex property";
    report(`\`${path}\` has members in \`columns\`, but ${what}.`, "Give the name of its one column.");
  }
  if (isCollection && option.storage === "array") {
    const item = { ...property, isCollection: false };
    const { arrays: syntax } = place.values;
    const found = columnFormat(item, undefined);
    if (syntax !== undefined && found !== null) {
      const format = locatedFormat(found, column, place.table);
      return { kind: "array", property, item, column, nullable: true, format, syntax };
    }
  }
  if (isDocument) {
    if ((option.storage ?? "json") !== "json") reportStorage(property, path, option.storage, place.values, report);
    return { kind: "document", property, column, nullable: nullable || isCollection, toSelected: documentText };
  }
  if (type.kind === "ComplexType") return planComplex(property, type, { option, place, column }, report);
  const found = columnFormat(property, option.storage);
  if (found === null) reportStorage(property, path, option.storage, place.values, report);
  const format = required(found ?? columnFormat(property, undefined), `${path} has no default storage.`);
  const located = locatedFormat(format, column, place.table);
  return { kind: "scalar", property, column, nullable, format: located, storage: option.storage };
}

function hasStorage({ storage, columns }: ColumnFacts): boolean {
  return storage !== undefined || Object.keys(columns).length > 0;
}

function planComplex(
  property: StructuralProperty,
  type: ComplexType,
  { option, place, column }: { readonly option: ColumnFacts; readonly place: Place; readonly column: string },
  report: ReportFault,
): ColumnPlan {
  const path = place.path + property.field;
  if (option.storage !== undefined) reportStorage(property, path, option.storage, place.values, report);
  if (place.within.includes(type)) {
    report(
      `\`${path}\` contains a ${type.name} within a ${type.name}, and a recursive type cannot have a column per member.`,
      `Store the outer one as a document: ${property.field}: { storage: "json" }.`,
    );
    return { kind: "document", property, column, nullable: true, toSelected: place.values.documentText };
  }
  const nullable = place.nullable || property.nullable;
  const inner: Place = { ...place, path: `${path}.`, prefix: `${column}_`, nullable, within: [...place.within, type] };
  checkFields(type.name, [...type.properties, ...type.ignoredProperties], option.columns, inner, report);
  const members = planProperties(type.properties, option.columns, inner, report);
  const ignored = planProperties(type.ignoredProperties, option.columns, inner, report);
  return { kind: "complex", property, nullable, members, ignored };
}

/** Returns the plan of a property. */
export function planOf({ field, name }: Pick<StructuralProperty, "field" | "name">, plans: PlansByField): ColumnPlan {
  return required(plans.get(field), `${name} has no column.`);
}

/** Returns the plan of a property with one column and one value. */
export function scalarPlanOf(property: Pick<StructuralProperty, "field" | "name">, plans: PlansByField): ScalarPlan {
  const plan = planOf(property, plans);
  if (plan.kind !== "scalar") throw new Error(`${property.name} is not a single value.`);
  return plan;
}

/** Returns the plan of a property that statements compare. @throws ODataError for a converted column */
export function comparedPlanOf(property: Pick<StructuralProperty, "field" | "name">, plans: PlansByField): ColumnPlan {
  const plan = planOf(property, plans);
  refuseConverted(plan, property.name);
  return plan;
}

/** Returns the expressions among the columns of some plans, by the names under which statements read them. */
export function expressionsOf(plans: Iterable<ColumnPlan>): ReadonlyMap<string, string> {
  const found = [...plans].flatMap((plan): ReadonlyArray<readonly [string, string]> => {
    if (plan.kind === "complex") return [...expressionsOf(everyMember(plan).values())];
    return plan.expression === undefined ? [] : [[plan.column, plan.expression]];
  });
  return new Map(found);
}

/** Returns the plans of all members of a complex property, ignored ones included. */
export function everyMember({ members, ignored }: ComplexPlan): PlansByField {
  return ignored.size === 0 ? members : new Map([...members, ...ignored]);
}

/** Returns the names of the columns that contain the visible values of a property. */
export function columnNames(plan: ColumnPlan): readonly string[] {
  return plan.kind === "complex" ? [...plan.members.values()].flatMap(columnNames) : [plan.column];
}

/**
 * Returns the names of all columns of some plans.
 * @param absent the paths of members without a column
 */
export function everyColumn(plans: PlansByField, absent: ReadonlySet<string>, path: string = ""): readonly string[] {
  return Array.from(plans).flatMap(([field, plan]): readonly string[] => {
    if (absent.has(path + field)) return [];
    if (plan.kind !== "complex") return [plan.column];
    const members = everyColumn(everyMember(plan), absent, `${path}${field}.`);
    return plan.presence === undefined ? members : [...members, plan.presence];
  });
}

/** Whether a column stores Guids as text in any letter case. */
export function holdsAnyCaseGuids(plan: ColumnPlan | undefined): boolean {
  return plan?.kind === "scalar" && plan.property.type.name === "Edm.Guid" && plan.storage === "text";
}

/** Returns whether the cells of a column are bytes, which JSON cannot hold. */
export function holdsBytes({ property, storage }: ScalarPlan): boolean {
  return storage === "hex" || property.type.name === "Edm.Binary";
}

/** The option of one column, checked as far as the column alone allows. */
interface ColumnFacts {
  readonly name: string | undefined;
  /** The expression that replaces the column. */
  readonly sql: string | undefined;
  readonly storage: StorageForm | undefined;
  readonly columns: Readonly<Record<string, unknown>>;
  readonly convert: ReturnType<typeof readConversion>;
}

const OPTION_NAMES: readonly string[] = ["name", "sql", "storage", "convert", "columns"];

/**
 * Reads the option of a column.
 * @param path the keys of the property and of the complex properties around it, with dots
 */
function readColumnOption(
  given: unknown,
  path: string,
  property: StructuralProperty,
  report: ReportFault,
): ColumnFacts {
  const none: ColumnFacts = { name: undefined, sql: undefined, storage: undefined, columns: {}, convert: undefined };
  if (given === undefined) return none;
  if (typeof given === "string" && given !== "") return { ...none, name: given };
  if (!isObject(given)) {
    report(`\`columns.${path}\` is ${describe(given)}.`, "Give the name of the column, or { name, storage, columns }.");
    return none;
  }
  for (const name of Object.keys(given)) {
    if (OPTION_NAMES.includes(name)) continue;
    report(`\`columns.${path}\` has no option \`${name}\`.`, adviseName(name, OPTION_NAMES));
  }
  const { name, storage, columns, convert } = given;
  if (name !== undefined && (typeof name !== "string" || name === "")) {
    report(`\`columns.${path}.name\` is ${describe(name)}.`, "Give the name of a column.");
  }
  if (columns !== undefined && !isObject(columns)) {
    report(`\`columns.${path}.columns\` is ${describe(columns)}.`, "Give the columns of the members by their keys.");
  }
  const expression = readExpression(given, path, report);
  return {
    name: typeof name === "string" && name !== "" ? name : undefined,
    sql: expression,
    storage: readStorage(storage, `columns.${path}.storage`, property, report),
    columns: isObject(columns) ? columns : {},
    convert: readConversion(convert, `columns.${path}.convert`, report),
  };
}

function readExpression(
  { sql, name, columns }: Readonly<Record<string, unknown>>,
  path: string,
  report: ReportFault,
): string | undefined {
  if (sql === undefined) return undefined;
  if (typeof sql !== "string" || sql.trim() === "") {
    report(`\`columns.${path}.sql\` is ${describe(sql)}.`, 'Give an expression over the columns of the row: "a + b".');
    return undefined;
  }
  if (name === undefined && columns === undefined) return sql;
  const beside = name === undefined ? "columns" : "name";
  report(
    `\`columns.${path}\` has both \`sql\` and \`${beside}\`.`,
    "Keep `sql` for an expression, otherwise remove it.",
  );
  return undefined;
}
