import { type CsdlElement, annotation, itemsAt, textAt } from "./csdl.ts";

const APPLY = "Aggregation.ApplySupported";

/** The methods of values whose annotations state none. */
const EVERY_METHOD = ["sum", "min", "max", "average", "countdistinct"];

/** Returns the abilities of a set: all that no annotation denies, and `$apply` if an annotation permits it. */
export function setAbilities(set: CsdlElement) {
  const stated = (term: string, ...path: string[]): string | null => textAt(set, `Capabilities.${term}`, ...path);
  const permits = (term: string, ...path: string[]): boolean => stated(term, ...path) !== "false";
  const pathsFor = (verb: string, adjective: string): ((path: string) => boolean) => {
    const excluded = itemsAt(set, `Capabilities.${verb}Restrictions`, `Non${adjective}Properties`);
    return (path) => permits(`${verb}Restrictions`, adjective) && !isBelow(path, excluded);
  };
  const readable = stated("ReadRestrictions", "Readable");
  const navigability = stated("NavigationRestrictions", "Navigability");
  const navigations = itemsAt(set, "Capabilities.NavigationRestrictions", "RestrictedProperties");
  const groupable = itemsAt(set, APPLY, "GroupableProperties");
  const aggregatable = itemsAt(set, APPLY, "AggregatableProperties");
  return {
    /** Whether the user may read entities. */
    canRead: true,
    canReadByKey: (stated("ReadRestrictions", "ReadByKeyRestrictions", "Readable") ?? readable) !== "false",
    canCreate: permits("InsertRestrictions", "Insertable"),
    canUpdate: permits("UpdateRestrictions", "Updatable"),
    /** Whether updates are PUT instead of PATCH. */
    updatesByPut: stated("UpdateRestrictions", "UpdateMethod")?.endsWith("/PUT") === true,
    canDelete: permits("DeleteRestrictions", "Deletable"),
    /** Whether the user may call operations of the set and of its entities. */
    canInvoke: true,
    canSelect: permits("SelectSupport", "Supported"),
    canCount: permits("CountRestrictions", "Countable"),
    canTop: permits("TopSupported"),
    canSkip: permits("SkipSupported"),
    canSearch: permits("SearchRestrictions", "Searchable"),
    canFilter: permits("FilterRestrictions", "Filterable"),
    canSort: permits("SortRestrictions", "Sortable"),
    canExpand: permits("ExpandRestrictions", "Expandable"),
    canApply: annotation(set, APPLY) !== undefined,
    filterable: pathsFor("Filter", "Filterable"),
    sortable: pathsFor("Sort", "Sortable"),
    expandable: pathsFor("Expand", "Expandable"),
    /** Whether paths such as `Orders(1)/Items` lead along a navigation. */
    navigable: (name: string): boolean => {
      const own = navigations.find((each) => textAt(each, "NavigationProperty") === name);
      return (textAt(own, "Navigability") ?? navigability)?.endsWith("/None") !== true;
    },
    /** Whether a step such as `compute` may be a part of `$apply`. */
    applies: (step: string): boolean => itemsAt(set, APPLY, "Transformations").some(({ text }) => text === step),
    groupable: (path: string): boolean => isBelow(path, groupable),
    /** Returns the methods that can aggregate the values of a path, such as `sum`. */
    methodsOf: (path: string): readonly string[] => {
      const own = aggregatable.find((each) => isBelow(path, [{ text: textAt(each, "Property") ?? "" }]));
      const stated = itemsAt(own, "SupportedAggregationMethods").map(({ text }) => text);
      return own === undefined || stated.length > 0 ? stated : EVERY_METHOD;
    },
  };
}

/** The members of a complex property follow the property; a navigation property represents the paths along it. */
function isBelow(path: string, paths: readonly Pick<CsdlElement, "text">[]): boolean {
  return paths.some(({ text }) => path === text || path.startsWith(`${text}/`));
}
