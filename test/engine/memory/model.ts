import { DEFAULT_LIMITS } from "../../../src/definition/startup/resolve-settings.ts";
import type {
  ComplexType,
  EntitySet,
  EntityType,
  EnumType,
  StructuralProperty,
  ValueType,
} from "../../../src/edm/model.ts";
import { PRIMITIVE_TYPES, type PrimitiveTypeName } from "../../../src/edm/primitive-type.ts";
import type { PrimitiveValue } from "../../../src/edm/value-codec.ts";
import { applyQuery } from "../../../src/engine/memory/apply-query.ts";
import { compileExpression } from "../../../src/engine/memory/compile-expression.ts";
import { Evaluation } from "../../../src/engine/memory/evaluation.ts";
import { bindCollectionQuery } from "../../../src/language/binder/bind-query-options.ts";
import type { BoundQuery, QueryShape, RoundingMode } from "../../../src/language/query/clauses.ts";
import type { Expression, PropertyExpression } from "../../../src/language/query/expression.ts";
import type { EntityPage, SourceQuery } from "../../../src/language/query/source.ts";
import { parseQueryOptions } from "../../../src/language/syntax/query-options-parser.ts";
import { everything } from "../../language/binder/model.ts";

/** Fields that differ from the property name with a small first letter. */
const FIELDS: Readonly<Record<string, string>> = { Constructor: "constructor", Proto: "__proto__" };

function properties(types: Readonly<Record<string, ValueType | PrimitiveTypeName>>): readonly StructuralProperty[] {
  return Object.entries(types).map(([name, type], index) => ({
    kind: "StructuralProperty",
    name,
    field: FIELDS[name] ?? `${name.charAt(0).toLowerCase()}${name.slice(1)}`,
    type: typeof type === "string" ? PRIMITIVE_TYPES[type] : type,
    isCollection: name === "Tags" || name === "Lines",
    nullable: name !== "Id",
    isKey: name === "Id",
    computed: false,
    immutable: false,
    facets: {},
    index,
  }));
}

function structure(
  members: readonly StructuralProperty[],
): Pick<ComplexType, "properties" | "members" | "membersIgnoringCase"> {
  return {
    properties: members,
    members: new Map(members.map((member) => [member.name, member])),
    membersIgnoringCase: new Map(members.map((member) => [member.name.toLowerCase(), member])),
  };
}

const Color: EnumType = {
  kind: "EnumType",
  name: "Color",
  qualifiedName: "Test.Color",
  isFlags: true,
  members: new Map(Object.entries({ None: 0, Red: 1, Green: 2, Blue: 4, White: 7 })),
};

const Level: EnumType = {
  kind: "EnumType",
  name: "Level",
  qualifiedName: "Test.Level",
  isFlags: false,
  members: new Map(Object.entries({ Low: 10, High: 2, Lowest: 10 })),
};

const Geo: ComplexType = {
  kind: "ComplexType",
  name: "Geo",
  qualifiedName: "Test.Geo",
  ignoredProperties: [],
  ...structure(properties({ Latitude: "Edm.Double" })),
};

const Address: ComplexType = {
  kind: "ComplexType",
  name: "Address",
  qualifiedName: "Test.Address",
  ignoredProperties: [],
  ...structure(properties({ City: "Edm.String", Geo, Lines: "Edm.String" })),
};

const thingProperties = properties({
  Id: "Edm.Int32",
  Name: "Edm.String",
  Big: "Edm.Int64",
  Small: "Edm.Int16",
  Tiny: "Edm.Byte",
  Number: "Edm.Double",
  Single: "Edm.Single",
  Price: "Edm.Decimal",
  Cost: "Edm.Decimal",
  Flag: "Edm.Boolean",
  Uuid: "Edm.Guid",
  Bytes: "Edm.Binary",
  Day: "Edm.Date",
  Time: "Edm.TimeOfDay",
  At: "Edm.DateTimeOffset",
  Until: "Edm.DateTimeOffset",
  Span: "Edm.Duration",
  Color,
  Level,
  Address,
  Tags: "Edm.String",
  Constructor: "Edm.String",
  Proto: "Edm.String",
});

/** An entity type with properties of each type; all are nullable but the key. */
export const Thing: EntityType = {
  kind: "EntityType",
  name: "Thing",
  qualifiedName: "Test.Thing",
  ...structure(thingProperties),
  key: thingProperties.filter(({ isKey }) => isKey),
  ignoredProperties: [],
  navigationProperties: [],
};

const Things: EntitySet = {
  kind: "EntitySet",
  name: "Things",
  entityType: Thing,
  navigationProperties: new Map(),
  navigationPropertyBindings: new Map(),
  navigationJoins: new Map(),
  etag: [],
};

/** The query options of a test, as a client writes them before encoding. */
export interface Options {
  readonly filter?: string;
  readonly orderby?: string;
  readonly skip?: number;
  readonly top?: number;
  readonly count?: boolean;
}

/** Parses and binds query options of the set Things. */
export function bind(
  options: Options,
  roundingMode: RoundingMode = "spec-compliant",
  cache = new Map<string, QueryShape>(),
): BoundQuery {
  const text = Object.entries(options).map(([name, value]) => `$${name}=${encodeURIComponent(String(value))}`);
  return bindCollectionQuery(
    parseQueryOptions(text.join("&")),
    {
      model: {
        kind: "Model",
        namespace: "Test",
        entityContainer: {
          kind: "EntityContainer",
          name: "Container",
          entitySets: new Map([["Things", Things]]),
          singletons: new Map(),
          functionImports: new Map(),
          actionImports: new Map(),
        },
        entityTypes: new Map([["Thing", Thing]]),
        complexTypes: new Map([
          ["Address", Address],
          ["Geo", Geo],
        ]),
        enumTypes: new Map([
          ["Color", Color],
          ["Level", Level],
        ]),
        operations: [],
      },
      entitySet: Things,
      capabilities: { ...everything, roundingMode },
      capabilitiesOf: () => everything,
      limits: DEFAULT_LIMITS,
    },
    cache,
  );
}

/** Returns the bound query as a source gets it, without an appended key. */
export function toSourceQuery(query: BoundQuery): SourceQuery {
  const { shape, values, top, skip, count } = query;
  const { filter, orderBy, selectExpand } = shape;
  return { shape, values, filter, selected: selectExpand.selected, orderBy, skip, top, count, signal: undefined };
}

/** The page of `rows` that a client would get. */
export function read(rows: Iterable<unknown>, options: Options): EntityPage {
  return applyQuery(rows, toSourceQuery(bind(options)));
}

/** The bound form of one expression of any type, and the values of its literals. */
export function bindOne(
  expression: string,
  roundingMode?: RoundingMode,
): readonly [Expression, readonly PrimitiveValue[]] {
  const { shape, values } = bind({ orderby: expression }, roundingMode);
  const [item] = shape.orderBy;
  if (item === undefined) throw new Error("There is one expression.");
  return [item.expression, values];
}

/** The value of an expression for one entity. */
export function evaluate(
  expression: string,
  entity: object = {},
  roundingMode: RoundingMode = "spec-compliant",
): PrimitiveValue | null {
  const [bound, values] = bindOne(expression, roundingMode);
  return compileExpression(bound, roundingMode)(entity, new Evaluation(values));
}

/** A property of Thing as an expression. */
export function propertyOf(name: string): PropertyExpression {
  const property = thingProperties.find((candidate) => candidate.name === name);
  if (property === undefined) throw new Error(`There is no property ${name}.`);
  return { kind: "property", source: { kind: "it", type: Thing }, property, type: property.type };
}
