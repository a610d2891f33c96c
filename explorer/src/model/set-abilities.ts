import { type AnnotationRecord, recordIn, recordsIn, textIn, textsIn } from "./annotations.ts";
import type { SetAbilities } from "./model.ts";

const CAPABILITIES = "Org.OData.Capabilities.V1";
const APPLY = "Org.OData.Aggregation.V1.ApplySupported";

/**
 * Returns what a set permits. A capability that no annotation denies is permitted, as the vocabulary says; `$apply` and
 * `$compute` are permitted if an annotation says so.
 * @see Org.OData.Capabilities.V1, Org.OData.Aggregation.V1.ApplySupported
 */
export function setAbilities(annotations: AnnotationRecord): SetAbilities {
  const restrictions = (term: string): AnnotationRecord => recordIn(annotations, `${CAPABILITIES}.${term}`);
  const permits = (term: string, property: string): boolean => restrictions(term)[property] !== "false";
  const supports = (term: string): boolean => annotations[`${CAPABILITIES}.${term}`] !== "false";
  const read = restrictions("ReadRestrictions");
  const byKey = recordIn(read, "ReadByKeyRestrictions")["Readable"] ?? read["Readable"];
  const filter = excluding(restrictions("FilterRestrictions"), "Filterable", "NonFilterableProperties");
  const sort = excluding(restrictions("SortRestrictions"), "Sortable", "NonSortableProperties");
  const expand = excluding(restrictions("ExpandRestrictions"), "Expandable", "NonExpandableProperties");
  return {
    canReadByKey: byKey !== "false" && supports("IndexableByKey"),
    canCreate: permits("InsertRestrictions", "Insertable"),
    canUpdate: permits("UpdateRestrictions", "Updatable"),
    updatesByPut: textIn(restrictions("UpdateRestrictions"), "UpdateMethod")?.endsWith("/PUT") === true,
    canDelete: permits("DeleteRestrictions", "Deletable"),
    canSelect: permits("SelectSupport", "Supported"),
    canCount: permits("CountRestrictions", "Countable"),
    canTop: supports("TopSupported"),
    canSkip: supports("SkipSupported"),
    canSearch: permits("SearchRestrictions", "Searchable"),
    canCompute: annotations[`${CAPABILITIES}.ComputeSupported`] === "true",
    canFilter: permits("FilterRestrictions", "Filterable"),
    canSort: permits("SortRestrictions", "Sortable"),
    canExpand: permits("ExpandRestrictions", "Expandable"),
    filterable: filter,
    sortable: sort,
    expandable: expand,
    navigable: navigable(restrictions("NavigationRestrictions")),
    ...applyAbilities(annotations),
  };
}

/** The members of a complex property follow the property. */
function excluding(restrictions: AnnotationRecord, supported: string, excluded: string): (path: string) => boolean {
  const names = textsIn(restrictions, excluded);
  return (path) => restrictions[supported] !== "false" && !isBelow(path, names);
}

/** Returns whether a path is one of some paths, or leads on from one. */
function isBelow(path: string, paths: readonly string[]): boolean {
  return paths.some((each) => path === each || path.startsWith(`${each}/`));
}

function navigable(restrictions: AnnotationRecord): SetAbilities["navigable"] {
  const stated = new Map(
    recordsIn(restrictions, "RestrictedProperties").map((each) => [
      textIn(each, "NavigationProperty"),
      textIn(each, "Navigability"),
    ]),
  );
  const others = textIn(restrictions, "Navigability");
  return (name) => (stated.get(name) ?? others)?.endsWith("/None") !== true;
}

function applyAbilities(annotations: AnnotationRecord): Pick<SetAbilities, "canApply" | "groupable" | "methodsOf"> {
  const record = recordIn(annotations, APPLY);
  const groupable = textsIn(record, "GroupableProperties");
  const methods = new Map(
    recordsIn(record, "AggregatableProperties").map((each) => [
      textIn(each, "Property"),
      textsIn(each, "SupportedAggregationMethods"),
    ]),
  );
  return {
    canApply: APPLY in annotations,
    // A navigation property stands for the paths along it.
    groupable: (path) => isBelow(path, groupable),
    methodsOf: (path) => methods.get(path) ?? [],
  };
}
