import type { Answer, Asked } from "../ask.ts";
import { seededRandom, type Random } from "../random.ts";
import { SoakClient, type SoakRun } from "./client.ts";
import { FIXED_ROWS, productName, SOAK_PREFIX } from "./soak-model.ts";

/** A read of rows that nothing changes: each response has the same bytes. */
interface FixedRead {
  readonly kind: string;
  readonly method?: "HEAD" | "OPTIONS";
  readonly path: string;
  /** The number of entities in the response, of a page. */
  readonly entities?: number;
}

/** How often each kind of read is drawn, and how many targets it has. */
interface ReadKind {
  readonly share: number;
  readonly targets: number;
  readonly make: (random: Random) => FixedRead;
}

const { products, categories } = FIXED_ROWS;

const KINDS: readonly ReadKind[] = [
  { share: 40, targets: 200, make: (random) => ({ kind: "key", path: `/Products(${id(random)})` }) },
  {
    share: 15,
    targets: 100,
    make: (random) => page("page", `$top=20&$skip=${String(20 * random.below(50))}&$orderby=Price desc`, 20),
  },
  {
    share: 10,
    targets: 50,
    make: (random) =>
      page("filter", `$filter=contains(Name,'${String(random.below(100))}') and Price gt 10&$top=20&$count=true`),
  },
  {
    share: 8,
    targets: 50,
    make: (random) => page("expansion", `$top=50&$skip=${String(random.below(900))}&$expand=Category`, 50),
  },
  {
    share: 3,
    targets: 20,
    make: (random) => ({
      kind: "expansion",
      path: `/Categories?$skip=${String(random.below(15))}&$top=5&$expand=Products($top=5;$orderby=Price desc;$expand=Category;$count=true)`,
      entities: 5,
    }),
  },
  {
    share: 5,
    targets: 40,
    make: (random) => ({
      kind: "count",
      path: `/Products/$count?$filter=CategoryId eq ${String(1 + random.below(categories))}`,
    }),
  },
  {
    share: 2,
    targets: 10,
    make: (random) => ({ kind: "count", path: `/Categories(${String(1 + random.below(categories))})/Products/$count` }),
  },
  { share: 2, targets: 10, make: (random) => page("search", `$search=${String(100 + random.below(50))}&$top=10`) },
  {
    share: 2,
    targets: 10,
    make: (random) => ({
      kind: "any",
      path: `/Categories?$filter=Products/any(p:p/Price gt ${String(4900 + random.below(99))})&$orderby=Products/$count desc,Id`,
    }),
  },
  { share: 4, targets: 40, make: (random) => ({ kind: "property", path: `/Products(${id(random)})/Name` }) },
  { share: 2, targets: 40, make: (random) => ({ kind: "navigation", path: `/Products(${id(random)})/Category` }) },
  { share: 2, targets: 20, make: (random) => ({ kind: "head", method: "HEAD", path: `/Products(${id(random)})` }) },
  { share: 1, targets: 5, make: () => ({ kind: "options", method: "OPTIONS", path: "/Products" }) },
  { share: 2, targets: 1, make: () => ({ kind: "metadata", path: "/$metadata" }) },
  { share: 1, targets: 1, make: () => ({ kind: "service document", path: "" }) },
  {
    share: 3,
    targets: 10,
    make: (random) => page("1,000 rows", `$top=1000&$skip=${String(random.below(1000))}&$select=Id,Name,Price`, 1000),
  },
  { share: 0.1, targets: 1, make: () => page("20,000 rows", `$top=${String(products)}`, products) },
];

function id(random: Random): string {
  return String(1 + random.below(products));
}

function page(kind: string, options: string, entities?: number): FixedRead {
  return { kind, path: `/Products?${options}`, ...(entities === undefined ? {} : { entities }) };
}

/** Draws reads and knows their right responses. */
export class FixedReads {
  readonly #wheel: ReadonlyArray<readonly FixedRead[]>;
  readonly #shares: readonly number[];
  readonly #answers = new Map<FixedRead, Buffer>();

  constructor() {
    const random = seededRandom(7);
    this.#wheel = KINDS.map(({ targets, make }) => Array.from({ length: targets }, () => make(random)));
    let sum = 0;
    this.#shares = KINDS.map(({ share }) => (sum += share));
  }

  /** Chooses a read. */
  draw(random: Random): FixedRead {
    const drawn = (random.below(1e6) / 1e6) * (this.#shares.at(-1) ?? 0);
    const targets = this.#wheel[this.#shares.findIndex((share) => drawn < share)] ?? [];
    return targets[random.below(targets.length)] ?? { kind: "service document", path: "" };
  }

  /** Chooses a read that a batch may contain: a short response with a body. */
  drawPlain(random: Random): FixedRead {
    const read = this.draw(random);
    return read.method === undefined && read.kind !== "20,000 rows" ? read : this.drawPlain(random);
  }

  /** Compares a response with the first one to the same request. @returns the difference, or null */
  faultOf(read: FixedRead, { body }: Pick<Answer, "body">): string | null {
    const first = this.#answers.get(read);
    if (first === undefined) {
      this.#answers.set(read, body);
      return faultOfFirst(read, body);
    }
    return first.equals(body) ? null : `other bytes than before: ${body.toString("utf8", 0, 200)}`;
  }
}

interface PageBody {
  readonly value: ReadonlyArray<{ readonly Id: number; readonly Name: string }>;
}

function faultOfFirst({ path, entities }: FixedRead, body: Buffer): string | null {
  if (entities === undefined) return null;
  const { value } = JSON.parse(body.toString()) as PageBody;
  if (value.length !== entities) return `${String(value.length)} entities instead of ${String(entities)}`;
  const isOfProducts = path.startsWith("/Products");
  const wrong = value.find(({ Id, Name }) => Name !== (isOfProducts ? productName(Id) : `Category ${String(Id)}`));
  return wrong === undefined ? null : `a wrong entity: ${JSON.stringify(wrong)}`;
}

/** Reads without a pause until the end. */
export async function runReader(run: SoakRun, reads: FixedReads, seed: number): Promise<void> {
  const client = new SoakClient(run, seededRandom(seed));
  while (!run.isOver()) {
    const read = reads.draw(client.random);
    const asked: Asked = read.method === undefined ? {} : { method: read.method };
    const status = read.method === "OPTIONS" ? 204 : 200;
    const answer = await client.expect(read.kind, status, SOAK_PREFIX + encodeURI(read.path), asked);
    const fault = answer === null ? null : reads.faultOf(read, answer);
    if (fault !== null) client.violate("wrong response", `${read.path}: ${fault}`);
  }
  client.close();
}
