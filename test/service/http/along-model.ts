import { Kysely, sql } from "kysely";
import {
  arraySource,
  type Authorization,
  type AuthorizationRules,
  type BodyOf,
  edm,
  type EntityOf,
  entitySet,
  entityType,
  type EntityType,
  hasMany,
  hasOptional,
  odataService,
  type ResultOf,
} from "odatakit";
import { sqlEntitySet } from "odatakit/kysely";
import { sqliteDialect } from "odatakit/sqlite";
import { authenticate } from "./guarded-model.ts";
import { noFailures } from "./model.ts";

const Region = entityType("Region", { id: edm.int32().key(), name: edm.string() });
const Badge = entityType("Badge", {
  id: edm.int32().key(),
  customerId: edm.int32().nullable(),
  code: edm.string(),
});
const Customer = entityType("Customer", {
  id: edm.int32().key(),
  regionId: edm.int32().nullable(),
  name: edm.string(),
});
export const Line = entityType("Line", {
  id: edm.int32().key(),
  orderId: edm.int32().nullable(),
  text: edm.string(),
});
export const Order = entityType("Order", {
  id: edm.int32().key(),
  customerId: edm.int32().nullable(),
  note: edm.string(),
});

/** The sets of the model, and the navigations between them. */
export const SETS = ["Orders", "Lines", "Customers", "Regions", "Badges"] as const;
export type SetName = (typeof SETS)[number];
export const NAVIGATIONS = [
  "Orders.Lines",
  "Orders.Customer",
  "Lines.Order",
  "Customers.Region",
  "Customers.Orders",
  "Customers.Badge",
] as const;
export type NavigationName = (typeof NAVIGATIONS)[number];

/** Rules of a set that do not depend on the entity. */
interface SetRules {
  readonly read?: AuthorizationRules<EntityType>;
  readonly create?: AuthorizationRules<EntityType>;
  readonly update?: AuthorizationRules<EntityType>;
}

/** Rules of each set, and the navigations that skip those of their target. */
export interface AlongRules {
  readonly sets: Readonly<Partial<Record<SetName, SetRules>>>;
  readonly skipping: readonly NavigationName[];
}

type Database = Readonly<Record<string, Readonly<Record<string, unknown>>>>;
type Row = Record<string, unknown>;

const DATA: Readonly<Record<string, readonly Row[]>> = {
  regions: [{ id: 1, name: "North" }],
  customers: [
    { id: 1, regionId: 1, name: "Ada" },
    { id: 2, regionId: null, name: "Bo" },
  ],
  badges: [
    { id: 1, customerId: 1, code: "a" },
    { id: 2, customerId: null, code: "b" },
  ],
  orders: [
    { id: 1, customerId: 1, note: "first" },
    { id: 2, customerId: 2, note: "second" },
  ],
  lines: [
    { id: 1, orderId: 1, text: "x" },
    { id: 2, orderId: 1, text: "y" },
    { id: 3, orderId: 2, text: "z" },
  ],
};

/** A service, the calls of its handlers, and a function that restores its data. */
export interface AlongService {
  readonly service: ReturnType<typeof odataService>;
  readonly calls: string[];
  readonly reset: () => Promise<void>;
}

/** Options of a set and of its navigations by the rules. */
function optionsOf({ sets, skipping }: AlongRules) {
  const rules = <E extends EntityType>(_type: E, name: SetName): { readonly authorization?: Authorization<E> } =>
    sets[name] === undefined ? {} : { authorization: sets[name] };
  const skips = (name: NavigationName) => (skipping.includes(name) ? ({ authorization: "parent" } as const) : {});
  return { rules, skips };
}

