import { labelProperties } from "../../model/label-properties.ts";
import type { Model } from "../../model/model.ts";
import { writeExpand } from "../../query/expand-tree.ts";
import { limitsOf, stepsOf } from "../../query/limits.ts";
import { type ResolvedPath, resolvePath } from "../../query/resolve-type.ts";
import { resourceUrl, type View, viewOf } from "../../state/view.ts";
import { cellNode, columnsOf, shownNames } from "./columns.ts";

/** The requests of a grid. */
export interface GridQuery {
  readonly place: ResolvedPath;
  readonly first: string;
  /** The target of the rows from a number on; null where the set forbids `$skip`, or `$top` limits the rows. */
  readonly skipTo: ((row: number) => string) | null;
  /** The same where `$top` limits the rows, too. */
  readonly goOn: ((row: number) => string) | null;
  /** Asks how many rows there are; null where the set forbids it. */
  readonly count: string | null;
  /** The rows that `$skip` leaves out. */
  readonly skipped: number;
  /** Returns the target of one row by the path of its record. */
  readonly rowAt: (path: string) => string;
}

/** The model, and whether paths along navigations accept `$expand`. */
type GridService = Readonly<{ model: Model; about: { readonly expandsPaths?: boolean } }>;

/** Filters may refer to aliases, which begin with @. */
const COUNTED = /^(?:@|\$(?:filter|search|apply|compute)$)/u;
/** Labels of foreign keys cost a lookup each. */
const MOST_LABELS = 5;

/**
 * Returns the requests of a view; null for a path that leads to no collection of the model.
 * @param withLabels whether they read the labels of foreign keys, too: not everywhere paths along navigations accept `$expand`
 */
export function gridQuery({ model, about }: GridService, view: View, withLabels = true): GridQuery | null {
  const { path, options } = view;
  const place = resolvePath(model, path);
  if (place === null || !place.isCollection || path.endsWith("/$count")) return null;
  const { canSkip = true, canCount = true } = place.set?.abilities ?? {};
  const rows = new Map([...options].filter(([name]) => name !== "$count" && name !== "$format"));
  const select = selectOf(place, view);
  if (select !== null) rows.set("$select", select);
  const isLabelled = withLabels && (about.expandsPaths === true || place.set?.name === path);
  if (isLabelled) rows.set("$expand", options.get("$expand") ?? labelsOf(place, view));
  const skipped = Number(options.get("$skip") ?? 0) || 0;
  const top = Number(options.get("$top") ?? Number.NaN);
  const skip = (row: number): string => {
    const rest = Number.isNaN(top) ? [] : [["$top", `${Math.max(0, top - row)}`] as const];
    return resourceUrl({ path, options: new Map([...rows, ["$skip", `${skipped + row}`], ...rest]) });
  };
  const counted = [...options].filter(([name]) => COUNTED.test(name));
  const count = resourceUrl({ path, options: new Map([...counted, ["$count", "true"], ["$top", "0"]]) });
  const isWhole = !options.has("$top");
  return {
    place,
    first: resourceUrl({ path, options: rows }),
    skipTo: canSkip && isWhole ? skip : null,
    goOn: canSkip ? skip : null,
    count: canCount && isWhole && place.type.kind === "entity" ? count : null,
    skipped,
    rowAt: (record) => {
      const shape = [...rows].filter(([name]) => /^(?:@|\$(?:select|expand|compute)$)/u.test(name));
      return resourceUrl({ path: record, options: new Map(shape) });
    },
  };
}

/** Links to records need the key. Null requests all properties, and keeps the text of the reader. */
function selectOf({ type, set }: ResolvedPath, { options }: View): string | null {
  if (options.has("$apply") || set?.abilities.canSelect === false || type.kind !== "entity") return null;
  const shown = shownNames(type, options.get("$select"));
  const key = type.key.map(({ name }) => name).filter((name) => !shown.includes(name));
  return shown.length === type.properties.size && key.length === 0 ? null : [...shown, ...key].join(",");
}

function labelsOf(place: ResolvedPath, view: View): string {
  const abilities = place.set?.abilities;
  if (abilities?.canExpand !== true || view.options.has("$apply")) return "";
  const labelled = columnsOf(place, view, [])
    .flatMap(({ navigation }) => navigation ?? [])
    .filter(({ name, target }) => abilities.expandable(name) && labelProperties(target).length > 0);
  return writeExpand(labelled.slice(0, MOST_LABELS).map(cellNode));
}

/**
 * Returns a view with other options, from its first row on. Aliases that no option names any more go, and a draft of Query.
 * The order, widths and frozen columns stay until groups begin or end.
 */
export function changedView({ screen, path, options }: View, next: Iterable<readonly [string, string]>): View {
  const stated = [...regrouped(options, new Map(next))].filter(
    ([name, text]) => !["row", "draft"].includes(name) && text !== "",
  );
  const named = new Set(stated.flatMap(([, text]) => text.match(/@[\p{L}_][\p{L}\p{N}_]*/gu) ?? []));
  const used = stated.filter(([name]) => !name.startsWith("@") || named.has(name));
  return viewOf(screen, path, used);
}

/** Options that belong to the columns, with or without groups. */
const OF_COLUMNS = /^(?:\$|(?:columns|widths|frozen)$)/u;

/**
 * Where groups begin or end, unchanged options are removed. Limits of the rows become a part of `$apply`, and
 * options again afterwards.
 */
function regrouped(before: View["options"], next: View["options"]): View["options"] {
  const [old, apply] = [before.get("$apply") ?? "", next.get("$apply") ?? ""];
  if ((old === "") === (apply === "")) return next;
  const changed = [...next].filter(([name, text]) => !OF_COLUMNS.test(name) || text !== before.get(name));
  if (apply === "") {
    const { search, filter } = limitsOf(before);
    return new Map([["$search", search], ["$filter", filter], ...changed]);
  }
  const steps = stepsOf({ search: next.get("$search") ?? "", filter: next.get("$filter") ?? "" });
  return new Map([...changed, ["$apply", [...steps, apply].join("/")], ["$search", ""], ["$filter", ""]]);
}
