import {
  action,
  arraySource,
  complexType,
  edm,
  entitySet,
  entityType,
  enumType,
  fn,
  hasMany,
  hasOptional,
  odataService,
  type ODataService,
  type ServiceOptions,
} from "odatakit";

export const Status = enumType("Status", { Draft: 0, Paid: 1 });
export const Rights = enumType("Rights", { Read: 1, Write: 2 }, { isFlags: true });
export const Address = complexType("Address", { street: edm.string(), city: edm.string().nullable() });
export const SECRET = "hushHush";

export const Line = entityType("Line", {
  orderId: edm.int32().key(),
  no: edm.int32().key(),
  text: edm.string().nullable(),
});
export const Order = entityType("Order", {
  id: edm.int32().key().computed(),
  status: edm.enum(Status).default("Draft"),
  rights: edm.enum(Rights).nullable(),
  total: edm.decimal({ precision: 12, scale: 2 }),
  shipTo: edm.complex(Address).nullable(),
  tags: edm.collection(edm.string()),
  note: edm.string({ maxLength: 80 }).nullable().json("remark").describe("What the customer wrote"),
  placedBy: edm.string().immutable(),
  version: edm.int32().computed(),
  [SECRET]: edm.string().ignored(),
});
export const Tag = entityType("Tag", { name: edm.string().key(), weight: edm.double() });

const nothing = () => null;
const gone = (): never => {
  throw new Error("Nothing is called.");
};

/** A set of orders with all routes. */
export const orders = () =>
  entitySet(Order, {
    queryable: () => arraySource(Order, []),
    getByKey: nothing,
    create: gone,
    replace: gone,
    patch: gone,
    delete: gone,
    search: () => [],
    etag: ["version"],
    maxTop: 50,
    allowUpsert: true,
    allowDeepInsert: true,
    filterProperties: ["total", "status"],
    propertyRouteDocsEnabled: true,
    navigation: {
      lines: hasMany(Line, {
        on: { id: "orderId" },
        target: "Lines",
        get: () => [],
        create: gone,
        addRef: gone,
        removeRef: gone,
      }),
      parent: hasOptional(Order, { target: "Orders", get: nothing, setRef: gone, removeRef: gone }),
    },
    functions: {
      Similar: fn(Order, {
        bound: "entity",
        returns: edm.int32(),
        params: { most: edm.int32() },
        handler: (_key) => 1,
      }),
      Late: fn(Order, {
        bound: "collection",
        composable: true,
        params: { near: edm.complex(Address), by: edm.string().default("x") },
        returns: edm.collection(Order),
        handler: gone,
      }),
    },
    actions: {
      Ship: action(Order, {
        bound: "entity",
        params: { to: edm.complex(Address) },
        returns: Order,
        handler: (_key) => null,
      }),
      Purge: action(Order, { bound: "collection", handler: () => undefined }),
    },
  });

/** A service with everything that a document can describe. */
export function everything(options: Partial<ServiceOptions> = {}): ODataService {
  return odataService({
    prefix: "/shop",
    namespace: "Shop",
    entitySets: [
      orders(),
      entitySet(Line, { getAll: () => [], getByKey: nothing }),
      entitySet(Tag, {
        queryable: () => arraySource(Tag, []),
        getByKey: nothing,
        filterEnabled: false,
        orderByEnabled: false,
        selectEnabled: false,
        expandEnabled: false,
        countEnabled: false,
        maxTop: null,
        maxRequestBodyBytes: null,
        create: gone,
      }),
    ],
    functions: { Version: fn({ returns: edm.string(), handler: () => "1" }) },
    actions: { Reset: action({ params: { hard: edm.boolean().default(false) }, handler: () => undefined }) },
    ...options,
  });
}