/** The service over arrays, with a handler for every route along its navigations. */
export function alongArrays(given: AlongRules): AlongService {
  const { rules, skips } = optionsOf(given);
  const calls: string[] = [];
  const note = <T>(name: string, value: T): T => {
    calls.push(name);
    return value;
  };
  const rowsOf = <T>(name: string): readonly T[] => note(name, DATA[name] ?? []) as readonly T[];
  const find = <T>(name: string, key: unknown): T | null =>
    rowsOf<T & { readonly id: number }>(name).find(({ id }) => id === key) ?? null;
  const readable = <E extends EntityType>(type: E, name: string) => ({
    queryable: () => arraySource(type, rowsOf(name)),
    getByKey: (key: unknown) => find<EntityOf<E>>(name, key) as ResultOf<E> | null,
    create: (entity: BodyOf<E>) => note(`create ${name}`, entity) as unknown as ResultOf<E>,
  });
  const done = (name: string) => () => note(name, undefined);
  const service = odataService({
    prefix: "",
    profile: "standard",
    entitySets: [
      entitySet(Order, {
        ...readable(Order, "orders"),
        allowDeepInsert: true,
        navigation: {
          lines: hasMany(Line, {
            target: "Lines",
            on: { id: "orderId" },
            get: (key) =>
              rowsOf<{ id: number; orderId: number; text: string }>("lines").filter(({ orderId }) => orderId === key),
            create: (_key, line) => note("create lines", line),
            addRef: done("addRef"),
            removeRef: done("removeRef"),
            ...skips("Orders.Lines"),
          }),
          customer: hasOptional(Customer, {
            target: "Customers",
            on: { customerId: "id" },
            get: (key) => find("customers", find<{ customerId: number }>("orders", key)?.customerId),
            setRef: done("setRef"),
            removeRef: done("removeRef"),
            ...skips("Orders.Customer"),
          }),
        },
        ...rules(Order, "Orders"),
      }),
      entitySet(Line, {
        ...readable(Line, "lines"),
        navigation: {
          order: hasOptional(Order, { target: "Orders", on: { orderId: "id" }, ...skips("Lines.Order") }),
        },
        ...rules(Line, "Lines"),
      }),
      entitySet(Customer, {
        ...readable(Customer, "customers"),
        navigation: {
          region: hasOptional(Region, { target: "Regions", on: { regionId: "id" }, ...skips("Customers.Region") }),
          orders: hasMany(Order, { target: "Orders", on: { id: "customerId" }, ...skips("Customers.Orders") }),
          badge: hasOptional(Badge, {
            target: "Badges",
            on: { id: "customerId" },
            get: (key) =>
              rowsOf<{ id: number; customerId: number; code: string }>("badges").find(
                ({ customerId }) => customerId === key,
              ) ?? null,
            setRef: done("setRef"),
            removeRef: done("removeRef"),
            ...skips("Customers.Badge"),
          }),
        },
        ...rules(Customer, "Customers"),
      }),
      entitySet(Region, { ...readable(Region, "regions"), ...rules(Region, "Regions") }),
      entitySet(Badge, { ...readable(Badge, "badges"), ...rules(Badge, "Badges") }),
    ],
    authenticate,
    challenge: 'Bearer realm="folders"',
    logger: noFailures,
  });
  return { service, calls, reset: () => Promise.resolve() };
}

const db = new Kysely<Database>({
  dialect: sqliteDialect(":memory:"),
  log: ({ query }) => {
    statements.push(query.sql);
  },
});
const statements: string[] = [];

/** The same service over tables of SQLite. */
export function alongTables(given: AlongRules): AlongService {
  const { rules, skips } = optionsOf(given);
  const operations = ["read", "create", "patch"] as const;
  const service = odataService({
    prefix: "",
    profile: "standard",
    // The statements of a request are counted, and not those of the first one.
    schemaCheck: false,
    entitySets: [
      sqlEntitySet(Order, {
        db,
        table: "orders",
        operations,
        allowDeepInsert: true,
        navigation: {
          lines: hasMany(Line, { target: "Lines", on: { id: "orderId" }, ...skips("Orders.Lines") }),
          customer: hasOptional(Customer, {
            target: "Customers",
            on: { customerId: "id" },
            ...skips("Orders.Customer"),
          }),
        },
        ...rules(Order, "Orders"),
      }),
      sqlEntitySet(Line, {
        db,
        table: "lines",
        operations,
        navigation: {
          order: hasOptional(Order, { target: "Orders", on: { orderId: "id" }, ...skips("Lines.Order") }),
        },
        ...rules(Line, "Lines"),
      }),
      sqlEntitySet(Customer, {
        db,
        table: "customers",
        operations,
        navigation: {
          region: hasOptional(Region, { target: "Regions", on: { regionId: "id" }, ...skips("Customers.Region") }),
          orders: hasMany(Order, { target: "Orders", on: { id: "customerId" }, ...skips("Customers.Orders") }),
          badge: hasOptional(Badge, { target: "Badges", on: { id: "customerId" }, ...skips("Customers.Badge") }),
        },
        ...rules(Customer, "Customers"),
      }),
      sqlEntitySet(Region, { db, table: "regions", operations, ...rules(Region, "Regions") }),
      sqlEntitySet(Badge, { db, table: "badges", operations, ...rules(Badge, "Badges") }),
    ],
    authenticate,
    challenge: 'Bearer realm="folders"',
    logger: noFailures,
  });
  const reset = async (): Promise<void> => {
    for (const [table, rows] of Object.entries(DATA)) {
      await sql`drop table if exists ${sql.table(table)}`.execute(db);
      const columns = Object.keys(rows[0] ?? {});
      const declared = columns.map((name) => sql`${sql.id(name)} ${sql.raw(name.endsWith("d") ? "integer" : "text")}`);
      await sql`create table ${sql.table(table)} (${sql.join(declared)}, primary key (id))`.execute(db);
      for (const row of rows) {
        const values = columns.map((name) => row[name]);
        await sql`insert into ${sql.table(table)} values (${sql.join(values)})`.execute(db);
      }
    }
    statements.length = 0;
  };
  return { service, calls: statements, reset };
}
