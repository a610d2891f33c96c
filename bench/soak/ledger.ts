import { isDeepStrictEqual } from "node:util";

/** An order as its writer wrote it. */
export interface KnownOrder {
  readonly Number: string;
  readonly Owner: number;
  readonly CustomerId: number | null;
  readonly Total: number | null;
  readonly Placed: string;
  readonly Note: string | null;
  /** The texts of the lines, by position. */
  readonly lines: readonly string[];
  readonly tags: readonly string[];
}

/** An order as the service returns it, with its lines and tags. */
export interface ReadOrder extends Omit<KnownOrder, "lines" | "tags"> {
  readonly Id: number;
  readonly Version: number;
  readonly "@odata.etag": string;
  readonly Lines?: ReadonlyArray<{ readonly Position: number; readonly Text: string }>;
  readonly Tags?: ReadonlyArray<{ readonly Name: string }>;
}

/** The expansions without which a response does not have the whole order. */
export const WHOLE_ORDER = "$expand=Lines($orderby=Position),Tags($orderby=Name)";

/** The required content of the database: acknowledged orders, and the outcomes of writes without a response. */
export class Ledger {
  readonly #orders = new Map<number, KnownOrder>();
  /** The states that an order may have. Null: it may be absent. */
  readonly #uncertain = new Map<string, ReadonlyArray<KnownOrder | null>>();
  /** The acknowledged changes of the orders that all writers change. */
  readonly #shared = new Map<number, Set<number>>();

  /** The number of acknowledged orders. */
  get size(): number {
    return this.#orders.size;
  }

  /** Notes the last acknowledged state of an order. */
  set(id: number, order: KnownOrder): void {
    this.#orders.set(id, order);
  }

  /** Notes the acknowledged end of an order. */
  delete(id: number): void {
    this.#orders.delete(id);
  }

  /** Notes that the client left before it had a response. */
  doubt(number: string, states: ReadonlyArray<KnownOrder | null>): void {
    this.#uncertain.set(number, states);
  }

  /** Notes that an order of an interrupted write has been checked and deleted. */
  settle(number: string): void {
    this.#uncertain.delete(number);
  }

  /** Notes a change of a shared order. @returns false if another change got the same version */
  share(id: number, version: number): boolean {
    const versions = this.#shared.get(id) ?? new Set();
    this.#shared.set(id, versions);
    if (versions.has(version)) return false;
    versions.add(version);
    return true;
  }

  /** Compares all orders of the database with the acknowledged writes. @returns the faults */
  faultsOf(stored: readonly ReadOrder[]): readonly string[] {
    const byId = new Map(stored.map((order) => [order.Id, order]));
    const lost = [...this.#orders.keys()].filter((id) => !byId.has(id));
    const absent = [...this.#uncertain]
      .filter(([number, states]) => !states.includes(null) && stored.every((order) => order.Number !== number))
      .map(([number]) => number);
    return [
      ...lost.map((id) => `the acknowledged order ${String(id)} is missing`),
      ...absent.map((number) => `the order ${number} is missing, though nobody deleted it`),
      ...stored.flatMap((order) => this.#faultsOfOrder(order)),
    ];
  }

  #faultsOfOrder(order: ReadOrder): readonly string[] {
    if (order.Owner === 0) {
      const changes = this.#shared.get(order.Id)?.size ?? 0;
      return order.Version === changes + 1
        ? []
        : [
            `the shared order ${String(order.Id)} has version ${String(order.Version)} after ${String(changes)} changes`,
          ];
    }
    const known = this.#orders.get(order.Id);
    const states = known === undefined ? this.#uncertain.get(order.Number) : [known];
    if (states === undefined) return [`the order ${order.Number} is present, though no write of it was acknowledged`];
    return states.some((state) => state !== null && differenceOf(state, order) === null)
      ? []
      : [`${order.Number}: ${differenceOf(states.find((state) => state !== null) ?? null, order) ?? ""}`];
  }
}

/** Compares a known order with the returned order, and with its lines and tags if they were read. @returns null if equal */
export function differenceOf(known: KnownOrder | null, read: ReadOrder): string | null {
  const { Number: number, Owner, CustomerId, Total, Placed, Note, Lines, Tags } = read;
  const found: KnownOrder = {
    Number: number,
    Owner,
    CustomerId,
    Total,
    Placed,
    Note,
    lines: Lines?.map(({ Text }) => Text) ?? known?.lines ?? [],
    tags: Tags?.map(({ Name }) => Name) ?? known?.tags ?? [],
  };
  return isDeepStrictEqual(found, known) ? null : `${JSON.stringify(found)} instead of ${JSON.stringify(known)}`;
}
