import {
  allRows,
  arraySource,
  edm,
  entitySet,
  entityType,
  fn,
  hasMany,
  hasOptional,
  odataService,
  type EntityOf,
  type EntitySet,
  type EntityType,
  type Principal,
  type RowPredicate,
  type SearchExpression,
} from "odatakit";

/**
 * Customers of two regions with a tree of bosses, their orders, and the lines of those: users see the customers of their
 * region, the orders of such customers (regardless of who else sees them), and the lines that are not secret.
 */

export const Customer = entityType("Customer", {
  id: edm.int32().key(),
  name: edm.string(),
  region: edm.string().nullable(),
  bossId: edm.int32().nullable(),
});

export const Order = entityType("Order", {
  id: edm.int32().key(),
  title: edm.string(),
  total: edm.int32(),
  customerId: edm.int32().nullable(),
});

export const Line = entityType("Line", {
  id: edm.int32().key(),
  text: edm.string(),
  isSecret: edm.boolean(),
  orderId: edm.int32().nullable(),
});

const TYPES = { customers: Customer, orders: Order, lines: Line };
const TITLES = { customers: "Customers", orders: "Orders", lines: "Lines" };
export type SetName = keyof typeof TYPES;

type CustomerRow = EntityOf<typeof Customer>;
type OrderRow = EntityOf<typeof Order>;
type LineRow = EntityOf<typeof Line>;

export interface Data {
  readonly customers: readonly CustomerRow[];
  readonly orders: readonly OrderRow[];
  readonly lines: readonly LineRow[];
}

export const DATA: Data = {
  customers: [
    { id: 1, name: "Ann", region: "east", bossId: null },
    { id: 2, name: "Bob", region: "west", bossId: 1 },
    { id: 3, name: "Cid", region: "east", bossId: 2 },
    { id: 4, name: "Dan", region: null, bossId: 3 },
    { id: 5, name: "Eve", region: "east", bossId: 1 },
    { id: 6, name: "Fay", region: "west", bossId: 5 },
    { id: 7, name: "Gus", region: "east", bossId: 5 },
  ],
  orders: [
    { id: 10, title: "apples", total: 5, customerId: 1 },
    { id: 11, title: "pears", total: 7, customerId: 2 },
    { id: 12, title: "plums", total: 3, customerId: 3 },
    { id: 13, title: "figs", total: 9, customerId: null },
    { id: 14, title: "dates", total: 5, customerId: 1 },
    { id: 15, title: "limes", total: 1, customerId: 7 },
    { id: 16, title: "nuts", total: 5, customerId: 6 },
  ],
  lines: [
    { id: 100, text: "one", isSecret: false, orderId: 10 },
    { id: 101, text: "two", isSecret: true, orderId: 10 },
    { id: 102, text: "three", isSecret: false, orderId: 11 },
    { id: 103, text: "four", isSecret: false, orderId: 12 },
    { id: 104, text: "five", isSecret: true, orderId: 15 },
    { id: 105, text: "six", isSecret: false, orderId: 14 },
  ],
};

/** Returns the rows that a user of a region sees; null is the anonymous user. */
export function visibleTo(region: string | null): Data {
  if (region === null) return { customers: [], orders: [], lines: [] };
  const customers = DATA.customers.filter((each) => each.region === region);
  const orders = DATA.orders.filter(({ customerId }) => customers.some(({ id }) => id === customerId));
  return { customers, orders, lines: DATA.lines.filter(({ isSecret }) => !isSecret) };
}

/** How often the rule of each set was called. */
export type Asked = Record<SetName, number>;

/** The rules of the model; `fault` takes the place of all of them. */
function rulesOf(asked: Asked, fault: (() => RowPredicate) | undefined) {
  const rule =
    <R>(set: SetName, of: (region: string, row: R) => RowPredicate) =>
    ({ id = "", roles = [] }: Principal, row: R): RowPredicate => {
      asked[set] += 1;
      if (fault !== undefined) return fault();
      return roles.includes("admin") ? allRows : of(id, row);
    };
  interface Text {
    eq(value: string): RowPredicate;
  }
  interface Flag {
    eq(value: boolean): RowPredicate;
  }
  return {
    customers: rule<{ region: Text }>("customers", (region, { region: own }) => own.eq(region)),
    orders: rule<{ customer: { region: Text } }>("orders", (region, { customer }) => customer.region.eq(region)),
    lines: rule<{ isSecret: Flag }>("lines", (_region, { isSecret }) => isSecret.eq(false)),
  };
}

