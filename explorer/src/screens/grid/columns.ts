import { valueAt } from "../../format/csv.ts";
import { isNumeric, showValue, typeOfValues } from "../../format/show-value.ts";
import { isMidnight, type Zone, zoneOf } from "../../format/zone.ts";
import { isIdentifier } from "../../model/identifier.ts";
import { labelProperties, labelText, type LabelProperties } from "../../model/label-properties.ts";
import type { Navigation, PropertyType, StructuredType } from "../../model/model.ts";
import { readApply, type Total } from "../../query/apply-text.ts";
import { type DateGroup, periodType } from "../../query/date-groups.ts";
import { type ExpandNode, expandNode, readExpand, readSelect } from "../../query/expand-tree.ts";
import { encodeSegment, keyPredicate, recordPath } from "../../query/literals.ts";
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
  /** The properties whose values label the entity that the value refers to; empty without one. */
  readonly label: LabelProperties;
  readonly type: PropertyType | null;
  /** Whether it is the key, or a foreign key, whose digits are a name. */
  readonly isIdentifier: boolean;
  /** Whether midnights are shown with their time: some instant of the column has another one. */
  readonly hasTime: Readonly<Record<Zone, boolean>>;
  readonly isSortable: boolean;
  readonly isFilterable: boolean;
  readonly description: string | null;
  /** The navigation that it shows, or whose foreign key it is. */
  readonly navigation: Navigation | null;
  readonly width: number;
}

/** Without a choice of the reader, a grid shows so many columns at most. */
const MOST_COLUMNS = 40;

/** Returns the label of the entity that a foreign key refers to; null without one. */
export function cellLabel(row: Row, { name, label, navigation }: Column): string | null {
  return navigation === null || navigation.name === name ? null : labelText(label, row[navigation.name]);
}

