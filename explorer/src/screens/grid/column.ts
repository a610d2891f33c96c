import { valueAt } from "../../format/csv.ts";
import { isNumeric } from "../../format/show-value.ts";
import { labelProperty } from "../../model/label-property.ts";
import type { Navigation, Property, PropertyType, StructuredType } from "../../model/model.ts";
import { type ApplyForm, type Total, readApply } from "../../query/apply-text.ts";
import { type ExpandNode, expandNode, readExpand, readSelect } from "../../query/expand-tree.ts";
import { operatorsFor } from "../../query/operators.ts";
import { type ResolvedPath, memberAt } from "../../query/resolve-type.ts";

/** A row of the service. */
export type Row = Readonly<Record<string, unknown>>;

/** What operators and fields need to know of a value. */
export type ValueShape = Pick<Property, "type" | "isCollection" | "isNullable">;

/** A column of the grid. */
export interface Column {
  readonly kind: "value" | "one" | "many";
  /** The path of `$orderby` and `$filter`; the name of a navigation. */
  readonly name: string;
  /** From a row to the value. */
  readonly path: readonly string[];
  /** Null if it is not known, such as of a computed property. */
  readonly shape: ValueShape | null;
  readonly description: string | null;
  readonly isSortable: boolean;
  readonly isFilterable: boolean;
  /** Whether it is the key, or a foreign key. */
  readonly isIdentifier: boolean;
  /** Of the kinds `one` and `many`, and of a foreign key. */
  readonly navigation: Navigation | null;
}

/** Without a choice of the reader, a grid shows so many columns at most. */
export const MOST_COLUMNS = 40;

/** Returns the type of the values of a column; null if it is not known. */
export function typeOf({ shape }: Column): PropertyType | null {
  return shape?.type ?? null;
}

/** Returns the value of a cell. The digits of a key are a name, and stay as they are. */
export function valueIn(row: Row, { path, isIdentifier }: Column): unknown {
  const value = valueAt(row, path);
  return isIdentifier && typeof value === "number" ? String(value) : value;
}

/** Returns the type that decides how a cell looks. */
export function shownType(column: Column): PropertyType | null {
  return column.isIdentifier ? null : typeOf(column);
}

/** Returns whether the values of a column are numbers, which tables align at the right. */
export function isRight({ shape }: Column): boolean {
  return shape !== null && !shape.isCollection && isNumeric(shape.type);
}

/** Returns the names of properties in the order of a grid: the key first. */
export function namesInOrder(type: StructuredType): readonly string[] {
  const key = type.key.map(({ name }) => name).filter((name) => type.properties.has(name));
  return [...key, ...[...type.properties.keys()].filter((name) => !key.includes(name))];
}

/** Returns the chosen properties; null without a choice. */
export function chosenNames(options: ReadonlyMap<string, string>): readonly string[] | null {
  const names = readSelect(options.get("$select") ?? "") ?? [];
  return names.length === 0 || names.includes("*") ? null : names;
}

/**
 * Returns the columns of a query.
 * @param sample rows of the answer, which show columns that the model does not have
 */
export function columnsOf(
  place: ResolvedPath,
  options: ReadonlyMap<string, string>,
  sample: readonly Row[],
): readonly Column[] {
  const apply = options.get("$apply") ?? "";
  if (apply !== "") return appliedColumns(place, readApply(apply), sample);
  const names = chosenNames(options) ?? namesInOrder(place.type).slice(0, MOST_COLUMNS);
  const values = names.flatMap((name) => valueColumn(place, name) ?? []);
  const expanded = (readExpand(options.get("$expand") ?? "") ?? []).flatMap(
    (node) => navigationColumn(place, node) ?? [],
  );
  return [...values, ...expanded, ...furtherColumns(place.type, values, sample)];
}

