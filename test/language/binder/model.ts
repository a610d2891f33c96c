import type {
  ComplexType,
  EntitySet,
  EntityType,
  EnumType,
  Model,
  NavigationProperty,
  Operation,
  ModelProperty,
  StructuralProperty,
  ValueType,
} from "../../../src/edm/model.ts";
import { PRIMITIVE_TYPES, PRIMITIVE_TYPE_NAMES, type PrimitiveTypeName } from "../../../src/edm/primitive-type.ts";
import type { Capabilities } from "../../../src/language/query/capabilities.ts";

type PropertyFacts = Partial<Pick<StructuralProperty, "isCollection" | "nullable" | "isKey" | "facets" | "field">>;

interface Named {
  readonly name: string;
  readonly type: ValueType;
  readonly facts: PropertyFacts;
}

/** A property declaration: a primitive type by its name without `Edm.`, or a type object. */
export function property(name: string, type: ValueType | PrimitiveTypeName, facts: PropertyFacts = {}): Named {
  return { name, type: typeof type === "string" ? PRIMITIVE_TYPES[type] : type, facts };
}

function structural(named: readonly Named[]): readonly StructuralProperty[] {
  return named.map(({ name, type, facts }, index) => ({
    kind: "StructuralProperty",
    name,
    field: name.charAt(0).toLowerCase() + name.slice(1),
    type,
    isCollection: false,
    nullable: true,
    isKey: false,
    computed: false,
    immutable: false,
    facets: {},
    index,
    ...facts,
  }));
}

function membersOf(properties: readonly ModelProperty[]): Pick<EntityType, "members" | "membersIgnoringCase"> {
  return {
    members: new Map(properties.map((member) => [member.name, member])),
    membersIgnoringCase: new Map(properties.map((member) => [member.name.toLowerCase(), member])),
  };
}

export function enumeration(name: string, isFlags: boolean, members: Readonly<Record<string, number>>): EnumType {
  return { kind: "EnumType", name, qualifiedName: `Shop.${name}`, isFlags, members: new Map(Object.entries(members)) };
}

export function complex(name: string, named: readonly Named[]): ComplexType {
  const properties = structural(named);
  return {
    kind: "ComplexType",
    name,
    qualifiedName: `Shop.${name}`,
    properties,
    ignoredProperties: [],
    ...membersOf(properties),
  };
}

export function entity(
  name: string,
  named: readonly Named[],
  navigationProperties: readonly NavigationProperty[] = [],
): EntityType {
  const properties = structural(named);
  return {
    kind: "EntityType",
    name,
    qualifiedName: `Shop.${name}`,
    properties,
    key: properties.filter(({ isKey }) => isKey),
    ignoredProperties: [],
    navigationProperties,
    ...membersOf([...properties, ...navigationProperties]),
  };
}

function navigation(name: string, entityType: EntityType, isCollection: boolean): NavigationProperty {
  return {
    kind: "NavigationProperty",
    name,
    field: name.toLowerCase(),
    entityType,
    isCollection,
    nullable: true,
    referentialConstraints: [],
  };
}

function set(name: string, entityType: EntityType, navigationNames: readonly string[] = []): EntitySet {
  const own = entityType.navigationProperties.filter((member) => navigationNames.includes(member.name));
  return {
    kind: "EntitySet",
    name,
    entityType,
    navigationProperties: new Map(own.map((member) => [member.name, member])),
    navigationPropertyBindings: new Map(),
    navigationJoins: new Map(),
    etag: [],
  };
}

function operation(kind: Operation["kind"], name: string, binding?: Operation["binding"]): Operation {
  return { kind, name, qualifiedName: `Shop.${name}`, parameters: [], isComposable: false, binding };
}

const key = { isKey: true, nullable: false };

export const Color = enumeration("Color", false, { Red: 0, Green: 1, Blue: 2 });
export const Access = enumeration("Access", true, { Read: 1, Write: 2, Execute: 4 });
const Geo = complex("Geo", [property("Latitude", "Edm.Double"), property("Longitude", "Edm.Double")]);
const Address = complex("Address", [
  property("Street", "Edm.String"),
  property("City", "Edm.String"),
  property("Location", Geo),
  property("Phones", "Edm.String", { isCollection: true }),
]);

