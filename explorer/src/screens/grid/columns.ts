import { valueAt } from "../../format/csv.ts";
import { labelProperty } from "../../model/label-property.ts";
import type { Navigation, PropertyType, StructuredType } from "../../model/model.ts";
import { readApply } from "../../query/apply-text.ts";
import { type ExpandNode, expandNode, readExpand, readSelect } from "../../query/expand-tree.ts";
import { encodeSegment, keyPredicate } from "../../query/literals.ts";
import { operatorsFor } from "../../query/operators.ts";
import { memberAt, type ResolvedPath } from "../../query/resolve-type.ts";
import { hrefOf, viewOf } from "../../state/view.ts";

/** A row of the service. */
export type Row = Readonly<Record<string, unknown>>;

/** A column of the grid. */
export interface Column {
  /** The path of `$orderby` and `$filter`; the name of an expanded navigation. */
  readonly name: string;
  /** From a row to the value. */
  readonly path: readonly string[];
  /** Null if it is not known, and for collections. */
  readonly type: PropertyType | null;
  /** Whether it is the key, or a foreign key, whose digits are a name. */
  readonly isIdentifier: boolean;
  readonly isSortable: boolean;
  readonly isFilterable: boolean;
  readonly description: string | null;
  /** The navigation that it shows, or whose foreign key it is. */
  readonly navigation: Navigation | null;
}

const PLAIN = { isIdentifier: false, isSortable: false, isFilterable: false, description: null, navigation: null };

/** Without a choice of the reader, a grid shows so many columns at most. */
const MOST_COLUMNS = 40;

/** Returns whether a value is a row. */
export function isRow(value: unknown): value is Row {
  return typeof value === "object" && value !== null;
}

/** Returns the value of a cell, and the type that decides how it looks. */
export function cellValue(row: Row, { path, type, isIdentifier }: Column): readonly [unknown, PropertyType | null] {
  const value = valueAt(row, path);
  if (!isIdentifier) return [value, type];
  return [typeof value === "number" ? String(value) : value, null];
}

/** Returns the properties that a query shows, the key first: the chosen ones, otherwise the first of the type. */
export function shownNames({ key, properties }: StructuredType, select: string | undefined): readonly string[] {
  const chosen = readSelect(select ?? "") ?? [];
  if (chosen.length > 0 && !chosen.includes("*")) return chosen;
  const names = new Set([...key.map(({ name }) => name), ...properties.keys()]);
  return [...names].slice(0, chosen.includes("*") ? Infinity : MOST_COLUMNS);
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
  const { type } = place;
  const found = [...new Set(sample.flatMap((row) => Object.keys(row)))].filter((name) => !name.includes("@"));
  if (options.has("$apply")) {
    const form = readApply(options.get("$apply") ?? "");
    const names = form === null ? found : [...form.groupBy, ...form.totals.map(({ alias }) => alias)];
    return names.map((name) => ({ ...foundColumn(type, name, sample), isSortable: true }));
  }
  const values = shownNames(type, options.get("$select")).flatMap((name) => valueColumn(place, name) ?? []);
  const nodes = readExpand(options.get("$expand") ?? "") ?? [];
  const known = new Set([...values.map(({ path }) => path[0]), ...type.properties.keys(), ...type.navigations.keys()]);
  return [
    ...values,
    ...nodes.flatMap((node) => navigationColumn(type, node) ?? []),
    ...found.filter((name) => !known.has(name)).map((name) => foundColumn(type, name, sample)),
  ];
}

function valueColumn({ type, set }: ResolvedPath, name: string): Column | null {
  const property = memberAt(type, name)?.property;
  if (property === undefined) return null;
  const isComparable = type.kind === "entity" && operatorsFor(property).length > 0;
  const navigation = [...type.navigations.values()].find(
    ({ isCollection, constraints }) => !isCollection && constraints.size === 1 && constraints.has(name),
  );
  return {
    name,
    path: name.split("/"),
    type: property.isCollection ? null : property.type,
    isIdentifier: navigation !== undefined || type.key.some((key) => key.name === name),
    isSortable: isComparable && (set?.abilities.sortable(name) ?? true),
    isFilterable: isComparable && (set?.abilities.filterable(name) ?? true),
    description: property.description ?? property.label,
    navigation: navigation ?? null,
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
  return { ...PLAIN, name, path, type: memberAt(type, name)?.property?.type ?? number };
}

/** Shows of one entity its label, of several their number, or how many the answer has. */
function navigationColumn({ navigations }: StructuredType, { path: name, suffix, options }: ExpandNode): Column | null {
  const navigation = navigations.get(name);
  if (navigation === undefined || suffix === "$ref") return null;
  const shared = { ...PLAIN, name, navigation };
  if (navigation.isCollection) {
    const isCounted = suffix === "$count" || options.get("$count") === "true";
    return {
      ...shared,
      path: [isCounted ? `${name}@odata.count` : name],
      type: { kind: "primitive", name: "Edm.Int64" },
    };
  }
  const label = labelProperty(navigation.target) ?? navigation.target.key[0];
  return { ...shared, path: [name, label?.name ?? ""], type: label?.type ?? null };
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
  const own = recordPath(place, path, row);
  if (isFirst && own !== null) return hrefOf(viewOf("record", own));
  const { name, navigation } = column;
  if (navigation === null || row[name] === null) return null;
  const related = navigation.isCollection ? null : relatedPath(place, navigation, row);
  if (related !== null) return hrefOf(viewOf("record", related));
  const isReadable = name === navigation.name && place.set?.abilities.navigable(name) !== false;
  return own === null || !isReadable
    ? null
    : hrefOf(viewOf(navigation.isCollection ? "grid" : "record", `${own}/${name}`));
}

/** The key is that of the expanded entity, or the foreign key of the row. */
function relatedPath({ set }: ResolvedPath, { name, target, constraints }: Navigation, row: Row): string | null {
  const related = set?.bindings.get(name);
  const expanded = row[name];
  const foreign = Object.fromEntries(Array.from(constraints, ([own, theirs]) => [theirs, row[own]]));
  const key = keyPredicate(target, { ...foreign, ...(isRow(expanded) ? expanded : {}) });
  return related === undefined || key === null ? null : encodeSegment(related) + key;
}
