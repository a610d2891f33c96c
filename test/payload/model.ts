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
} from "../../src/edm/model.ts";
import { PRIMITIVE_TYPES, type PrimitiveTypeName } from "../../src/edm/primitive-type.ts";

/** A model with all variants of properties that writers distinguish. */

type Extra = Partial<Omit<StructuralProperty, "kind" | "name" | "type">>;

export function property(name: string, type: PrimitiveTypeName | ValueType, extra: Extra = {}): StructuralProperty {
  return {
    kind: "StructuralProperty",
    name,
    field: name.charAt(0).toLowerCase() + name.slice(1),
    type: typeof type === "string" ? PRIMITIVE_TYPES[type] : type,
    isCollection: false,
    nullable: false,
    isKey: false,
    computed: false,
    immutable: false,
    facets: {},
    index: 0,
    ...extra,
  };
}

const lowerCased = (members: ReadonlyMap<string, ModelProperty>): ReadonlyMap<string, ModelProperty> =>
  new Map([...members].map(([name, member]) => [name.toLowerCase(), member]));

export function complexType(name: string, properties: readonly StructuralProperty[]): ComplexType {
  const members = new Map<string, ModelProperty>(properties.map((item) => [item.name, item]));
  return {
    kind: "ComplexType",
    name,
    qualifiedName: `Shop.${name}`,
    properties,
    ignoredProperties: [],
    members,
    membersIgnoringCase: lowerCased(members),
  };
}

export function enumType(name: string, members: Record<string, number>, isFlags = false): EnumType {
  return {
    kind: "EnumType",
    name,
    qualifiedName: `Shop.${name}`,
    isFlags,
    members: new Map(Object.entries(members)),
  };
}

export function entityType(
  name: string,
  properties: readonly StructuralProperty[],
  navigationProperties: readonly NavigationProperty[] = [],
): EntityType {
  const members = new Map<string, ModelProperty>(
    [...properties, ...navigationProperties].map((item) => [item.name, item]),
  );
  return {
    kind: "EntityType",
    name,
    qualifiedName: `Shop.${name}`,
    properties,
    key: properties.filter((item) => item.isKey),
    ignoredProperties: [],
    navigationProperties,
    members,
    membersIgnoringCase: lowerCased(members),
  };
}

export function entitySet(name: string, type: EntityType, extra: Partial<EntitySet> = {}): EntitySet {
  return {
    kind: "EntitySet",
    name,
    entityType: type,
    navigationProperties: new Map(type.navigationProperties.map((item) => [item.name, item])),
    navigationPropertyBindings: new Map(),
    navigationJoins: new Map(),
    etag: [],
    ...extra,
  };
}

export const Status = enumType("Status", { Draft: 0, Paid: 1, Shipped: 2 });
export const Access = enumType("Access", { Read: 1, Write: 2, Admin: 4_294_967_296 }, true);

export const Geo = complexType("Geo", [property("Latitude", "Edm.Double"), property("Longitude", "Edm.Double")]);
export const Address = complexType("Address", [
  property("Street", "Edm.String", { facets: { maxLength: 120 } }),
  property("City", "Edm.String", { nullable: true }),
  property("Geo", Geo, { nullable: true }),
]);

export const customerType = {
  ...entityType("Customer", [
    property("Id", "Edm.Int32", { isKey: true }),
    property("Name", "Edm.String", { facets: { maxLength: 80 }, description: 'Legal <name> & "seat"' }),
  ]),
  description: "Whoever buys",
};

const lineProperties = [
  property("OrderId", "Edm.Int64", { isKey: true }),
  property("Number", "Edm.String", { isKey: true }),
  property("Quantity", "Edm.Int16", { defaultValue: 1 }),
];
export const lineType = entityType("Line", lineProperties);

/** One property per type, and each of the modifiers. */
const orderProperties: readonly StructuralProperty[] = [
  property("Id", "Edm.Int64", { isKey: true, computed: true }),
  property("CustomerId", "Edm.Int32", { nullable: true }),
  property("Active", "Edm.Boolean", { defaultValue: true }),
  property("Small", "Edm.Byte", { nullable: true }),
  property("Signed", "Edm.SByte", { nullable: true }),
  property("Short", "Edm.Int16", { nullable: true }),
  property("Ratio", "Edm.Single", { nullable: true }),
  property("Weight", "Edm.Double", { nullable: true }),
  property("Total", "Edm.Decimal", { facets: { precision: 12, scale: 2 } }),
  property("Rate", "Edm.Decimal", { nullable: true }),
  property("Note", "Edm.String", { nullable: true, field: "remark" }),
  property("Token", "Edm.Guid", { nullable: true, immutable: true }),
  property("Picture", "Edm.Binary", { nullable: true, facets: { maxLength: 1000 } }),
  property("ShipDate", "Edm.Date", { nullable: true }),
  property("ShipTime", "Edm.TimeOfDay", { nullable: true }),
  property("PlacedAt", "Edm.DateTimeOffset", { nullable: true, facets: { precision: 3 } }),
  property("Lead", "Edm.Duration", { nullable: true }),
  property("Status", Status, { defaultValue: "Draft" }),
  property("Access", Access, { nullable: true }),
  property("ShipTo", Address, { nullable: true }),
  property("Tags", "Edm.String", { isCollection: true }),
  property("Marks", "Edm.Decimal", { isCollection: true, nullable: true }),
  property("Statuses", Status, { isCollection: true }),
  property("Stops", Address, { isCollection: true }),
];

