import { readExpand, writeExpand, writeSelect } from "../../query/expand-tree.ts";
import type { ResolvedPath } from "../../query/resolve-type.ts";
import { type View, withOptions } from "../../state/view.ts";
import { type Column, shownNames } from "./columns.ts";

/** Returns the nearest width that a column can have, in digits. */
export function columnWidth(width: number): number {
  return Math.max(4, Math.min(Math.round(width), 120));
}

/** Groups, and sets without `$select`, have their order in an option of the page. There, a hidden column has a minus. */
function isListed({ set }: ResolvedPath, options: View["options"]): boolean {
  return options.has("$apply") || set?.abilities.canSelect === false;
}

function listOf(options: View["options"], name: string): readonly string[] {
  return options.get(name)?.split(",") ?? [];
}

/** Returns columns with the order and the widths that a reader chose. A choice that does not fit them has no effect. */
export function arranged(place: ResolvedPath, columns: readonly Column[], options: View["options"]): readonly Column[] {
  const widths = new Map(listOf(options, "widths").map((each) => [each.split(":")[0], each.split(":")[1]]));
  const list = isListed(place, options) ? listOf(options, "columns") : shownNames(place.type, options.get("$select"));
  const rank = ({ name }: Column): number => (list.includes(name) ? list.indexOf(name) : list.length);
  const shown = columns.filter(({ name }) => !list.includes(`-${name}`));
  return (shown.length === 0 ? columns : shown)
    .toSorted((one, other) => rank(one) - rank(other))
    .map((column) => ({ ...column, width: columnWidth(Number(widths.get(column.name)) || column.width) }));
}

/** Returns a view whose column has a width; null gives up the chosen one. */
export function withWidth(view: View, name: string, width: number | null): View {
  const others = listOf(view.options, "widths").filter((each) => !each.startsWith(`${name}:`));
  return withOptions(view, { widths: [...others, ...(width === null ? [] : [`${name}:${width}`])].join(",") || null });
}

/** Returns how many columns are frozen: by default the first one. */
export function frozenOf({ options }: View): number {
  return Math.max(0, Math.trunc(Number(options.get("frozen") ?? 1)) || 0);
}

/** Returns a view that shows columns in an order, and hides one. Its first row stays. */
export function withColumns(place: ResolvedPath, view: View, names: readonly string[], hidden = ""): View {
  if (isListed(place, view.options)) {
    const before = listOf(view.options, "columns").filter((name) => name.startsWith("-"));
    const columns = [...names, ...before, ...(hidden === "" ? [] : [`-${hidden}`])];
    return withOptions(view, { columns: columns.join(","), draft: null });
  }
  const nodes = readExpand(view.options.get("$expand") ?? "") ?? [];
  const relations = nodes.flatMap(({ path }) => (path === hidden ? [] : path));
  const own = names.filter((name) => !relations.includes(name));
  // Relations follow the properties: only another order names them.
  const isUsual = own.length > 0 && [...own, ...relations].join(",") === names.join(",");
  const select = writeSelect(isUsual ? own : names);
  const next = withOptions(view, {
    $select: select === writeSelect(shownNames(place.type)) ? null : select,
    draft: null,
  });
  if (relations.length === nodes.length) return next;
  return withOptions(next, { $expand: writeExpand(nodes.filter(({ path }) => path !== hidden)) || null });
}
