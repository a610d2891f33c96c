import type { Context, IncomingRequest, RuleContext, Transaction, User } from "../definition/context.ts";
import type { ServiceDefinition } from "../definition/service-definition.ts";
import type { TransactionPart } from "./transaction-part.ts";

/** What a context tells of its request; `isAborted` spares the making of a signal. */
export type RequestFacts = Omit<RuleContext, "transaction" | "service"> & { readonly isAborted?: boolean | undefined };

/** Where a call of a handler stands. */
export interface CallPlace {
  readonly facts: RequestFacts;
  /** How many calls of `ctx.sets` and `ctx.inTransaction` are around it. */
  readonly depth: number;
  /** The part of an open transaction that it belongs to; null: none. */
  readonly part: TransactionPart | null;
}

/** What a call of `ctx.sets` requires of the handler that it calls. */
export interface CallSettings {
  readonly service: ServiceDefinition;
  /** Opens sets and transactions below the call. */
  readonly door: Pick<Context, "sets" | "inTransaction">;
  /** For writes: the values that the entity must still have. @see WriteContext */
  readonly expected?: Readonly<Record<string, unknown>> | undefined;
  /** Whether the call is trusted: row rules do not hold for it. @see seesAllRows in definition/context */
  readonly seesAllRows?: boolean;
  /** For a write: the context of the reads before it. @see readContextOf in execution/reader */
  readonly readContext?: Context;
}

/** The context of a handler that another handler has called, of work within a transaction, or of a conditional write. */
export class CallContext implements Context {
  readonly service: ServiceDefinition;
  readonly expected: Readonly<Record<string, unknown>> | undefined;
  readonly seesAllRows: boolean;
  readonly readContext: Context | undefined;
  readonly #place: CallPlace;
  readonly #door: CallSettings["door"];

  constructor(place: CallPlace, { service, door, expected, seesAllRows = false, readContext }: CallSettings) {
    this.#place = place;
    this.#door = door;
    this.service = service;
    this.expected = expected;
    this.seesAllRows = seesAllRows;
    this.readContext = readContext;
  }

  get user(): User | null {
    return this.#place.facts.user;
  }

  get signal(): AbortSignal {
    return this.#place.facts.signal;
  }

  get isAborted(): boolean | undefined {
    return this.#place.facts.isAborted;
  }

  get request(): IncomingRequest {
    return this.#place.facts.request;
  }

  /** @throws Error once the transaction has ended */
  get transaction(): Transaction | undefined {
    // oxlint-disable-next-line typescript/no-unnecessary-type-assertion -- an application states the type by Register
    return this.#place.part?.whole.transaction as never;
  }

  get sets(): Context["sets"] {
    return this.#door.sets;
  }

  get inTransaction(): Context["inTransaction"] {
    return this.#door.inTransaction;
  }
}