/** Returns the value of a cell; of a related entity its label. */
export function cellValue(row: Row, { name, path, isIdentifier, label, navigation }: Column): unknown {
  const related = navigation?.name === name ? labelText(label, row[name]) : null;
  const value = related ?? valueAt(row, path);
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
 * @param sample rows of the answer, which show columns that the model does not have, and lack what the service leaves out
 */
export function columnsOf(place: ResolvedPath, view: View, sample: readonly Row[]): readonly Column[] {
  const { type } = place;
  const found = [...new Set(sample.flatMap((row) => Object.keys(row)))].filter((name) => !name.includes("@"));
  const form = readApply(view.options.get("$apply") ?? "");
  const { dates = [], groupBy, totals } = form ?? { groupBy: found, totals: [] };
  const applied = [...dates, ...groupBy, ...totals];
  const relations = (readExpand(view.options.get("$expand") ?? "") ?? []).map(({ path }) => path);
  const isSent = (name: string): boolean => sample.length === 0 || found.includes(name.replace(/\/.*/u, ""));
  // `$select` names a relation, too, to show it before a property.
  const asked = new Set([...shownNames(type, view.options.get("$select")).filter(isSent), ...relations]);
  const isKnown = (name: string): boolean => memberAt(type, name) !== null;
  const names = [...[...asked].filter(isKnown), ...found.filter((name) => !isKnown(name))];
  // So many rows say how wide a column is.
  const rows = sample.slice(0, 60);
  return view.options.has("$apply")
    ? applied.map((each) => appliedColumn(place, each, rows))
    : names.map((name) => columnOf(place, name, rows));
}

/** A period is shown by its name, and the least and the greatest value as the property. */
function appliedColumn(place: ResolvedPath, made: string | DateGroup | Total, sample: readonly Row[]): Column {
  // The labels of groups are columns of their own.
  if (typeof made === "string") return { ...columnOf(place, made, sample), label: [] };
  if ("unit" in made) return columnOf(place, made.alias, sample, periodType(place.type, made));
  const type = memberAt(place.type, made.path ?? "")?.property?.type ?? null;
  return columnOf(place, made.alias, sample, /^m(?:in|ax)$/u.test(made.method) ? type : null);
}

function columnOf(
  { type, set }: ResolvedPath,
  name: string,
  sample: readonly Row[],
  madeType: PropertyType | null = null,
): Column {
  const navigation = [...type.navigations.values()].find(
    (each) => each.name === name || (!each.isCollection && each.constraints.size === 1 && each.constraints.has(name)),
  );
  const label = navigation === undefined || navigation.isCollection ? [] : labelProperties(navigation.target);
  const related = label[0] ?? navigation?.target.key[0];
  const isRelation = navigation?.name === name;
  const isOne = isRelation && !navigation.isCollection;
  const property = isOne ? related : memberAt(type, name)?.property;
  const isComparable = type.kind === "entity" && property !== undefined && operatorsFor(property).length > 0;
  const counted = `${name}@odata.count`;
  const own = sample.some((row) => counted in row) ? [counted] : name.split("/");
  const path = isOne ? [name, related?.name ?? ""] : own;
  const values = sample.map((row) => valueAt(row, path));
  const shownType = property?.type ?? madeType ?? typeOfValues(values);
  const hasTime = (chosen: Zone): boolean => {
    const zone = zoneOf(shownType, chosen);
    return zone !== null && values.some((value) => typeof value === "string" && !isMidnight(value, zone));
  };
  const column = {
    name,
    path,
    label,
    type: shownType,
    isIdentifier: !isRelation && isIdentifier(type, name) && shownType !== null && isNumeric(shownType),
    hasTime: { UTC: hasTime("UTC"), local: hasTime("local") },
    isSortable: !isRelation && (isComparable || property === undefined) && (set?.abilities.sortable(name) ?? true),
    isFilterable: !isRelation && isComparable && (set?.abilities.filterable(name) ?? true),
    description: property?.description ?? property?.label ?? null,
    navigation: navigation ?? null,
  };
  // Identifiers are as wide as their text. The title has room for its pictures.
  const isLabelled = !isRelation && label.length > 0;
  const isNarrow = !isRelation && !isLabelled && isIdentifier(type, name) && zoneOf(shownType, "UTC") === null;
  const room = isLabelled ? 18 : 4 - Number(isNarrow);
  const shown = { zone: "local", hasTime: column.hasTime.UTC || column.hasTime.local } as const;
  const digits = column.isIdentifier ? null : column.type;
  const lengths = values.map((value) => showValue(value, digits, undefined, shown).text.length + room);
  return { ...column, width: Math.min(Math.max(name.length + (isNarrow ? 6 : 10), ...lengths), 42) };
}

/** Returns the options of `$expand` for a cell: they read the key and the label of one entity, or the number of several. */
export function cellNode({ name, isCollection, target }: Navigation): ExpandNode {
  if (isCollection) return expandNode(name, { options: new Map(Object.entries({ $count: "true", $top: "0" })) });
  const names = [...target.key, ...labelProperties(target)].map((property) => property.name);
  return expandNode(name, { select: [...new Set(names)] });
}

/** Returns the link of a cell: to the record of a row, to a related record, or to related rows; null without one. */
export function cellHref(place: ResolvedPath, { name, navigation }: Column, row: Row, isFirst: boolean): string | null {
  const own = recordPath(place.set, row);
  if (isFirst && own !== null) return hrefOf(viewOf("record", own));
  if (navigation === null || row[name] === null) return null;
  const related = navigation.isCollection ? null : relatedPath(place, navigation, row);
  if (related !== null) return hrefOf(viewOf("record", related));
  // A foreign key leads to the set that it refers to, or nowhere.
  if (own === null || name !== navigation.name || place.set?.abilities.navigable(name) === false) return null;
  return hrefOf(viewOf(navigation.isCollection ? "grid" : "record", `${own}/${name}`));
}

/** The key is that of the expanded entity, or the foreign key of the row. */
function relatedPath({ set }: ResolvedPath, { name, target, constraints }: Navigation, row: Row): string | null {
  const foreign = Array.from(constraints, ([own, theirs]) => [theirs, row[own]] as const);
  const expanded = (row[name] ?? {}) as Row;
  const key = keyPredicate(target, { ...Object.fromEntries(foreign), ...expanded });
  const related = set?.bindings.get(name);
  return related === undefined || key === null ? null : encodeSegment(related) + key;
}
