import { keptPer } from "../base/memo.ts";
import type { ExpandedNavigation, OrderByItem } from "./clauses.ts";
import type { NavigationExpression, PropertyExpression } from "./expression.ts";

/**
 * Returns the query options, apart from `$skip`, with which the navigation route of an expansion continues its list. They
 * are percent-encoded, each with a leading ampersand.
 * @returns null if the route cannot continue the expansion: it supports neither `$filter`, `$search` nor `$expand`
 * @see docs/reference/navigation.md
 */
export const continuationOptions: (expansion: ExpandedNavigation) => string | null = keptPer(writeOptions);

function writeOptions({ form, filter, search, orderBy, selectExpand }: ExpandedNavigation): string | null {
  if (form !== "entities" || filter !== null || search !== null || selectExpand.expanded.length > 0) return null;
  const terms = orderBy.map(writeTerm);
  if (terms.includes(null)) return null;
  const select = selectExpand.contextSelect.map(encodePath).join(",");
  return `${terms.length === 0 ? "" : `&$orderby=${terms.join(",")}`}${select === "" ? "" : `&$select=${select}`}`;
}

/** Writes `Name`, `Owner/Name` or `Name desc`; null for any other expression than a path. */
function writeTerm({ expression, descending }: OrderByItem): string | null {
  if (expression.kind !== "property") return null;
  const path = pathOf(expression);
  return path === null ? null : `${encodePath(path)}${descending ? "%20desc" : ""}`;
}

/** Returns the names of a path that begins with the entity itself. */
function pathOf(path: PropertyExpression | NavigationExpression): string | null {
  const { source } = path;
  const { name } = path.kind === "property" ? path.property : path.navigationProperty;
  if (source.kind === "it") return name;
  if (source.kind !== "property" && source.kind !== "navigation") return null;
  const before = pathOf(source);
  return before === null ? null : `${before}/${name}`;
}

function encodePath(path: string): string {
  return path.split("/").map(encodeURIComponent).join("/");
}