function valueColumn({ type, set }: ResolvedPath, name: string): Column | null {
  const property = memberAt(type, name)?.property ?? null;
  if (property === null) return null;
  const isComparable = type.kind === "entity" && operatorsFor(property).length > 0;
  const navigation = foreignNavigation(type, name);
  return {
    ...plainColumn(name, property),
    isIdentifier: navigation !== null || type.key.some((key) => key.name === name),
    description: property.description ?? property.label,
    isSortable: isComparable && (set?.abilities.sortable(name) ?? true),
    isFilterable: isComparable && (set?.abilities.filterable(name) ?? true),
    navigation,
  };
}

function plainColumn(name: string, shape: ValueShape | null, path: readonly string[] = name.split("/")): Column {
  const shared = { kind: "value", name, path, shape, description: null, navigation: null } as const;
  return { ...shared, isSortable: false, isFilterable: false, isIdentifier: false };
}

/** Returns the navigation whose only foreign key a property is; null without one. */
function foreignNavigation(type: StructuredType, name: string): Navigation | null {
  const isOf = ({ isCollection, constraints }: Navigation): boolean =>
    !isCollection && constraints.size === 1 && constraints.has(name);
  return [...type.navigations.values()].find(isOf) ?? null;
}

function navigationColumn({ type }: ResolvedPath, { path, suffix }: ExpandNode): Column | null {
  const navigation = type.navigations.get(path);
  if (navigation === undefined || suffix === "$ref") return null;
  if (navigation.isCollection) {
    return { ...plainColumn(path, number("Edm.Int64"), [`${path}@odata.count`]), kind: "many", navigation };
  }
  const label = labelProperty(navigation.target) ?? navigation.target.key[0] ?? null;
  return { ...plainColumn(path, label, [path, label?.name ?? ""]), kind: "one", navigation };
}

/** Computed properties, and those of open types. */
function furtherColumns(type: StructuredType, known: readonly Column[], sample: readonly Row[]): readonly Column[] {
  const names = new Set(known.map(({ name }) => name.split("/")[0] ?? name));
  const isNew = (name: string): boolean =>
    !names.has(name) && !type.properties.has(name) && !type.navigations.has(name) && !name.includes("@");
  const found = new Set(sample.flatMap((row) => Object.keys(row).filter(isNew)));
  return [...found].map((name) => plainColumn(name, null));
}

function appliedColumns(place: ResolvedPath, form: ApplyForm | null, sample: readonly Row[]): readonly Column[] {
  if (form === null) {
    const names = new Set(sample.flatMap((row) => Object.keys(row).filter((name) => !name.includes("@"))));
    return [...names].map((name) => comparedColumn(name, memberAt(place.type, name)?.property ?? null, [name]));
  }
  return [
    ...form.groupBy.map((path) => comparedColumn(path, memberAt(place.type, path)?.property ?? null)),
    ...form.totals.map((total) => comparedColumn(total.alias, shapeOf(place.type, total))),
  ];
}

function comparedColumn(name: string, shape: ValueShape | null, path?: readonly string[]): Column {
  const isComparable = shape !== null && operatorsFor(shape).length > 0;
  return { ...plainColumn(name, shape, path), isSortable: isComparable, isFilterable: isComparable };
}

function shapeOf(type: StructuredType, { method, path }: Total): ValueShape | null {
  if (path === null || method === "countdistinct") return number("Edm.Int64");
  const property = memberAt(type, path)?.property ?? null;
  if (method === "min" || method === "max") return property;
  const name = property?.type.kind === "primitive" ? property.type.name : "";
  if (name === "Edm.Double" || name === "Edm.Single") return number("Edm.Double");
  return number(name === "Edm.Decimal" || method === "average" ? "Edm.Decimal" : "Edm.Int64");
}

function number(name: string): ValueShape {
  return { type: { kind: "primitive", name }, isCollection: false, isNullable: true };
}

/** Returns what `$expand` reads for a cell: of one entity its key and its label, of several their number. */
export function cellNode({ name, isCollection, target }: Navigation): ExpandNode {
  if (isCollection) return expandNode(name, { options: new Map(Object.entries({ $count: "true", $top: "0" })) });
  const label = labelProperty(target)?.name;
  const key = target.key.map((property) => property.name);
  return expandNode(name, { select: [...new Set([...key, ...(label === undefined ? [] : [label])])] });
}
