import type { EntitySet, Property, PropertyType, StructuredType } from "../model/model.ts";
import { condition, type ConditionOperator, type FilterCondition } from "./filter-tree.ts";

/** An operator as people choose it. */
export interface Operator {
  readonly id: string;
  /** Between the name and the value: "is at least". */
  readonly label: string;
  readonly operator: ConditionOperator;
  readonly isNegated: boolean;
  /** How many values a person gives. Without values, the operator compares with null. */
  readonly values: "none" | "one" | "many";
}

type TypeGroup = "text" | "number" | "time" | "duration" | "boolean" | "enum" | "flags" | "guid" | "binary";

const EQUAL: readonly Operator[] = [operatorOf("eq", "is"), operatorOf("ne", "is not")];
const NULL: readonly Operator[] = [
  { ...operatorOf("eq", "is empty"), id: "null", values: "none" },
  { ...operatorOf("ne", "is not empty"), id: "notNull", values: "none" },
];
const LIST: readonly Operator[] = [
  { ...operatorOf("in", "is one of"), values: "many" },
  { ...operatorOf("in", "is none of"), id: "notIn", isNegated: true, values: "many" },
];

const OPERATORS: Readonly<Record<TypeGroup, readonly Operator[]>> = {
  text: [
    operatorOf("contains", "contains"),
    { ...operatorOf("contains", "does not contain"), id: "notContains", isNegated: true },
    operatorOf("startswith", "begins with"),
    operatorOf("endswith", "ends with"),
    ...EQUAL,
    ...LIST,
    ...ordering("comes after", "comes after or is", "comes before", "comes before or is"),
  ],
  number: [...EQUAL, ...ordering("is more than", "is at least", "is less than", "is at most"), ...LIST],
  time: [...EQUAL, ...ordering("is after", "is on or after", "is before", "is on or before"), ...LIST],
  duration: [...EQUAL, ...ordering("is longer than", "is at least", "is shorter than", "is at most"), ...LIST],
  boolean: EQUAL,
  enum: [...EQUAL, ...LIST],
  flags: [
    operatorOf("has", "includes"),
    { ...operatorOf("has", "does not include"), id: "notHas", isNegated: true },
    ...EQUAL,
  ],
  guid: [...EQUAL, ...LIST],
  binary: EQUAL,
};

const GROUPS: Readonly<Record<string, TypeGroup>> = {
  "Edm.String": "text",
  "Edm.Byte": "number",
  "Edm.SByte": "number",
  "Edm.Int16": "number",
  "Edm.Int32": "number",
  "Edm.Int64": "number",
  "Edm.Single": "number",
  "Edm.Double": "number",
  "Edm.Decimal": "number",
  "Edm.Date": "time",
  "Edm.TimeOfDay": "time",
  "Edm.DateTimeOffset": "time",
  "Edm.Duration": "duration",
  "Edm.Boolean": "boolean",
  "Edm.Guid": "guid",
  "Edm.Binary": "binary",
};

function operatorOf(operator: ConditionOperator, label: string): Operator {
  return { id: operator, label, operator, isNegated: false, values: "one" };
}

function ordering(gt: string, ge: string, lt: string, le: string): readonly Operator[] {
  return [operatorOf("gt", gt), operatorOf("ge", ge), operatorOf("lt", lt), operatorOf("le", le)];
}

/**
 * Returns the operators that fit a property, the most useful first.
 * @returns none for collections, complex values, streams and types that the page does not know
 */
export function operatorsFor(property: Pick<Property, "type" | "isCollection" | "isNullable">): readonly Operator[] {
  const group = property.isCollection ? null : groupOf(property.type);
  if (group === null) return [];
  return property.isNullable ? [...OPERATORS[group], ...NULL] : OPERATORS[group];
}

function groupOf(type: PropertyType): TypeGroup | null {
  if (type.kind === "enum") return type.enum.isFlags ? "flags" : "enum";
  return type.kind === "primitive" ? (GROUPS[type.name] ?? null) : null;
}

/**
 * Makes the condition of an operator.
 * @param literals as `readTyped` returns them
 * @param isLowered whether letter case makes no difference, for text
 */
export function conditionOf(
  path: string,
  { operator, isNegated, values }: Operator,
  literals: readonly string[],
  isLowered = false,
): FilterCondition {
  if (values === "none") return condition(path, operator, ["null"], { isNegated });
  const cased = isLowered ? literals.map((literal) => literal.toLowerCase()) : literals;
  return condition(path, operator, cased, { isNegated, isLowered });
}

/**
 * Returns the operator that a condition shows.
 * @param operators those that fit its property
 * @returns null if none of them shows it: then its text is shown
 */
export function operatorFor(shown: FilterCondition, operators: readonly Operator[]): Operator | null {
  const isNull = shown.values.length === 1 && shown.values[0] === "null";
  const fits = ({ operator, isNegated, values }: Operator): boolean =>
    operator === shown.operator && isNegated === shown.isNegated && (values === "none") === isNull;
  return operators.find(fits) ?? null;
}

/** A property with its path from the entity. */
export interface PathProperty {
  /** `Address/City`. */
  readonly path: string;
  readonly property: Property;
}

/**
 * Returns the properties that a set lets requests filter by, those within complex values included.
 */
export function filterableProperties(set: EntitySet): readonly PathProperty[] {
  return set.abilities.canFilter ? comparable(set.type).filter(({ path }) => set.abilities.filterable(path)) : [];
}

/** Returns the properties that a set lets requests sort by, those within complex values included. */
export function sortableProperties(set: EntitySet): readonly PathProperty[] {
  return set.abilities.canSort ? comparable(set.type).filter(({ path }) => set.abilities.sortable(path)) : [];
}

/** Depth of complex values within one another that lists show; a type may contain itself. */
const MAX_COMPLEX_DEPTH = 3;

/** Returns the properties of a type that can be compared, those within complex values included. */
export function comparable(type: StructuredType, prefix = "", depth = 0): readonly PathProperty[] {
  return Array.from(type.properties.values()).flatMap((property): readonly PathProperty[] => {
    const path = prefix + property.name;
    if (property.isCollection) return [];
    if (property.type.kind !== "complex") return operatorsFor(property).length === 0 ? [] : [{ path, property }];
    return depth < MAX_COMPLEX_DEPTH ? comparable(property.type.type, `${path}/`, depth + 1) : [];
  });
}
