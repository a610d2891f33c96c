import { SIZES } from "./database.ts";
import { seededRandom } from "./random.ts";
import { CITIES, NOUNS } from "./words.ts";

/** One kind of request, repeated with different values. */
export interface Scenario {
  readonly id: string;
  readonly title: string;
  /** Request targets: each connection sends them in turn and starts over at the end. */
  readonly paths: readonly string[];
  /**
   * The kind of write, if any. `create`: every other request is a `POST`, and the next one reads the new entity. `change`:
   * each request is a `PATCH` with the latest ETag of the target. `mixed`: every tenth request is such a `PATCH`, the others
   * read orders.
   */
  readonly writes?: Write;
  /** How many requests one round has. */
  readonly requests: number;
  /** The highest permitted CPU time of our server over SQLite, as a multiple of the limit server's. */
  readonly budget: number;
  /** The numbers of connections; 1 and 8 if absent. */
  readonly connections?: readonly number[];
  /** Whether the data is an array of the server, so that the database does not matter. */
  readonly isOfArray?: true;
  /** Whether the limit server over PostgreSQL does not know the requests. */
  readonly isOfSqlite?: true;
}

/** The kind of write of a scenario, and the body of each write. */
export interface Write {
  readonly kind: "create" | "change" | "mixed";
  readonly body: string;
}

/** The base path of both servers. */
export const PREFIX = "/odata";
/** The number of different values that a scenario uses. */
const VARIETY = 500;

const random = seededRandom(2);

const NESTED_OPTIONS = [
  "$select=Id,OrderDate,Freight",
  "$expand=Customer($select=Id,Name),Lines($select=Quantity,Price;$orderby=Price%20desc;$top=2;$expand=Product($select=Name))",
].join("&");

/** A condition that no index serves. */
const SCANNED = "contains(ShipName,'an') and Freight gt 250";

/** The steps that group all orders. */
export const GROUPINGS = {
  byCustomer: "groupby((CustomerId),aggregate(Freight with sum as Total,$count as N))",
  byMonth:
    "compute(year(OrderDate) as Y,month(OrderDate) as M)/groupby((Y,M),aggregate(Freight with sum as Total,$count as N))",
} as const;

const NEW_DRAFT = {
  CustomerId: 17,
  OrderDate: "2024-02-29T10:00:00Z",
  ShippedDate: null,
  Status: "Draft",
  Freight: 32.38,
  Paid: false,
  ShipName: "Günther Ångström",
  ShipCity: "København",
  ShipRegion: null,
  TrackingId: "0b5e3d4c-8c3f-4b1e-8d1f-0123456789ab",
  Note: 'Leave it at the "back" door',
};

const CHANGE = JSON.stringify({ Status: "Shipped", Freight: 12.5, Note: "Ring twice" });
/** The drafts that are changed. */
const DRAFTS = Array.from({ length: VARIETY }, (_none, index) => `${PREFIX}/Drafts(${String(index + 1)})`);