const customer: NavigationProperty = {
  kind: "NavigationProperty",
  name: "Customer",
  field: "customer",
  entityType: customerType,
  isCollection: false,
  nullable: true,
  partner: undefined,
  referentialConstraints: [{ property: orderProperties[1]!, referencedProperty: customerType.key[0]! }],
  description: "Who pays",
};

const lines: NavigationProperty = {
  kind: "NavigationProperty",
  name: "Lines",
  field: "lines",
  entityType: lineType,
  isCollection: true,
  nullable: false,
  referentialConstraints: [{ property: orderProperties[0]!, referencedProperty: lineType.key[0]! }],
};

const carrier: NavigationProperty = {
  kind: "NavigationProperty",
  name: "Carrier",
  field: "carrier",
  entityType: customerType,
  isCollection: false,
  nullable: false,
  partner: "Carried",
  referentialConstraints: [],
};

export const orderType = entityType("Order", orderProperties, [customer, lines, carrier]);

export const orders = entitySet("Orders", orderType, {
  navigationPropertyBindings: new Map([
    ["Customer", "Customers"],
    ["Lines", "Lines"],
  ]),
  etag: [orderType.properties[0]!, orderType.properties[8]!],
});
export const customers = entitySet("Customers", customerType);
export const linesSet = entitySet("Lines", lineType);

const total: Operation = {
  kind: "Function",
  name: "Total",
  qualifiedName: "Shop.Total",
  binding: { entityType: orderType, isCollection: false, entitySet: "Orders" },
  parameters: [],
  returnType: { type: PRIMITIVE_TYPES["Edm.Decimal"], isCollection: false, nullable: true, facets: {} },
  isComposable: false,
};

const late: Operation = {
  kind: "Function",
  name: "Late",
  qualifiedName: "Shop.Late",
  binding: { entityType: orderType, isCollection: true, entitySet: "Orders" },
  parameters: [
    {
      name: "days",
      type: PRIMITIVE_TYPES["Edm.Int32"],
      isCollection: false,
      nullable: false,
      facets: {},
      defaultValue: 7,
    },
    { name: "status", type: Status, isCollection: false, nullable: true, facets: {} },
  ],
  returnType: { type: orderType, isCollection: true, nullable: false, facets: {} },
  isComposable: true,
};

const approve: Operation = {
  kind: "Action",
  name: "Approve",
  qualifiedName: "Shop.Approve",
  binding: { entityType: orderType, isCollection: false, entitySet: "Orders" },
  parameters: [
    {
      name: "note",
      type: PRIMITIVE_TYPES["Edm.String"],
      isCollection: false,
      nullable: true,
      facets: { maxLength: 10 },
      defaultValue: null,
    },
    { name: "tags", type: PRIMITIVE_TYPES["Edm.String"], isCollection: true, nullable: false, facets: {} },
  ],
  isComposable: true,
};

const greet: Operation = {
  kind: "Function",
  name: "Greet",
  qualifiedName: "Shop.Greet",
  parameters: [],
  returnType: { type: Address, isCollection: true, nullable: true, facets: {} },
  isComposable: false,
};

const reset: Operation = {
  kind: "Action",
  name: "Reset",
  qualifiedName: "Shop.Reset",
  parameters: [],
  isComposable: false,
};

export const model: Model = {
  kind: "Model",
  namespace: "Shop",
  entityContainer: {
    kind: "EntityContainer",
    name: "Container",
    entitySets: new Map([orders, customers, linesSet].map((set) => [set.name, set])),
    singletons: new Map(),
    functionImports: new Map([["Greet", { kind: "FunctionImport", name: "Greet", operation: greet }]]),
    actionImports: new Map([["Reset", { kind: "ActionImport", name: "Reset", operation: reset }]]),
  },
  entityTypes: new Map([orderType, customerType, lineType].map((type) => [type.name, type])),
  complexTypes: new Map([Address, Geo].map((type) => [type.name, type])),
  enumTypes: new Map([Status, Access].map((type) => [type.name, type])),
  operations: [total, late, approve, greet, reset],
};
