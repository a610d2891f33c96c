import type {
  EntitySet,
  EnumType,
  Model,
  Navigation,
  Operation,
  Property,
  PropertyType,
  SetAbilities,
  StructuredType,
} from "../../../explorer/src/model/model.ts";

/** Makes the type of a primitive, such as `Int32`. */
export function primitive(name: string): PropertyType {
  return { kind: "primitive", name: `Edm.${name}` };
}

/** Makes a property. */
export function property(name: string, type: PropertyType | string, parts: Partial<Property> = {}): Property {
  return {
    name,
    label: null,
    type: typeof type === "string" ? primitive(type) : type,
    isCollection: false,
    isNullable: true,
    description: null,
    hasComputedDefault: false,
    immutable: false,
    isNotCreated: false,
    readOnly: false,
    defaultValue: null,
    maxLength: null,
    isMultiLine: false,
    mediaType: null,
    ...parts,
  };
}

function byName<Named extends { readonly name: string }>(items: readonly Named[]): Map<string, Named> {
  return new Map(items.map((each) => [each.name, each]));
}

/** Makes a type whose first property is the key. */
export function entityType(name: string, properties: readonly Property[], keys = 1): StructuredType {
  return {
    kind: "entity",
    name,
    qualifiedName: `Shop.${name}`,
    key: properties.slice(0, keys),
    statedLabel: [],
    properties: byName(properties),
    hidden: [],
    navigations: new Map(),
    description: null,
  };
}

const ALL: SetAbilities = {
  canRead: true,
  canReadByKey: true,
  canCreate: true,
  canUpdate: true,
  updatesByPut: false,
  canDelete: true,
  canInvoke: true,
  canSelect: true,
  canCount: true,
  canTop: true,
  canSkip: true,
  canSearch: true,
  canFilter: true,
  canSort: true,
  canExpand: true,
  canApply: true,
  filterable: (name) => name !== "Secret",
  sortable: (name) => name !== "Address/City",
  expandable: () => true,
  navigable: () => true,
  applies: () => true,
  groupable: () => true,
  methodsOf: () => [],
};

export const COLOR: EnumType = {
  name: "Color",
  qualifiedName: "Shop.Color",
  description: null,
  isFlags: false,
  members: [
    { name: "Red", value: "0", description: null },
    { name: "Blue", value: "1", description: "like the sky" },
  ],
};

export const DAYS: EnumType = {
  ...COLOR,
  name: "Days",
  qualifiedName: "Shop.Days",
  isFlags: true,
  members: [
    { name: "Monday", value: "1", description: null },
    { name: "Tuesday", value: "2", description: null },
  ],
};

function navigation(name: string, target: StructuredType, isCollection: boolean): Navigation {
  return { name, target, isCollection, isNullable: true, partner: null, constraints: new Map(), description: null };
}

function set(name: string, type: StructuredType, bindings: Readonly<Record<string, string>>): EntitySet {
  return { name, type, description: null, bindings: new Map(Object.entries(bindings)), abilities: ALL };
}

function makeModel(): Model {
  const address: StructuredType = {
    ...entityType("Address", [property("City", "String"), property("Zip", "String")]),
    kind: "complex",
    key: [],
  };
  const customer = entityType("Customer", [
    property("Code", "String", { isNullable: false }),
    property("Name", "String", { description: "how we call them" }),
    property("Address", { kind: "complex", type: address }),
  ]);
  const order = entityType("Order", [
    property("Id", "Int32", { isNullable: false }),
    property("Total", "Decimal"),
    property("PlacedAt", "DateTimeOffset"),
    property("Color", { kind: "enum", enum: COLOR }),
    property("Days", { kind: "enum", enum: DAYS }),
    property("IsPaid", "Boolean"),
    property("Tags", "String", { isCollection: true }),
    property("Secret", "String"),
    property("Photo", "Stream"),
  ]);
  const item = entityType(
    "Item",
    [property("OrderId", "Int32"), property("No", "Int32"), property("Price", "Double")],
    2,
  );
  const orderType = {
    ...order,
    navigations: byName([navigation("Customer", customer, false), navigation("Items", item, true)]),
  };
  const customerType = { ...customer, navigations: byName([navigation("Orders", orderType, true)]) };
  // The navigation of an order leads to the customer without navigations, so that the types contain no circle.
  return {
    title: "Shop",
    description: null,
    sets: byName([
      set("Orders", orderType, { Customer: "Customers", Items: "Items" }),
      set("Customers", customerType, { Orders: "Orders" }),
      set("Items", item, {}),
    ]),
    singletons: byName([set("Best", orderType, { Customer: "Customers" })]),
    types: new Map([orderType, customerType, item, address].map((type) => [type.qualifiedName, type])),
    enums: new Map([COLOR, DAYS].map((type) => [type.qualifiedName, type])),
    operations: [topOrders(orderType)],
  };
}

function topOrders(type: StructuredType): Operation {
  return {
    name: "TopOrders",
    qualifiedName: "Shop.TopOrders",
    importName: "TopOrders",
    kind: "function",
    boundTo: null,
    boundToCollection: false,
    parameters: [{ ...property("count", "Int32", { isNullable: false }), isOptional: false }],
    result: { type: { kind: "complex", type }, isCollection: true },
    entitySet: "Orders",
    description: "the greatest orders",
  };
}

/** A model of orders, their customers and items. */
export const MODEL: Model = makeModel();

/** Returns a set of the model. */
export function setNamed(name: string): EntitySet {
  const found = MODEL.sets.get(name);
  if (found === undefined) throw new Error(`The model has no set ${name}.`);
  return found;
}
