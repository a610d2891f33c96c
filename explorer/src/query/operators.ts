import { isNumeric } from "../format/show-value.ts";
import type { Property, PropertyType, StructuredType } from "../model/model.ts";
import { condition, CONDITION_OPERATORS, type ConditionOperator, type FilterCondition } from "./filter-tree.ts";

/** An operator as people choose it. */
export interface Operator {
  /** Between the name and the value: "is at least". */
  readonly label: string;
  readonly operator: ConditionOperator;
  readonly isNegated: boolean;
  /** How many values a person gives. Without values, the operator compares with null. */
  readonly values: "none" | "one" | "many";
}

const EQUAL = { eq: "is", ne: "is not" };
const LIST = { in: "is one of", "not in": "is none of" };
const NULL = { "eq null": "is null", "ne null": "is not null" };
const FLAGS = { has: "includes", "not has": "does not include" };
const PARTS = {
  contains: "contains",
  "not contains": "does not contain",
  startswith: "begins with",
  endswith: "ends with",
};
const LETTERS = { gt: "comes after", ge: "comes after or is", lt: "comes before", le: "comes before or is" };
const SIZES = { gt: "is more than", ge: "is at least", lt: "is less than", le: "is at most" };
const TIMES = { gt: "is after", ge: "is on or after", lt: "is before", le: "is on or before" };
const LENGTHS = { gt: "is longer than", ge: "is at least", lt: "is shorter than", le: "is at most" };
/** The labels by the ids of operators, the most useful first. */
const LABELS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  "Edm.String": { ...PARTS, ...EQUAL, ...LIST, ...LETTERS },
  "Edm.Date": { ...EQUAL, ...TIMES, ...LIST },
  "Edm.TimeOfDay": { ...EQUAL, ...TIMES, ...LIST },
  "Edm.DateTimeOffset": { ...EQUAL, ...TIMES, ...LIST },
  "Edm.Duration": { ...EQUAL, ...LENGTHS, ...LIST },
  "Edm.Boolean": { ...EQUAL, ...LIST },
  "Edm.Guid": { ...EQUAL, ...LIST },
  "Edm.Binary": EQUAL,
};

function labelsOf(type: PropertyType): Readonly<Record<string, string>> {
  if (type.kind === "enum") return type.enum.isFlags ? { ...FLAGS, ...EQUAL } : { ...EQUAL, ...LIST };
  if (isNumeric(type)) return { ...EQUAL, ...SIZES, ...LIST };
  return (type.kind === "primitive" ? LABELS[type.name] : undefined) ?? {};
}

/** Returns the operators that fit a property; none for collections, complex values, streams and unknown types. */
export function operatorsFor(property: Pick<Property, "type" | "isCollection" | "isNullable">): readonly Operator[] {
  const own = property.isCollection ? {} : labelsOf(property.type);
  const isNullable = property.isNullable && "eq" in own;
  return Object.entries({ ...own, ...(isNullable ? NULL : {}) }).map(([id, label]) => {
    const operator = CONDITION_OPERATORS.find((each) => id.split(" ").includes(each)) ?? "eq";
    const count = operator === "in" ? "many" : "one";
    return { label, operator, isNegated: id.startsWith("not "), values: id.endsWith(" null") ? "none" : count };
  });
}

/** Makes the condition of an operator on literals, as `readTyped` returns them; lowered if letter case makes no difference. */
export function conditionOf(path: string, chosen: Operator, literals: readonly string[], isLowered = false) {
  const { operator, isNegated, values } = chosen;
  if (values === "none") return condition(path, operator, ["null"], { isNegated });
  const cased = isLowered ? literals.map((literal) => literal.toLowerCase()) : literals;
  return condition(path, operator, cased, { isNegated, isLowered });
}

/** Returns the one of some operators that a condition shows; null without one: then its text is shown. */
export function operatorFor(shown: FilterCondition, operators: readonly Operator[]): Operator | null {
  const isNull = shown.values.length === 1 && shown.values[0] === "null";
  const fits = ({ operator, isNegated, values }: Operator): boolean =>
    operator === shown.operator && isNegated === shown.isNegated && (values === "none") === isNull;
  return operators.find(fits) ?? null;
}

/** A property with its path from the entity: `Address/City`. */
export interface PathProperty {
  readonly path: string;
  readonly property: Property;
}

/** Returns the properties of a type that can be compared, those within complex values included. A type may contain itself. */
export function comparable(type: StructuredType, prefix = "", depth = 0): readonly PathProperty[] {
  return Array.from(type.properties.values()).flatMap((property): readonly PathProperty[] => {
    const path = prefix + property.name;
    if (property.isCollection) return [];
    if (property.type.kind !== "complex") return operatorsFor(property).length === 0 ? [] : [{ path, property }];
    return depth < 3 ? comparable(property.type.type, `${path}/`, depth + 1) : [];
  });
}
