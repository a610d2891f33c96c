import type { EntitySet, StructuredType } from "../../model/model.ts";
import {
  type ApplyForm,
  NO_GROUPS,
  type Total,
  type TotalMethod,
  aliasOf,
  readApply,
  writeApply,
} from "../../query/apply-text.ts";
import { operatorsFor } from "../../query/operators.ts";
import { type View, withOptions } from "../../state/view.ts";

const METHODS: Readonly<Record<Exclude<TotalMethod, "count">, string>> = {
  sum: "Sum of",
  average: "Average of",
  min: "Least",
  max: "Greatest",
  countdistinct: "Different values of",
};

/** A total that a set permits. */
export interface TotalChoice {
  readonly method: TotalMethod;
  readonly path: string | null;
  readonly label: string;
}

/** Returns the paths of a set that make groups: properties, those in complex values, and those of related entities. */
export function groupablePaths({ type, abilities }: EntitySet): readonly string[] {
  return pathsOf(type).filter(abilities.groupable);
}

/** Returns the totals that a set permits, the number of rows first. */
export function totalChoices({ type, abilities }: EntitySet): readonly TotalChoice[] {
  const ofPaths = pathsOf(type).flatMap((path) =>
    abilities
      .methodsOf(path)
      .flatMap((method) => (isMethod(method) ? [{ method, path, label: `${METHODS[method]} ${path}` }] : [])),
  );
  return [{ method: "count", path: null, label: "Number of rows" }, ...ofPaths];
}

function isMethod(method: string): method is keyof typeof METHODS {
  return Object.hasOwn(METHODS, method);
}

/** Of complex values and related entities, the members one level below. */
function pathsOf(type: StructuredType, prefix = ""): readonly string[] {
  const properties = [...type.properties.values()].filter(({ isCollection }) => !isCollection);
  const own = properties.flatMap((property) => {
    if (property.type.kind !== "complex") return operatorsFor(property).length === 0 ? [] : [prefix + property.name];
    return prefix === "" ? pathsOf(property.type.type, `${property.name}/`) : [];
  });
  const navigations = prefix === "" ? [...type.navigations.values()].filter(({ isCollection }) => !isCollection) : [];
  return [...own, ...navigations.flatMap(({ name, target }) => pathsOf(target, `${name}/`))];
}

/** Returns the groups of a view; those of the view without groups have its filter. */
export function formOf(view: View): ApplyForm {
  const apply = view.options.get("$apply") ?? "";
  if (apply !== "") return readApply(apply) ?? NO_GROUPS;
  return { ...NO_GROUPS, filter: view.options.get("$filter") ?? "" };
}

/** Gives a total a name that no other column has. */
export function namedTotal(
  { method, path }: Omit<TotalChoice, "label">,
  { groupBy, totals }: ApplyForm,
  type: StructuredType,
): Total {
  const taken = [
    ...groupBy,
    ...totals.map(({ alias }) => alias),
    ...type.properties.keys(),
    ...type.navigations.keys(),
  ];
  return { method, path, alias: aliasOf(method, path, taken) };
}

const NO_ROW_OPTIONS = { $orderby: null, $expand: null, $select: null, $search: null, $compute: null, row: null };

/** Returns the view of groups. The filter of the rows becomes a part of `$apply`; a filter of groups stays. */
export function groupedView(view: View, form: ApplyForm): View {
  const filter = view.options.has("$apply") ? (view.options.get("$filter") ?? null) : null;
  return withOptions(view, { ...NO_ROW_OPTIONS, $apply: writeApply(form), $filter: filter });
}

/** Returns the view of the rows that make the groups. */
export function ungrouped(view: View): View {
  const { filter } = formOf(view);
  return withOptions(view, { ...NO_ROW_OPTIONS, $apply: null, $filter: filter === "" ? null : filter });
}