/** All scenarios, in the order in which they run. */
export const SCENARIOS: readonly Scenario[] = [
  {
    id: "S1",
    title: "key read",
    paths: vary(() => `/Orders(${String(1 + random.below(SIZES.orders))})`),
    requests: 2000,
    budget: 2.3,
  },
  {
    id: "S2",
    title: "page of 20, $orderby",
    paths: vary(() => `/Orders?$top=20&$skip=${String(20 * random.below(50))}&$orderby=OrderDate%20desc`),
    requests: 1000,
    budget: 1.8,
  },
  {
    id: "S3",
    title: "contains, gt, $select, $count",
    paths: vary(() => `/Products?${filtered()}`),
    requests: 1000,
    budget: 1.4,
  },
  {
    id: "S3b",
    title: "the same over 100,000 rows",
    paths: [`${PREFIX}/Orders?$filter=${encodeURIComponent(SCANNED)}&$top=50&$count=true`],
    requests: 40,
    budget: 1.3,
  },
  {
    id: "S3c",
    title: "filter along two navigations",
    paths: vary(() => `/Orders?$filter=${encodeURIComponent(along())}&$top=50&$count=true`),
    requests: 20,
    budget: 1.95,
    isOfSqlite: true,
  },
  {
    id: "S4",
    title: "50 orders, two levels of $expand",
    paths: vary(() => `/Orders?$top=50&$skip=${skipped()}&$expand=Customer,Lines($expand=Product)`),
    requests: 200,
    budget: 2.25,
  },
  {
    id: "S4b",
    title: "the same, nested options",
    paths: vary(() => `/Orders?$top=50&$skip=${skipped()}&${NESTED_OPTIONS}`),
    requests: 200,
    budget: 3.6,
  },
  { id: "S5", title: "10,000 rows in one response", paths: [plainPage(10_000)], requests: 8, budget: 1.35 },
  { id: "P1", title: "plain page of 1", paths: [plainPage(1)], requests: 2000, budget: 1.65 },
  { id: "P10", title: "plain page of 10", paths: [plainPage(10)], requests: 1500, budget: 1.45 },
  { id: "P100", title: "plain page of 100", paths: [plainPage(100)], requests: 500, budget: 1.8 },
  { id: "P1000", title: "plain page of 1,000", paths: [plainPage(1000)], requests: 80, budget: 0.85 },
  {
    id: "G1",
    title: "100,000 orders by customer",
    paths: [grouped(GROUPINGS.byCustomer)],
    requests: 10,
    budget: 1.3,
  },
  { id: "G2", title: "the same by month", paths: [grouped(GROUPINGS.byMonth)], requests: 20, budget: 1.3 },
  {
    id: "G3",
    title: "the 10 greatest sums of customers",
    paths: [`${grouped(GROUPINGS.byCustomer)}&$orderby=Total%20desc&$top=10`],
    requests: 20,
    budget: 1.3,
  },
  { id: "S6", title: "$metadata", paths: [`${PREFIX}/$metadata`], requests: 2000, budget: 1.2 },
  {
    id: "S7",
    title: "POST, GET back",
    paths: [`${PREFIX}/Drafts`],
    writes: { kind: "create", body: JSON.stringify(NEW_DRAFT) },
    requests: 1000,
    budget: 1.4,
  },
  {
    id: "S8",
    title: "PATCH with If-Match",
    paths: DRAFTS,
    writes: { kind: "change", body: CHANGE },
    requests: 1000,
    budget: 1.6,
  },
  {
    id: "S10",
    title: "9 reads of keys to 1 PATCH",
    paths: DRAFTS,
    writes: { kind: "mixed", body: CHANGE },
    requests: 2000,
    budget: 1.4,
    connections: [1, 8, 64],
  },
  {
    id: "S9",
    title: "filter of an array of 10,000",
    paths: vary(() => `/Items?${filtered()}`),
    requests: 500,
    budget: 1.2,
    isOfArray: true,
  },
];

/** Returns whether a scenario runs over PostgreSQL. */
export function runsOnPostgres({ isOfArray, isOfSqlite }: Scenario): boolean {
  return isOfArray !== true && isOfSqlite !== true;
}

function filtered(): string {
  const filter = `contains(Name,'${random.pick(NOUNS)}') and Price gt ${String(random.below(150))}`;
  return `$filter=${encodeURIComponent(filter)}&$select=Id,Name,Price&$top=50&$count=true`;
}

/** Orders of a city with a line of an expensive product: two joins, and a subquery for each order. */
function along(): string {
  return `Customer/City eq '${random.pick(CITIES)}' and Lines/any(l:l/Product/Price gt ${String(random.below(150))})`;
}

function skipped(): string {
  return String(50 * random.below(50));
}

function plainPage(size: number): string {
  return `${PREFIX}/Orders?$top=${String(size)}`;
}

function grouped(steps: string): string {
  return `${PREFIX}/Orders?$apply=${encodeURIComponent(steps)}`;
}

function vary(path: () => string): readonly string[] {
  return Array.from({ length: VARIETY }, () => PREFIX + path());
}
