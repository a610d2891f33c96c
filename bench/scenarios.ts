import { SIZES } from "./database.ts";
import { seededRandom } from "./random.ts";
import { NOUNS } from "./words.ts";

/** One kind of request, asked again and again with other values. */
export interface Scenario {
  readonly id: string;
  readonly title: string;
  /** Request targets: each connection asks for them in turn and begins anew at the end. */
  readonly paths: readonly string[];
  /** How many requests one round has. */
  readonly requests: number;
  /** Most CPU time of ours as a multiple of the limit server's. */
  readonly budget: number;
}

/** The base that both servers are mounted at. */
export const PREFIX = "/odata";
/** How many different values a scenario asks with. */
const VARIETY = 500;

const random = seededRandom(2);

/** All scenarios, in the order in which they run. */
export const SCENARIOS: readonly Scenario[] = [
  {
    id: "S1",
    title: "key read",
    paths: vary(() => `/Orders(${String(1 + random.below(SIZES.orders))})`),
    requests: 2000,
    budget: 1.5,
  },
  {
    id: "S2",
    title: "page of 20, $orderby",
    paths: vary(() => `/Orders?$top=20&$skip=${String(20 * random.below(50))}&$orderby=OrderDate%20desc`),
    requests: 1000,
    budget: 1.2,
  },
  {
    id: "S3",
    title: "contains, gt, $select, $count",
    paths: vary(() => {
      const filter = `contains(Name,'${random.pick(NOUNS)}') and Price gt ${String(random.below(150))}`;
      return `/Products?$filter=${encodeURIComponent(filter)}&$select=Id,Name,Price&$top=50&$count=true`;
    }),
    requests: 1000,
    budget: 1.3,
  },
  { id: "S5", title: "10,000 rows in one response", paths: [plainPage(10_000)], requests: 8, budget: 0.9 },
  { id: "P1", title: "plain page of 1", paths: [plainPage(1)], requests: 2000, budget: 1.4 },
  { id: "P10", title: "plain page of 10", paths: [plainPage(10)], requests: 1500, budget: 1.4 },
  { id: "P100", title: "plain page of 100", paths: [plainPage(100)], requests: 500, budget: 1.1 },
  { id: "P1000", title: "plain page of 1,000", paths: [plainPage(1000)], requests: 80, budget: 0.9 },
];

function plainPage(size: number): string {
  return `${PREFIX}/Orders?$top=${String(size)}`;
}

function vary(path: () => string): readonly string[] {
  return Array.from({ length: VARIETY }, () => PREFIX + path());
}