/** `Boolean`, `Int32`, … one property of each primitive type, named after it. */
const everyPrimitive = PRIMITIVE_TYPE_NAMES.map((name) => property(name.slice("Edm.".length), name));

const Supplier = entity("Supplier", [property("Id", "Edm.Int32", key), property("Name", "Edm.String")]);
export const Product = entity(
  "Product",
  [
    property("Id", "Edm.Int32", key),
    property("Name", "Edm.String", { nullable: false }),
    property("Price", "Edm.Decimal", { facets: { precision: 12, scale: 2 } }),
    property("Active", "Edm.Boolean", { nullable: false }),
    property("Color", Color),
    property("Access", Access),
    property("Address", Address),
    property("Tags", "Edm.String", { isCollection: true, nullable: false }),
    property("Places", Address, { isCollection: true, nullable: false }),
    ...everyPrimitive,
    property("constructor", "Edm.String"),
  ],
  [
    navigation("Supplier", Supplier, false),
    navigation("Maker", Supplier, false),
    navigation("Parts", Supplier, true),
    navigation("Other", Supplier, true),
  ],
);

/** A type named in camelCase. */
export const Person = entity("Person", [
  property("userName", "Edm.String", key),
  property("birthDate", "Edm.Date"),
  property("homeAddress", Address, { field: "home_address" }),
]);

/** One set per type of a single key, and one of a composite key. */
export const Line = entity("Line", [
  property("OrderId", "Edm.Int64", { ...key, field: "order_id" }),
  property("Number", "Edm.Byte", { ...key, field: "__proto__" }),
  property("Note", "Edm.String"),
]);
const keyTypes: readonly PrimitiveTypeName[] = PRIMITIVE_TYPE_NAMES;
const keySets = keyTypes.map((name) => {
  const short = name.slice("Edm.".length);
  return set(`${short}Keys`, entity(`${short}Key`, [property("Id", name, key)]));
});

const products = set("Products", Product, ["Supplier", "Maker", "Parts"]);
const sets = [
  products,
  set("People", Person),
  set("Suppliers", Supplier),
  set("Lines", Line),
  set("Colors", entity("ColorKey", [property("Id", Color, key)])),
  ...keySets,
];
const toProduct = { entityType: Product, isCollection: false, entitySet: "Products" };
const toProducts = { ...toProduct, isCollection: true };
const greet = operation("Function", "Greet");
const reset = operation("Action", "Reset");

export const model: Model = {
  kind: "Model",
  namespace: "Shop",
  entityContainer: {
    kind: "EntityContainer",
    name: "Container",
    entitySets: new Map(sets.map((entitySet) => [entitySet.name, entitySet])),
    singletons: new Map(),
    functionImports: new Map([["Greet", { kind: "FunctionImport", name: "Greet", operation: greet }]]),
    actionImports: new Map([["Reset", { kind: "ActionImport", name: "Reset", operation: reset }]]),
  },
  entityTypes: new Map([Product, Person, Supplier, Line].map((type) => [type.name, type])),
  complexTypes: new Map([Address, Geo].map((type) => [type.name, type])),
  enumTypes: new Map([Color, Access].map((type) => [type.name, type])),
  operations: [
    operation("Function", "Total", toProduct),
    operation("Action", "Total", toProduct),
    operation("Action", "Name", toProduct),
    operation("Action", "Supplier", toProduct),
    operation("Function", "Best", toProducts),
    greet,
    reset,
  ],
};

/** An entity set of the model. */
export function entitySet(name: string): EntitySet {
  const found = model.entityContainer.entitySets.get(name);
  if (found === undefined) throw new Error(`There is no set ${name}.`);
  return found;
}

/** All options are enabled, without allowlists. */
export const everything: Capabilities = {
  filterEnabled: true,
  orderByEnabled: true,
  selectEnabled: true,
  expandEnabled: true,
  countEnabled: true,
  searchEnabled: false,
  filterProperties: null,
  orderByProperties: null,
  selectProperties: null,
  expandProperties: null,
  maxTop: null,
  roundingMode: "spec-compliant",
};
