import { arraySource, edm, entitySet, entityType, hasMany, hasOptional, odataService } from "odatakit";
import { Calls } from "./expand-model.ts";

export const Country = entityType("Country", { code: edm.string().key(), name: edm.string() });
export const Customer = entityType("Customer", {
  id: edm.int32().key(),
  name: edm.string().nullable(),
  tags: edm.collection(edm.string()),
  countryCode: edm.string().ignored().nullable(),
  secret: edm.string(),
});
export const Order = entityType("Order", {
  id: edm.int32().key(),
  placedAt: edm.dateTimeOffset(),
  customerId: edm.int32().nullable(),
});
export const Line = entityType("Line", {
  orderId: edm.int32().key(),
  number: edm.int32().key(),
  quantity: edm.int32(),
  productId: edm.int32().nullable(),
});
export const Product = entityType("Product", { id: edm.int32().key(), name: edm.string(), price: edm.decimal() });

export const COUNTRIES = [
  { code: "DE", name: "Germany" },
  { code: "NO", name: "Norway" },
  { code: "o'n", name: "O'Neil" },
] as const;
export const CUSTOMERS = [
  { id: 1, name: "Ada", tags: ["gold", "old"], countryCode: "NO", secret: "x" },
  { id: 2, name: null, tags: [], countryCode: "DE", secret: "x" },
  { id: 3, name: "Cai", tags: ["gold"], countryCode: null, secret: "y" },
  { id: 4, name: "Dee", tags: [], countryCode: "??", secret: "x" },
] as const;
export const ORDERS = [
  { id: 1, placedAt: "2024-01-01T00:00:00Z", customerId: 1 },
  { id: 2, placedAt: "2024-01-02T00:00:00Z", customerId: 2 },
  { id: 3, placedAt: "2024-01-03T00:00:00Z", customerId: 3 },
  { id: 4, placedAt: "2024-01-04T00:00:00Z", customerId: null },
  { id: 5, placedAt: "2024-01-05T00:00:00Z", customerId: 1 },
  { id: 6, placedAt: "2024-01-06T00:00:00Z", customerId: 99 },
] as const;
export const LINES = [
  { orderId: 1, number: 1, quantity: 1, productId: 1 },
  { orderId: 1, number: 2, quantity: 5, productId: 2 },
  { orderId: 2, number: 1, quantity: 2, productId: null },
  { orderId: 5, number: 1, quantity: 9, productId: 2 },
  { orderId: 5, number: 2, quantity: 1, productId: 2 },
  { orderId: 5, number: 3, quantity: 3, productId: 3 },
] as const;
export const PRODUCTS = [
  { id: 1, name: "Tea", price: "3.50" },
  { id: 2, name: "Pot", price: "20.00" },
  { id: 3, name: "ada", price: "1" },
] as const;

/** Where the related entities of every navigation come from. */
export const LOADS = ["getBatch", "get", "getLater", "queryable", "getAll", "entities"] as const;
export type Load = (typeof LOADS)[number];

export interface ShopOptions {
  readonly load?: Load;
  /** How the orders themselves are read. */
  readonly form?: "queryable" | "getAll";
  readonly defaults?: Parameters<typeof odataService>[0]["defaults"];
  /** Further settings of the sets. */
  readonly customers?: object;
  readonly orders?: object;
  readonly lines?: object;
}

type Find<K> = (key: K) => object | readonly object[] | null;

/** The declaration of one navigation: its handler, or the join that replaces it. */
function loaded<K>(load: Load, name: string, calls: Calls, find: Find<K>, on: object): object {
  const one = (key: K): object | null => {
    calls.note(name);
    return find(key);
  };
  switch (load) {
    case "get":
      return { get: one };
    case "getLater":
      return { get: async (key: K) => one(key) };
    case "getBatch":
      return {
        // The join exists too, but the handler takes precedence.
        on,
        getBatch: (keys: readonly K[]) => {
          calls.note(name);
          calls.batches.push(keys);
          const pairs = keys.map((key) => [key, find(key)] as const);
          return new Map(pairs.filter(([, related]) => related !== null));
        },
      };
    case "queryable":
    case "getAll":
      return { on };
    case "entities":
      return {};
  }
}

type Row = Readonly<Record<string, unknown>>;

