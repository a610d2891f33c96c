import { valueAt } from "../../format/csv.ts";
import type { Navigation, StructuredType } from "../../model/model.ts";
import { readApply } from "../../query/apply-text.ts";
import { encodeSegment, keyPredicate, toLiteral } from "../../query/literals.ts";
import { type ResolvedPath, memberAt } from "../../query/resolve-type.ts";
import { type View, hrefOf, viewOf } from "../../state/view.ts";
import type { Column, Row } from "./column.ts";

/** The collection whose rows link to other views. */
export interface RowPlace extends ResolvedPath {
  /** The resource path of the collection. */
  readonly path: string;
}

/** Returns the path of the record of a row; null if the reader cannot read it by its key. */
export function recordPath({ type, set, path }: RowPlace, row: Row): string | null {
  const key = keyPredicate(type, row);
  if (key === null || set?.abilities.canReadByKey === false) return null;
  if (set !== null) return encodeSegment(set.name) + key;
  // The records of a function have a URL only if the model names their set.
  return /^[^/(]+\(|^[^/]+\/[^(]+$/u.test(path) && path.includes("/") ? path + key : null;
}

/** Returns the link of a cell: to the record of a row, to a related record, or to related rows; null without one. */
export function cellHref(place: RowPlace, column: Column, row: Row, isFirst: boolean): string | null {
  const own = recordPath(place, row);
  if (isFirst && own !== null) return hrefOf(viewOf("record", own));
  const { navigation } = column;
  if (navigation === null) return null;
  if (column.kind === "many") return manyHref(place, navigation, row, own);
  if (row[column.name] === null) return null;
  const related = relatedPath(place, navigation, row);
  if (related !== null) return hrefOf(viewOf("record", related));
  return own === null || column.kind === "value" ? null : hrefOf(viewOf("record", `${own}/${navigation.name}`));
}

/** The key is that of the expanded entity, or the foreign key of the row. */
function relatedPath({ set }: RowPlace, navigation: Navigation, row: Row): string | null {
  const target = set?.bindings.get(navigation.name);
  if (target === undefined) return null;
  const expanded = row[navigation.name];
  const entity = typeof expanded === "object" && expanded !== null ? (expanded as Row) : foreignKey(navigation, row);
  const key = keyPredicate(navigation.target, entity);
  return key === null ? null : encodeSegment(target) + key;
}

function foreignKey({ constraints }: Navigation, row: Row): Row {
  return Object.fromEntries(Array.from(constraints, ([own, theirs]) => [theirs, row[own]]));
}

function manyHref({ set }: RowPlace, navigation: Navigation, row: Row, own: string | null): string | null {
  const target = set?.bindings.get(navigation.name);
  const partner = navigation.target.navigations.get(navigation.partner ?? "");
  if (target !== undefined && partner !== undefined && !partner.isCollection && partner.constraints.size > 0) {
    // A set permits more options than a path along a navigation.
    const conditions = Array.from(partner.constraints, ([theirs, ours]) =>
      // Nothing refers to null, and rows without a reference would match it.
      equals(navigation.target, theirs, row[ours] ?? undefined),
    );
    if (conditions.every((each) => each !== null)) {
      return hrefOf(viewOf("grid", encodeSegment(target), [["$filter", conditions.join(" and ")]]));
    }
  }
  return own === null || set?.abilities.navigable(navigation.name) === false
    ? null
    : hrefOf(viewOf("grid", `${own}/${navigation.name}`));
}

/** Writes the condition that a property has a value; null for values without a literal. */
function equals(type: StructuredType, path: string, value: unknown): string | null {
  const property = memberAt(type, path)?.property;
  if (property === undefined || property.type.kind === "complex" || value === undefined) return null;
  return `${path} eq ${toLiteral(value, property.type)}`;
}

/** Returns the view of the rows of a group; null if the groups are not those of a form, or have no literals. */
export function groupHref({ type }: ResolvedPath, view: View, row: Row): string | null {
  const form = readApply(view.options.get("$apply") ?? "");
  if (form === null || form.groupBy.length === 0) return null;
  const conditions = form.groupBy.map((path) => equals(type, path, valueAt(row, path.split("/")) ?? null));
  if (conditions.some((each) => each === null)) return null;
  const filter = form.filter === "" ? [] : [/\bor\b/u.test(form.filter) ? `(${form.filter})` : form.filter];
  return hrefOf(viewOf("grid", view.path, [["$filter", [...filter, ...conditions].join(" and ")]]));
}