/** The forms of the sets. */
export const STYLES = ["sources", "lists", "batches", "populated"] as const;
export type Style = (typeof STYLES)[number];

type Row = Readonly<Record<string, unknown>>;

/** A navigation of the model: the field of the owner, and that of the related entities which has the same value. */
interface Link {
  readonly set: SetName;
  readonly name: string;
  readonly target: SetName;
  readonly isMany: boolean;
  readonly own: string;
  readonly related: string;
}

const LINKS: readonly Link[] = [
  { set: "customers", name: "orders", target: "orders", isMany: true, own: "id", related: "customerId" },
  { set: "customers", name: "boss", target: "customers", isMany: false, own: "bossId", related: "id" },
  { set: "customers", name: "reports", target: "customers", isMany: true, own: "id", related: "bossId" },
  { set: "orders", name: "customer", target: "customers", isMany: false, own: "customerId", related: "id" },
  { set: "orders", name: "lines", target: "lines", isMany: true, own: "id", related: "orderId" },
  { set: "lines", name: "order", target: "orders", isMany: false, own: "orderId", related: "id" },
];

/** The options of a service. */
export interface Making {
  readonly style: Style;
  readonly data: Data;
  /** Absent: no set has a rule. */
  readonly asked?: Asked;
  readonly fault?: () => RowPredicate;
  readonly logged?: unknown[];
}

/** A service, and its rows as they are. */
export function makeService({ style, data, asked, fault, logged }: Making) {
  const rows: Record<SetName, Row[]> = {
    customers: [...data.customers],
    orders: [...data.orders],
    lines: [...data.lines],
  };
  const rules = asked === undefined ? null : rulesOf(asked, fault);
  const store = new Store(rows, style);
  // Sets are made from data, so their types are not known to the compiler.
  const make = entitySet as unknown as (type: EntityType, options: object) => EntitySet;
  const log = (...given: readonly unknown[]): void => {
    logged?.push(given);
  };
  const service = odataService({
    propertyNaming: "PascalCase",
    namespace: "Shop",
    prefix: "",
    logger: { error: log, warn: log, info: log },
    defaults: { maxTop: 3, maxExpandTop: 2, allowDeepInsert: true, allowUpsert: true, idempotentDelete: false },
    authenticate: ({ headers }): Principal | null => {
      const id = headers.get("x-user");
      return id === null ? null : { id, roles: id === "admin" ? ["admin"] : [] };
    },
    entitySets: (Object.keys(TYPES) as SetName[]).map((set) =>
      make(TYPES[set], {
        ...store.reads(set),
        ...store.writes(set),
        ...(set === "orders" ? operations(rows) : {}),
        navigation: Object.fromEntries(
          LINKS.filter((link) => link.set === set).map((link) => [link.name, store.declare(link)]),
        ),
        ...(rules === null ? {} : { authorization: { rows: rules[set] } }),
      }),
    ),
  });
  return { service, rows, calls: store.calls };
}

/** Handlers that read all rows: the service removes rows that the caller may not see. */
function operations(rows: Record<SetName, Row[]>): object {
  return {
    functions: {
      first: fn({
        bound: "collection",
        params: { id: edm.int32() },
        returns: Order,
        handler: ({ id }) => (rows.orders.find((row) => row["id"] === id) as OrderRow | undefined) ?? null,
      }),
      everything: fn({ bound: "collection", returns: edm.collection(Order), handler: () => rows.orders as OrderRow[] }),
      linesOf: fn(Order, {
        bound: "entity",
        returns: edm.collection(Line),
        handler: (key) => rows.lines.filter(({ orderId }) => orderId === key) as LineRow[],
      }),
    },
  };
}

/** Rows in memory with the handlers over them; the application knows of no rule. */
class Store {
  /** Names of the handlers that were called to write. */
  readonly calls: string[] = [];
  readonly #rows: Record<SetName, Row[]>;
  readonly #style: Style;

  constructor(rows: Record<SetName, Row[]>, style: Style) {
    this.#rows = rows;
    this.#style = style;
  }

