import type {
  ComplexType,
  EntityType,
  EnumType,
  Property,
  StructuralProperty,
  ValueType,
} from "../../src/edm/model.ts";
import { PRIMITIVE_TYPES, type PrimitiveTypeName } from "../../src/edm/primitive-type.ts";
import type { PrimitiveValue } from "../../src/edm/value-codec.ts";
import type { FilterClause, OrderByItem, QueryShape } from "../../src/query/clauses.ts";
import type {
  ArithmeticExpression,
  ArithmeticOperator,
  CallExpression,
  ComparisonExpression,
  ComparisonOperator,
  ConvertExpression,
  Expression,
  HasExpression,
  InExpression,
  ItExpression,
  LogicalExpression,
  NegateExpression,
  NotExpression,
  NullExpression,
  ParameterExpression,
  PropertyExpression,
  ScalarType,
} from "../../src/query/expression.ts";
import type { FunctionName } from "../../src/query/functions.ts";
import type { SourceQuery } from "../../src/query/source.ts";

/** An entity type with a property of each kind, and builders of bound expressions over it. */

function property(name: string, type: ValueType, index: number, isCollection = false): StructuralProperty {
  return {
    kind: "StructuralProperty",
    name,
    field: FIELDS[name] ?? `${name.charAt(0).toLowerCase()}${name.slice(1)}`,
    type,
    isCollection,
    nullable: name !== "Id",
    isKey: name === "Id",
    computed: false,
    immutable: false,
    facets: {},
    index,
  };
}

/** Fields whose names every object inherits. */
const FIELDS: Readonly<Record<string, string>> = { Constructor: "constructor", Proto: "__proto__" };

function structure(
  properties: readonly StructuralProperty[],
): Pick<ComplexType, "properties" | "members" | "membersIgnoringCase"> {
  return {
    properties,
    members: new Map(properties.map((one) => [one.name, one])),
    membersIgnoringCase: new Map(properties.map((one) => [one.name.toLowerCase(), one])),
  };
}

export const type = (name: PrimitiveTypeName): ScalarType => PRIMITIVE_TYPES[name];

export const Color: EnumType = {
  kind: "EnumType",
  name: "Color",
  qualifiedName: "Test.Color",
  isFlags: true,
  members: new Map([
    ["None", 0],
    ["Red", 1],
    ["Green", 2],
    ["Blue", 4],
    ["White", 7],
    ["Top", -(2 ** 31)],
  ]),
};

const Geo: ComplexType = {
  kind: "ComplexType",
  name: "Geo",
  qualifiedName: "Test.Geo",
  ...structure([property("Latitude", PRIMITIVE_TYPES["Edm.Double"], 0)]),
};

export const Address: ComplexType = {
  kind: "ComplexType",
  name: "Address",
  qualifiedName: "Test.Address",
  ...structure([
    property("City", PRIMITIVE_TYPES["Edm.String"], 0),
    property("Geo", Geo, 1),
    property("Lines", PRIMITIVE_TYPES["Edm.String"], 2, true),
  ]),
};

const SCALARS: readonly (readonly [string, PrimitiveTypeName])[] = [
  ["Id", "Edm.Int32"],
  ["Name", "Edm.String"],
  ["Big", "Edm.Int64"],
  ["Small", "Edm.Int16"],
  ["Number", "Edm.Double"],
  ["Single", "Edm.Single"],
  ["Price", "Edm.Decimal"],
  ["Flag", "Edm.Boolean"],
  ["Uuid", "Edm.Guid"],
  ["Bytes", "Edm.Binary"],
  ["Day", "Edm.Date"],
  ["Time", "Edm.TimeOfDay"],
  ["At", "Edm.DateTimeOffset"],
  ["Length", "Edm.Duration"],
  ["Constructor", "Edm.String"],
  ["Proto", "Edm.String"],
];

export const Thing: EntityType = {
  kind: "EntityType",
  name: "Thing",
  qualifiedName: "Test.Thing",
  ...structure([
    ...SCALARS.map(([name, typeName], index) => property(name, PRIMITIVE_TYPES[typeName], index)),
    property("Color", Color, SCALARS.length),
    property("Address", Address, SCALARS.length + 1),
    property("Tags", PRIMITIVE_TYPES["Edm.String"], SCALARS.length + 2, true),
  ]),
  key: [],
  navigationProperties: [],
};

export const it: ItExpression = { kind: "it", type: Thing };

