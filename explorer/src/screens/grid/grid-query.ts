import { labelProperty } from "../../model/label-property.ts";
import type { Model } from "../../model/model.ts";
import { writeExpand } from "../../query/expand-tree.ts";
import { type ResolvedPath, resolvePath } from "../../query/resolve-type.ts";
import { pathSegments, resourceUrl, type View } from "../../state/view.ts";
import { MOST_COLUMNS, cellNode, chosenNames, columnsOf, namesInOrder } from "./column.ts";

/** The requests of a grid. */
export interface GridQuery {
  readonly place: ResolvedPath;
  readonly first: string;
  /** Without what the page adds to show labels; for services that refuse it. */
  readonly plain: string;
  /** Null where the set forbids `$skip`, or `$top` limits the rows. */
  readonly skipTo: ((row: number) => string) | null;
  /** Asks how many rows there are; null where the set forbids it. */
  readonly count: string | null;
  /** The rows that `$skip` leaves out. */
  readonly skipped: number;
}

/** Labels of foreign keys cost a lookup each. */
const MOST_LABELS = 5;

/** Returns the requests of a view; null for a path that leads to no collection of the model. */
export function gridQuery(model: Model, { path, options }: View): GridQuery | null {
  const place = resolvePath(model, path);
  if (place === null || !place.isCollection) return null;
  const asked = new Map([...options].filter(([name]) => name !== "$count" && name !== "$format"));
  const select = selectOf(place, options);
  if (select !== null) asked.set("$select", select);
  const plain = resourceUrl({ path, options: asked });
  const labels = labelsOf(place, path, options);
  if (labels !== "") asked.set("$expand", labels);
  const abilities = place.set?.abilities ?? null;
  const skipped = Number(options.get("$skip") ?? 0) || 0;
  const canSkip = (abilities?.canSkip ?? true) && !options.has("$top");
  const canCount = (abilities?.canCount ?? true) && !options.has("$top");
  return {
    place,
    plain,
    first: resourceUrl({ path, options: asked }),
    skipTo: canSkip
      ? (row) => resourceUrl({ path, options: new Map([...asked, ["$skip", String(skipped + row)]]) })
      : null,
    count: canCount && place.type.kind === "entity" ? countUrl(path, options) : null,
    skipped,
  };
}

function countUrl(path: string, options: ReadonlyMap<string, string>): string {
  // Filters may refer to aliases, which begin with @.
  const counted = [...options].filter(([name]) => /^(?:@|\$(?:filter|search|apply|compute)$)/u.test(name));
  return resourceUrl({ path, options: new Map([...counted, ["$count", "true"], ["$top", "0"]]) });
}

/** Links to records need the key. Null asks for all properties, and for what the reader wrote. */
function selectOf({ type, set }: ResolvedPath, options: ReadonlyMap<string, string>): string | null {
  if (options.has("$apply") || set?.abilities.canSelect === false || type.kind !== "entity") return null;
  const chosen = chosenNames(options) ?? (type.properties.size > MOST_COLUMNS ? shownNames(type) : null);
  if (chosen === null) return null;
  const key = type.key.map(({ name }) => name).filter((name) => !chosen.includes(name));
  return [...chosen, ...key].join(",");
}

function shownNames(type: ResolvedPath["type"]): readonly string[] {
  return namesInOrder(type).slice(0, MOST_COLUMNS);
}

/** Paths along navigations may forbid `$expand`, and so does the reader who wrote one. */
function labelsOf(place: ResolvedPath, path: string, options: ReadonlyMap<string, string>): string {
  const { set } = place;
  if (set === null || !set.abilities.canExpand || pathSegments(path).length > 1) return "";
  if (options.has("$expand") || options.has("$apply")) return "";
  const navigations = columnsOf(place, options, []).flatMap(({ navigation }) => navigation ?? []);
  const shown = navigations.filter(
    ({ name, target }) => set.abilities.expandable(name) && labelProperty(target) !== null,
  );
  return writeExpand(shown.slice(0, MOST_LABELS).map(cellNode));
}
