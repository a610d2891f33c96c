import { valueAt } from "../../format/csv.ts";
import { showValue } from "../../format/show-value.ts";
import { labelProperty } from "../../model/label-property.ts";
import type { Navigation, PropertyType, StructuredType } from "../../model/model.ts";
import { readApply } from "../../query/apply-text.ts";
import { type ExpandNode, expandNode, readExpand, readSelect } from "../../query/expand-tree.ts";
import { encodeSegment, keyPredicate } from "../../query/literals.ts";
import { operatorsFor } from "../../query/operators.ts";
import { memberAt, type ResolvedPath } from "../../query/resolve-type.ts";
import { hrefOf, type View, viewOf } from "../../state/view.ts";

/** A row of the service. */
export type Row = Readonly<Record<string, unknown>>;

/** A column of the grid. */
export interface Column {
  /** The path of `$orderby` and `$filter`; the name of an expanded navigation. */
  readonly name: string;
  /** From a row to the value. */
  readonly path: readonly string[];
  /** From a row to the label of the entity that the value refers to; empty without one. */
  readonly label: readonly string[];
  /** Null if it is not known, and for collections. */
  readonly type: PropertyType | null;
  /** Whether it is the key, or a foreign key, whose digits are a name. */
  readonly isIdentifier: boolean;
  readonly isSortable: boolean;
  readonly isFilterable: boolean;
  readonly description: string | null;
  /** The navigation that it shows, or whose foreign key it is. */
  readonly navigation: Navigation | null;
  /** In characters. */
  readonly width: number;
}

const COUNT: PropertyType = Object.freeze({ kind: "primitive", name: "Edm.Int64" });
/** Without a choice of the reader, a grid shows so many columns at most. */
const MOST_COLUMNS = 40;

/** Returns whether a value is a row. */
export function isRow(value: unknown): value is Row {
  return typeof value === "object" && value !== null;
}

/** Returns the value of a cell. */
export function cellValue(row: Row, { path, isIdentifier }: Column): unknown {
  const value = valueAt(row, path);
  return isIdentifier && typeof value === "number" ? String(value) : value;
}

/** Returns the properties that a query shows, the key first: the chosen ones, otherwise the first of the type. */
export function shownNames({ key, properties }: StructuredType, select = ""): readonly string[] {
  const chosen = readSelect(select) ?? [];
  if (chosen.length > 0 && !chosen.includes("*")) return chosen;
  const names = new Set([...key.map(({ name }) => name), ...properties.keys()]);
  return [...names].slice(0, chosen.includes("*") ? Infinity : MOST_COLUMNS);
}

/**
 * Returns the columns of a query.
 * @param sample rows of the answer, which show columns that the model does not have
 */
export function columnsOf(place: ResolvedPath, { options }: View, sample: readonly Row[]): readonly Column[] {
  const { type } = place;
  const found = [...new Set(sample.flatMap((row) => Object.keys(row)))].filter((name) => !name.includes("@"));
  const form = readApply(options.get("$apply") ?? "");
  const applied = form === null ? found : [...form.groupBy, ...form.totals.map(({ alias }) => alias)];
  const names = options.has("$apply") ? [] : shownNames(type, options.get("$select"));
  const known = new Set([
    ...names.map((name) => name.split("/")[0]),
    ...type.properties.keys(),
    ...type.navigations.keys(),
  ]);
  const further = options.has("$apply") ? applied : found.filter((name) => !known.has(name));
  return [
    ...names.flatMap((name) => valueColumn(place, name) ?? []),
    ...(readExpand(options.get("$expand") ?? "") ?? []).flatMap((node) => navigationColumn(type, node) ?? []),
    ...further.map((name) => foundColumn(type, name, sample)),
  ].map((column) => ({ ...column, width: widthOf(column, sample) }));
}

const SAMPLE = 60;

/** Returns the width of a column in characters, after its title with its pictures, and the first values. */
function widthOf(column: Column, sample: readonly Row[]): number {
  const texts = sample.slice(0, SAMPLE).map((row) => showValue(cellValue(row, column), column.type).text);
  const lengths = texts.map(({ length }) => length + (column.label.length === 0 ? 4 : 18));
  return Math.min(Math.max(column.name.length + 10, ...lengths), 42);
}

/** Makes a column that does nothing but show its values. */
function plainColumn(
  name: string,
  path: readonly string[],
  type: PropertyType | null,
  navigation: Navigation | null = null,
): Column {
  const nothing = {
    isIdentifier: false,
    isSortable: false,
    isFilterable: false,
    description: null,
    label: [],
    width: 0,
  };
  return { name, path, type, navigation, ...nothing };
}