/** The property at a path such as `Address/City`. */
export function prop(path: string): PropertyExpression {
  let source: ItExpression | PropertyExpression = it;
  let owner: EntityType | ComplexType = Thing;
  for (const name of path.split("/")) {
    const member: Property | undefined = owner.members.get(name);
    if (member?.kind !== "StructuralProperty") throw new Error(`${owner.name} has no property ${name}.`);
    source = { kind: "property", source, property: member, type: member.type };
    if (member.type.kind === "ComplexType") owner = member.type;
  }
  if (source.kind === "it") throw new Error("A path has at least one name.");
  return source;
}

export const boolean = PRIMITIVE_TYPES["Edm.Boolean"];

export const parameter = (index: number, of: ScalarType): ParameterExpression => ({
  kind: "parameter",
  index,
  type: of,
});

/** A literal in place. */
export const literal = (value: PrimitiveValue, of: ScalarType | PrimitiveTypeName): Expression => ({
  kind: "literal",
  value,
  type: typeof of === "string" ? PRIMITIVE_TYPES[of] : of,
});

export const nothing = (of: ScalarType | null = null): NullExpression => ({ kind: "null", type: of });

/** A comparison; its operands have the type of the left one, or of the right one when the left is null. */
export function compare(left: Expression, operator: ComparisonOperator, right: Expression): ComparisonExpression {
  const operand = left.kind === "null" ? right.type : left.type;
  if (operand?.kind === "EntityType") throw new Error("Entities are not compared.");
  return { kind: "comparison", operator, left, right, operandType: operand, type: boolean };
}

export const logical = (operator: "and" | "or", ...operands: readonly Expression[]): LogicalExpression => ({
  kind: "logical",
  operator,
  operands,
  type: boolean,
});

export const not = (operand: Expression): NotExpression => ({ kind: "not", operand, type: boolean });

export function arithmetic(
  left: Expression,
  operator: ArithmeticOperator,
  right: Expression,
  of: PrimitiveTypeName,
): ArithmeticExpression {
  return { kind: "arithmetic", operator, left, right, type: PRIMITIVE_TYPES[of] };
}

export const negate = (operand: Expression, of: PrimitiveTypeName): NegateExpression => ({
  kind: "negate",
  operand,
  type: PRIMITIVE_TYPES[of],
});

export const call = (
  name: FunctionName,
  of: PrimitiveTypeName,
  ...operands: readonly Expression[]
): CallExpression => ({
  kind: "call",
  name,
  arguments: operands,
  type: PRIMITIVE_TYPES[of],
});

export const within = (operand: Expression, ...items: readonly Expression[]): InExpression => ({
  kind: "in",
  operand,
  items,
  type: boolean,
});

export const has = (operand: Expression, flags: Expression): HasExpression => ({
  kind: "has",
  operand,
  flags,
  type: boolean,
});

export const convert = (operand: Expression, of: PrimitiveTypeName): ConvertExpression => ({
  kind: "convert",
  operand,
  type: PRIMITIVE_TYPES[of],
});

/** What a query of a test says; the rest is absent. */
export interface QueryParts {
  readonly filter?: Expression;
  readonly orderBy?: readonly OrderByItem[];
  readonly values?: readonly PrimitiveValue[];
  readonly skip?: number;
  readonly top?: number;
  readonly count?: boolean;
  readonly roundingMode?: QueryShape["roundingMode"];
}

export function sourceQuery(parts: QueryParts): SourceQuery {
  const filter: FilterClause | null = parts.filter === undefined ? null : { expression: parts.filter };
  const orderBy = parts.orderBy ?? [];
  const shape: QueryShape = {
    key: "",
    entitySet: {
      kind: "EntitySet",
      name: "Things",
      entityType: Thing,
      navigationProperties: new Map(),
      navigationPropertyBindings: new Map(),
      etag: [],
    },
    entityType: Thing,
    filter,
    orderBy,
    selectExpand: { selected: [], isSelection: false, contextSelect: [] },
    parameters: [],
    roundingMode: parts.roundingMode ?? "spec-compliant",
  };
  return {
    shape,
    values: parts.values ?? [],
    filter,
    orderBy,
    skip: parts.skip ?? 0,
    top: parts.top,
    count: parts.count ?? false,
    signal: undefined,
  };
}

/** The value of an expression for one entity. */
export const asc = (expression: Expression): OrderByItem => ({ expression, descending: false });
export const desc = (expression: Expression): OrderByItem => ({ expression, descending: true });
