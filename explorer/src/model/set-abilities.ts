import { type Annotations, type AnnotationRecord, isTrue, itemsOf, recordOf, textsOf } from "./annotations.ts";
import type { SetAbilities } from "./model.ts";

const CAPABILITIES = "Org.OData.Capabilities.V1";
const APPLY = "Org.OData.Aggregation.V1.ApplySupported";
const CONCURRENCY = "Org.OData.Core.V1.OptimisticConcurrency";

/**
 * Returns what a set permits. A capability that no annotation denies is permitted, as the vocabulary says; `$apply` and
 * `$compute` are permitted if an annotation says so.
 * @see Org.OData.Capabilities.V1, Org.OData.Aggregation.V1.ApplySupported
 */
export function setAbilities(annotations: Annotations): SetAbilities {
  const restrictions = (term: string): AnnotationRecord => recordOf(annotations.get(`${CAPABILITIES}.${term}`));
  const permits = (term: string, property: string): boolean => restrictions(term)[property] !== "false";
  const supports = (term: string): boolean => annotations.get(`${CAPABILITIES}.${term}`) !== "false";
  const read = restrictions("ReadRestrictions");
  const byKey = recordOf(read["ReadByKeyRestrictions"])["Readable"] ?? read["Readable"];
  const update = restrictions("UpdateRestrictions");
  const levels = Number(restrictions("ExpandRestrictions")["MaxLevels"] ?? -1);
  return {
    canRead: read["Readable"] !== "false",
    canReadByKey: byKey !== "false" && supports("IndexableByKey"),
    canCreate: permits("InsertRestrictions", "Insertable"),
    canUpdate: update["Updatable"] !== "false",
    updatesByPut: update["UpdateMethod"] === `${CAPABILITIES}.HttpMethod/PUT`,
    canDelete: permits("DeleteRestrictions", "Deletable"),
    canSelect: permits("SelectSupport", "Supported"),
    canCount: permits("CountRestrictions", "Countable"),
    canTop: supports("TopSupported"),
    canSkip: supports("SkipSupported"),
    canSearch: permits("SearchRestrictions", "Searchable"),
    canCompute: isTrue(annotations, `${CAPABILITIES}.ComputeSupported`),
    maxExpandLevels: levels >= 0 ? levels : null,
    concurrency: textsOf(annotations.get(CONCURRENCY)),
    ...members(restrictions),
    ...navigationAbilities(restrictions("NavigationRestrictions")),
    ...applyAbilities(annotations),
  };
}

type Members = "canFilter" | "canSort" | "canExpand" | "filterable" | "sortable" | "expandable";

function members(restrictions: (term: string) => AnnotationRecord): Pick<SetAbilities, Members> {
  const filter = excluding(restrictions("FilterRestrictions"), "Filterable", "NonFilterableProperties");
  const sort = excluding(restrictions("SortRestrictions"), "Sortable", "NonSortableProperties");
  const expand = excluding(restrictions("ExpandRestrictions"), "Expandable", "NonExpandableProperties");
  return {
    canFilter: filter.isSupported,
    canSort: sort.isSupported,
    canExpand: expand.isSupported,
    filterable: filter.permits,
    sortable: sort.permits,
    expandable: expand.permits,
  };
}

interface Exclusion {
  readonly isSupported: boolean;
  readonly permits: (path: string) => boolean;
}

/** The members of a complex property follow the property. */
function excluding(restrictions: AnnotationRecord, supported: string, excluded: string): Exclusion {
  const isSupported = restrictions[supported] !== "false";
  const names = new Set(textsOf(restrictions[excluded]));
  return { isSupported, permits: (path) => isSupported && !prefixesOf(path).some((prefix) => names.has(prefix)) };
}

/** Returns a path and the paths that it begins with. */
function prefixesOf(path: string): readonly string[] {
  const segments = path.split("/");
  return segments.map((_, index) => segments.slice(0, index + 1).join("/"));
}

function navigationAbilities(restrictions: AnnotationRecord): Pick<SetAbilities, "navigable" | "insertableAlong"> {
  const properties = itemsOf(restrictions["RestrictedProperties"]).map(recordOf);
  const of = (name: string): AnnotationRecord =>
    properties.find(({ NavigationProperty: property }) => property === name) ?? {};
  const isNone = (record: AnnotationRecord): boolean => textIn(record, "Navigability").endsWith("/None");
  return {
    navigable: (name) => !isNone(of(name)["Navigability"] === undefined ? restrictions : of(name)),
    insertableAlong: (name) => {
      const insertable = recordOf(of(name)["InsertRestrictions"])["Insertable"];
      return insertable === undefined ? null : insertable !== "false";
    },
  };
}

/** Returns a text of a record; an empty one if there is none. */
function textIn(record: AnnotationRecord, name: string): string {
  const value = record[name];
  return typeof value === "string" ? value : "";
}

type ApplyAbilities = "canApply" | "transformations" | "groupable" | "methodsOf";

function applyAbilities(annotations: Annotations): Pick<SetAbilities, ApplyAbilities> {
  const record = recordOf(annotations.get(APPLY));
  const canApply = annotations.has(APPLY);
  const groupable = new Set(textsOf(record["GroupableProperties"]));
  const methods = new Map(
    itemsOf(record["AggregatableProperties"])
      .map(recordOf)
      .map((each) => [textIn(each, "Property"), textsOf(each["SupportedAggregationMethods"])]),
  );
  return {
    canApply,
    transformations: textsOf(record["Transformations"]),
    // A navigation property stands for the paths along it.
    groupable: (path) => canApply && prefixesOf(path).some((prefix) => groupable.has(prefix)),
    methodsOf: (path) => methods.get(path) ?? [],
  };
}