function valueColumn({ type, set }: ResolvedPath, name: string): Column | null {
  const property = memberAt(type, name)?.property;
  if (property === undefined) return null;
  const isComparable = type.kind === "entity" && operatorsFor(property).length > 0;
  const navigation = [...type.navigations.values()].find(
    ({ isCollection, constraints }) => !isCollection && constraints.size === 1 && constraints.has(name),
  );
  return {
    ...plainColumn(name, name.split("/"), property.isCollection ? null : property.type, navigation),
    isIdentifier: navigation !== undefined || type.key.some((key) => key.name === name),
    isSortable: isComparable && (set?.abilities.sortable(name) ?? true),
    isFilterable: isComparable && (set?.abilities.filterable(name) ?? true),
    description: property.description ?? property.label,
    label: navigation === undefined ? [] : [navigation.name, labelProperty(navigation.target)?.name ?? ""],
  };
}

const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?$/u;

/** The numbers of columns that the model does not have arrive as text, so that they are exact. */
function foundColumn(type: StructuredType, name: string, sample: readonly Row[]): Column {
  const path = name.split("/");
  const values = sample.map((row) => valueAt(row, path) ?? null).filter((value) => value !== null);
  const texts = values.map((value) => (typeof value === "string" ? value : JSON.stringify(value)));
  const isNumber = texts.length > 0 && texts.every((text) => NUMBER.test(text));
  const number = isNumber ? ({ kind: "primitive", name: "Edm.Decimal" } as const) : null;
  return { ...plainColumn(name, path, memberAt(type, name)?.property?.type ?? number), isSortable: true };
}

/** Shows of one entity its label, of several their number. */
function navigationColumn({ navigations }: StructuredType, { path: name, suffix, options }: ExpandNode): Column | null {
  const navigation = navigations.get(name);
  if (navigation === undefined || suffix === "$ref") return null;
  if (navigation.isCollection) {
    const isCounted = suffix === "$count" || options.get("$count") === "true";
    return plainColumn(name, [isCounted ? `${name}@odata.count` : name], COUNT, navigation);
  }
  const label = labelProperty(navigation.target) ?? navigation.target.key[0];
  return plainColumn(name, [name, label?.name ?? ""], label?.type ?? null, navigation);
}

/** Returns what `$expand` reads for a cell: of one entity its key and its label, of several their number. */
export function cellNode({ name, isCollection, target }: Navigation): ExpandNode {
  if (isCollection) return expandNode(name, { options: new Map(Object.entries({ $count: "true", $top: "0" })) });
  const names = [...target.key, labelProperty(target) ?? []].flat().map((property) => property.name);
  return expandNode(name, { select: [...new Set(names)] });
}

/** Returns the path of the record of a row; null if the reader cannot read it by its key. */
export function recordPath({ type, set }: ResolvedPath, path: string, row: Row): string | null {
  const key = keyPredicate(type, row);
  if (key === null || set?.abilities.canReadByKey === false) return null;
  if (set !== null) return encodeSegment(set.name) + key;
  // The records of a function have a URL only if the model names their set.
  return /\/[^/()]+$/u.test(path) ? path + key : null;
}

/** Returns the link of a cell: to the record of a row, to a related record, or to related rows; null without one. */
export function cellHref(place: ResolvedPath, path: string, column: Column, row: Row, isFirst: boolean): string | null {
  const { name, navigation } = column;
  const own = recordPath(place, path, row);
  if (isFirst && own !== null) return hrefOf(viewOf("record", own));
  if (navigation === null || row[name] === null) return null;
  const related = navigation.isCollection ? null : relatedPath(place, navigation, row);
  if (related !== null) return hrefOf(viewOf("record", related));
  // A foreign key needs the set that it refers to.
  if (own === null || name !== navigation.name || place.set?.abilities.navigable(name) === false) return null;
  return hrefOf(viewOf(navigation.isCollection ? "grid" : "record", `${own}/${name}`));
}

/** The key is that of the expanded entity, or the foreign key of the row. */
function relatedPath({ set }: ResolvedPath, { name, target, constraints }: Navigation, row: Row): string | null {
  const [related, expanded] = [set?.bindings.get(name), row[name]];
  const foreign = Object.fromEntries(Array.from(constraints, ([own, theirs]) => [theirs, row[own]]));
  const key = keyPredicate(target, { ...foreign, ...(isRow(expanded) ? expanded : {}) });
  return related === undefined || key === null ? null : encodeSegment(related) + key;
}