/** Orders of customers in countries, with lines of products. */
export function shop({ load = "queryable", form = "queryable", ...options }: ShopOptions = {}) {
  const calls = new Calls();
  const { defaults = {}, customers = {}, orders = {}, lines = {} } = options;
  const customerOf = (id: number) => {
    const customerId = ORDERS.find((order) => order.id === id)?.customerId;
    return withRelations(CUSTOMERS.find((customer) => customer.id === customerId) ?? null, customerParts);
  };
  const countryOf = (id: number) => {
    const code = CUSTOMERS.find((customer) => customer.id === id)?.countryCode;
    return COUNTRIES.find((country) => country.code === code) ?? null;
  };
  const linesOf = (id: number) =>
    LINES.filter(({ orderId }) => orderId === id).map((line) => withRelations(line, lineParts));
  const productOf = ({ orderId, number }: { readonly orderId: number; readonly number: number }) => {
    const line = LINES.find((each) => each.orderId === orderId && each.number === number);
    return PRODUCTS.find(({ id }) => id === line?.productId) ?? null;
  };
  const ordersOf = (id: number) =>
    ORDERS.filter(({ customerId }) => customerId === id).map((order) => withRelations(order, orderParts));
  // Only where handlers put them there do entities hold their related ones.
  const isLoaded = load === "entities";
  function withRelations<R extends Row | null>(row: R, parts: (row: NonNullable<R>) => object): R {
    if (!isLoaded || row === null) return row;
    // Getters, because the orders of a customer lead back to it.
    return Object.defineProperties({ ...row }, Object.getOwnPropertyDescriptors(parts(row)));
  }
  const lineParts = (line: Row): object => ({ product: productOf(line as never) });
  const customerParts = (customer: Row): object => ({
    country: countryOf(Number(customer["id"])),
    get orders() {
      return ordersOf(Number(customer["id"]));
    },
  });
  const orderParts = (order: Row): object => ({
    get customer() {
      return customerOf(Number(order["id"]));
    },
    lines: linesOf(Number(order["id"])),
  });
  const read = (
    type: never,
    name: string,
    rows: readonly object[],
    parts: (row: Row) => object = () => ({}),
  ): object => {
    const all = (): readonly object[] => {
      calls.note(name);
      return rows.map((row) => withRelations(row as Row, parts));
    };
    return load === "getAll" ? { getAll: all } : { queryable: () => arraySource(type, all() as never) };
  };
  const readOrders = (): object =>
    form === "getAll"
      ? { getAll: () => ORDERS.map((order) => withRelations(order, orderParts)) }
      : {
          queryable: () =>
            arraySource(
              Order,
              ORDERS.map((order) => withRelations(order, orderParts)),
            ),
        };
  const Countries = entitySet(Country, read(Country as never, "Countries", COUNTRIES));
  const Customers = entitySet(Customer, {
    ...read(Customer as never, "Customers", CUSTOMERS, customerParts),
    ...customers,
    navigation: {
      country: hasOptional(Country, {
        target: "Countries",
        ...loaded(load, "country", calls, countryOf, { countryCode: "code" }),
      }),
      orders: hasMany(Order, {
        target: "Orders",
        ...loaded(load, "orders", calls, ordersOf, { id: "customerId" }),
      }),
    },
  });
  const Orders = entitySet(Order, {
    ...readOrders(),
    ...orders,
    navigation: {
      customer: hasOptional(Customer, {
        target: "Customers",
        ...loaded(load, "customer", calls, customerOf, { customerId: "id" }),
      }),
      lines: hasMany(Line, {
        target: "Lines",
        ...loaded(load, "lines", calls, linesOf, { id: "orderId" }),
      }),
    },
  });
  const Lines = entitySet(Line, {
    ...read(Line as never, "Lines", LINES, lineParts),
    ...lines,
    navigation: {
      product: hasOptional(Product, {
        target: "Products",
        ...loaded(load, "product", calls, productOf, { productId: "id" }),
      }),
    },
  });
  const Products = entitySet(Product, read(Product as never, "Products", PRODUCTS));
  const logged: unknown[] = [];
  const service = odataService({
    prefix: "/s",
    namespace: "Shop",
    entitySets: [Countries, Customers, Orders, Lines, Products],
    defaults,
    logger: { error: (_message, fields) => void logged.push(fields), warn: () => {}, info: () => {} },
  });
  return { service, calls, logged };
}
