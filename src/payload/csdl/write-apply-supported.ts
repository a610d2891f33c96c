import { propertiesOfType } from "../../edm/hierarchy.ts";
import type { ComplexType, EntitySet, StructuralProperty } from "../../edm/model.ts";
import { TOP_LEVELS } from "../../edm/top-levels.ts";
import { AGGREGATE_METHODS, methodsFor } from "../../language/query/aggregate-type.ts";
import type { Capabilities } from "../../language/query/capabilities.ts";
import type { ScalarType } from "../../language/query/expression.ts";
import { aggregationTerm, collectionValue, recordAnnotation } from "./write-annotations.ts";
import { element, textElement, type XmlElement } from "./xml.ts";

const RANKS = ["topcount", "bottomcount", "topsum", "bottomsum", "toppercent", "bottompercent"] as const;

/**
 * Makes the annotation for `$apply` of an entity set: the steps, and the properties by which rows can be grouped and whose
 * values can be aggregated. A navigation property represents the paths along it.
 * @see Org.OData.Aggregation.V1.ApplySupported
 */
export function writeApplySupported(entitySet: EntitySet, query: Capabilities): XmlElement {
  const groupable = [...pathsIn(entitySet, query.groupByProperties), ...navigationsIn(entitySet, query)];
  const aggregatable = pathsIn(entitySet, query.aggregateProperties);
  const steps = [
    "identity",
    ...(query.filterEnabled ? ["filter"] : []),
    ...(query.searchEnabled ? ["search"] : []),
    ...(groupable.length > 0 ? ["groupby"] : []),
    ...(aggregatable.length > 0 ? ["aggregate"] : []),
    ...(query.computeEnabled === true ? ["compute"] : []),
    "concat",
    ...(canJoin(entitySet, query) ? ["join", "outerjoin"] : []),
    ...(query.orderByEnabled ? ["orderby", ...RANKS] : []),
    "top",
    "skip",
    ...(entitySet.hierarchy === undefined ? [] : ["ancestors", "descendants", TOP_LEVELS]),
  ];
  return recordAnnotation(aggregationTerm("ApplySupported"), [
    ...collectionValue("Transformations", "String", steps),
    ...collection("GroupableProperties", groupable.map(toPath)),
    ...collection("AggregatableProperties", aggregatable.map(toAggregatable)),
  ]);
}

/** A path to a single value, or a navigation property. */
interface Path {
  readonly text: string;
  /** The type of the value; null for a navigation property. */
  readonly type: ScalarType | null;
}

/** A property of `Path` whose type is known. */
type ValuePath = Path & { readonly type: ScalarType };

type Allowed = ReadonlySet<string> | null | undefined;

function isAllowed(allowed: Allowed, name: string): boolean {
  return allowed?.has(name) !== false;
}

/** Returns the paths to single values that begin with a property of an allowlist. */
function pathsIn({ entityType }: EntitySet, allowed: Allowed): readonly ValuePath[] {
  return leavesOf(
    propertiesOfType(entityType).filter(({ name }) => isAllowed(allowed, name)),
    "",
    [],
  );
}

/** @param around the enclosing complex types: a recursive type ends the path */
function leavesOf(
  properties: readonly StructuralProperty[],
  prefix: string,
  around: readonly ComplexType[],
): readonly ValuePath[] {
  return properties.flatMap(({ name, type, isCollection }) => {
    if (isCollection) return [];
    if (type.kind !== "ComplexType") return [{ text: prefix + name, type }];
    return around.includes(type) ? [] : leavesOf(type.properties, `${prefix}${name}/`, [...around, type]);
  });
}

/** Returns the navigations to single entities that an allowlist contains. */
function navigationsIn(entitySet: EntitySet, { groupByProperties }: Capabilities): readonly Path[] {
  return [...entitySet.navigationProperties.values()]
    .filter(({ name, isCollection }) => !isCollection && isAllowed(groupByProperties, name))
    .map(({ name }) => ({ text: name, type: null }));
}

/** Whether an allowlist contains a navigation to an entity set. */
function canJoin(entitySet: EntitySet, { aggregateProperties }: Capabilities): boolean {
  return [...entitySet.navigationPropertyBindings.keys()].some((name) => isAllowed(aggregateProperties, name));
}

function collection(property: string, items: readonly XmlElement[]): readonly XmlElement[] {
  if (items.length === 0) return [];
  return [element("PropertyValue", { Property: property }, [element("Collection", {}, items)])];
}

function toPath({ text, type }: Path): XmlElement {
  return textElement(type === null ? "NavigationPropertyPath" : "PropertyPath", text);
}

function toAggregatable({ text, type }: ValuePath): XmlElement {
  const methods = methodsFor(type);
  return element("Record", {}, [
    element("PropertyValue", { Property: "Property", PropertyPath: text }),
    // By default, all methods are supported.
    ...(methods.length < AGGREGATE_METHODS.length
      ? collectionValue("SupportedAggregationMethods", "String", methods)
      : []),
  ]);
}