  reads(set: SetName): object {
    const source = () => arraySource(TYPES[set], this.#all(set) as never);
    const getAll = async () => this.#all(set);
    const search = ({ expression }: { readonly expression: SearchExpression }) =>
      this.#all(set).filter((row) => "text" in expression && JSON.stringify(row).includes(expression.text));
    return {
      ...(this.#style === "lists" ? { getAll } : { queryable: source }),
      getByKey: (key: unknown) => this.#all(set).find(({ id }) => id === key) ?? null,
      search,
    };
  }

  writes(set: SetName): object {
    const rows = this.#rows[set];
    const put = (key: unknown, change: (old: Row) => Row): Row | null => {
      const index = rows.findIndex(({ id }) => id === key);
      const old = rows[index];
      if (old === undefined) return null;
      return (rows[index] = change(old));
    };
    return {
      create: (entity: Row) => {
        this.calls.push("create");
        return this.#add(set, entity);
      },
      replace: (key: unknown, entity: Row) => {
        this.calls.push("replace");
        return put(key, () => ({ ...entity, id: key }));
      },
      patch: (key: unknown, delta: Row) => {
        this.calls.push("patch");
        return put(key, (old) => ({ ...old, ...delta }));
      },
      delete: (key: unknown) => {
        this.calls.push("delete");
        const index = rows.findIndex(({ id }) => id === key);
        return rows.splice(index, index < 0 ? 0 : 1).length > 0;
      },
    };
  }

  declare(link: Link): object {
    const { target, isMany, own, related } = link;
    const options = {
      target: TITLES[target],
      ...(this.#style === "sources" ? { on: { [own]: related } } : {}),
      ...this.#leads(link),
      ...(isMany ? { create: (key: unknown, entity: Row) => this.#createRelated(link, key, entity) } : {}),
    };
    // The options are made from data.
    return isMany ? hasMany(TYPES[target], options as object) : hasOptional(TYPES[target], options as object);
  }

  #leads(link: Link): object {
    const lead = (key: unknown): unknown => {
      const owner = this.#rows[link.set].find(({ id }) => id === key);
      return owner === undefined ? null : this.#related(link, owner);
    };
    // Routes need handlers; expressions and expansions use them, joins, or populated rows.
    if (this.#style === "batches") {
      return { getBatch: (keys: readonly unknown[]) => new Map(keys.map((key) => [key, lead(key)] as const)) };
    }
    return this.#style === "lists" ? { get: (key: unknown) => Promise.resolve(lead(key)) } : {};
  }

  #createRelated(link: Link, key: unknown, entity: Row): Row | null {
    this.calls.push("create");
    const owner = this.#rows[link.set].find(({ id }) => id === key);
    return owner === undefined ? null : this.#add(link.target, { ...entity, [link.related]: owner[link.own] });
  }

  #add(set: SetName, entity: Row): Row {
    const rows = this.#rows[set];
    const links = LINKS.filter((link) => link.set === set && link.isMany);
    const names = new Set(links.map(({ name }) => name));
    const own = Object.fromEntries(Object.entries(entity).filter(([field]) => !names.has(field)));
    // This handler overwrites a row with the same key: no hidden row may be within its reach.
    const index = rows.findIndex(({ id }) => id === own["id"]);
    if (index < 0) rows.push(own);
    else rows[index] = own;
    const nested = links.flatMap((link) => {
      const items = entity[link.name];
      if (!Array.isArray(items)) return [];
      const added = items.map((item: Row) => this.#add(link.target, { ...item, [link.related]: own[link.own] }));
      return [[link.name, added] as const];
    });
    return { ...own, ...Object.fromEntries(nested) };
  }

  #all(set: SetName): readonly Row[] {
    const rows = this.#rows[set];
    return this.#style === "populated" ? rows.map((row) => this.#populate(set, row)) : rows;
  }

  /** The row with all that it leads to. */
  #populate(set: SetName, row: Row): Row {
    const entity = { ...row };
    for (const link of LINKS.filter((each) => each.set === set)) {
      Object.defineProperty(entity, link.name, {
        get: () => {
          const related = this.#related(link, row);
          if (related === null) return null;
          return Array.isArray(related)
            ? related.map((each: Row) => this.#populate(link.target, each))
            : this.#populate(link.target, related as Row);
        },
      });
    }
    return entity;
  }

  #related({ target, isMany, own, related }: Link, owner: Row): readonly Row[] | Row | null {
    const found = owner[own] === null ? [] : this.#rows[target].filter((row) => row[related] === owner[own]);
    return isMany ? found : (found[0] ?? null);
  }
}
