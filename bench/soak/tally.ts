/** Latencies are counted in classes, each 5 % wider than the previous one, so that a long run needs no more memory. */
const GROWTH = 1.05;
/** In milliseconds. */
const SMALLEST = 0.01;
/** How many violations of one kind are kept with their words. */
const KEPT = 5;

/** The requests of one kind. */
export interface KindFigures {
  readonly kind: string;
  readonly requests: number;
  /** Responses by status. */
  readonly statuses: Readonly<Record<string, number>>;
  /** In milliseconds. */
  readonly p50: number;
  readonly p99: number;
  readonly longest: number;
}

interface Kind {
  requests: number;
  readonly statuses: Map<string, number>;
  readonly classes: number[];
  longest: number;
}

/** Counts responses, and collects everything that must not happen. */
export class Tally {
  readonly #kinds = new Map<string, Kind>();
  readonly #violations = new Map<string, { count: number; readonly examples: string[] }>();
  #requests = 0;

  /** The number of responses. */
  get requests(): number {
    return this.#requests;
  }

  /** Counts a response, or the intended end of a connection without one. */
  record(kind: string, status: number | string, milliseconds: number): void {
    this.#requests += 1;
    const known = this.#kinds.get(kind) ?? {
      requests: 0,
      statuses: new Map<string, number>(),
      classes: [],
      longest: 0,
    };
    this.#kinds.set(kind, known);
    known.requests += 1;
    known.statuses.set(String(status), (known.statuses.get(String(status)) ?? 0) + 1);
    const place = Math.max(0, Math.ceil(Math.log(milliseconds / SMALLEST) / Math.log(GROWTH)));
    known.classes[place] = (known.classes[place] ?? 0) + 1;
    known.longest = Math.max(known.longest, milliseconds);
  }

  /** Notes that a demand is not met. */
  violate(kind: string, details: string): void {
    const known = this.#violations.get(kind) ?? { count: 0, examples: [] };
    this.#violations.set(kind, known);
    known.count += 1;
    if (known.examples.length < KEPT) known.examples.push(details);
  }

  /** All violations: one line for each kind, and its first examples. */
  violations(): readonly string[] {
    return [...this.#violations].flatMap(([kind, { count, examples }]) => [
      `${kind}: ${String(count)} times`,
      ...examples.map((example) => `  ${example}`),
    ]);
  }

  /** The figures of all kinds, the most frequent first. */
  figures(): readonly KindFigures[] {
    return [...this.#kinds]
      .map(([kind, { requests, statuses, classes, longest }]) => ({
        kind,
        requests,
        statuses: Object.fromEntries([...statuses].toSorted(([left], [right]) => left.localeCompare(right))),
        p50: quantile(classes, requests, 0.5),
        p99: quantile(classes, requests, 0.99),
        longest,
      }))
      .toSorted((left, right) => right.requests - left.requests);
  }
}

function quantile(classes: readonly number[], requests: number, share: number): number {
  let seen = 0;
  const place = classes.findIndex((count: number | undefined) => {
    seen += count ?? 0;
    return seen >= share * requests;
  });
  return SMALLEST * GROWTH ** place;
}
