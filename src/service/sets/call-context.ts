import type { Maybe } from "../../base/maybe.ts";
import { required } from "../../base/required.ts";
import type {
  Context,
  Host,
  IncomingRequest,
  RuleContext,
  Transaction,
  TransactionContext,
  User,
  EntitySetAccess,
} from "../../definition/context.ts";
import type { ServiceDefinition } from "../../definition/model/service-definition.ts";
import type { SuppliedValues } from "../../definition/sets/supplied-values.ts";
import type { EntityTypeDeclaration } from "../../definition/types/value-type.ts";
import type { EntitySet } from "../../edm/model.ts";
import { type AtomicCall, type RowAccess, ServiceContext } from "../../engine/rules/row-access.ts";
import type { Caller, Reading, ReadTime } from "../../language/query/reading.ts";
import type { CommitUnit } from "./commit-unit.ts";
import type { TransactionPart } from "./transaction-part.ts";

/** The parts of a context that depend on the request alone; `isAborted` avoids creating a signal. */
export type RequestFacts = Omit<RuleContext, "transaction" | "service"> &
  Caller & {
    readonly isAborted?: boolean | undefined;
    readonly reading?: Reading | null | undefined;
    /** The instant of the request, in milliseconds since 1970. */
    readonly instant?: number | undefined;
  };

/** The place of a call of a handler within the request. */
export interface CallPlace {
  readonly facts: RequestFacts;
  /** The number of enclosing calls of `ctx.sets` and `ctx.inTransaction`. */
  readonly depth: number;
  /** The part of the open transaction to which the call belongs; null without a transaction. */
  readonly part: TransactionPart | null;
  /** The writes to which those of the call belong. */
  readonly unit: CommitUnit;
  /** The row rules and sources of the call. */
  readonly access: RowAccess;
  /** Whether an enclosing write has the turn of its entity; absent: false. */
  readonly hasTurn?: boolean | undefined;
}

/** The facts about a write that its handler reads from the context. */
export interface WriteFacts {
  /** The values that the entity must still have. */
  readonly expected?: Readonly<Record<string, unknown>> | undefined;
  /** Whether the call is trusted, so that row rules do not apply. */
  readonly seesAllRows?: boolean | undefined;
  /** Whether the handler of a table returns ignored properties, too. */
  readonly returnsIgnored?: boolean | undefined;
  /** Whether no hooks run. */
  readonly skipsHooks?: boolean | undefined;
  /** The values of `set` that hooks have seen in the rows of a link. */
  readonly supplied?: SuppliedValues | undefined;
}

/** Runs a part of a call as one: see `ServiceContext.atomically`. */
export interface AtomicDoor {
  runAtomically<T>(call: AtomicCall, facts: WriteFacts, work: (inner: Context) => Promise<T>): Promise<T>;
}

/** The settings of the context of a call. */
interface CallSettings extends WriteFacts {
  readonly service: ServiceDefinition;
  /** Opens sets and transactions within the call. */
  readonly door: Pick<Context, "sets" | "inTransaction" | "afterCommit"> & AtomicDoor;
}

/** The context of a handler that another handler calls, of work within a transaction, or of a conditional write. */
export class CallContext extends ServiceContext implements Context {
  readonly service: ServiceDefinition;
  readonly expected: Readonly<Record<string, unknown>> | undefined;
  readonly seesAllRows: boolean;
  readonly returnsIgnored: boolean;
  readonly skipsHooks: boolean;
  readonly supplied: SuppliedValues | undefined;
  readonly #place: CallPlace;
  readonly #settings: CallSettings;

  constructor(place: CallPlace, settings: CallSettings) {
    const { service, expected, seesAllRows = false, returnsIgnored = false, skipsHooks = false } = settings;
    super(place.access);
    this.#place = place;
    this.#settings = settings;
    this.service = service;
    this.expected = expected;
    this.seesAllRows = seesAllRows;
    this.returnsIgnored = returnsIgnored;
    this.skipsHooks = skipsHooks;
    this.supplied = settings.supplied;
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

  get host(): Host {
    return this.#place.facts.host;
  }

  /** @throws Error once the transaction has ended */
  get transaction(): Transaction | undefined {
    // oxlint-disable-next-line typescript/no-unnecessary-type-assertion -- an application states the type by Register
    return this.#place.part?.whole.transaction as never;
  }

  get reading(): Reading | null {
    return this.#place.facts.reading ?? null;
  }

  get instant(): number | undefined {
    return this.#place.facts.instant;
  }

  get client(): string | undefined {
    return this.#place.facts.client;
  }

  get readTime(): ReadTime | undefined {
    return this.#place.facts.readTime;
  }

  get sets(): Context["sets"] {
    return this.#settings.door.sets;
  }

  get inTransaction(): Context["inTransaction"] {
    return this.#settings.door.inTransaction;
  }

  get afterCommit(): Context["afterCommit"] {
    return this.#settings.door.afterCommit;
  }

  override naming<T>(name: string, run: () => Maybe<T>): Maybe<T> {
    return this.#place.part === null ? run() : this.#place.part.whole.naming(name, run);
  }

  override atomically<T>(call: AtomicCall, work: (inner: Context) => Promise<T>): Promise<T> {
    return this.#settings.door.runAtomically(call, this, work);
  }

  protected override withExpected(expected: Readonly<Record<string, unknown>>): Context {
    return new CallContext(this.#place, { ...this.#settings, expected });
  }

  protected override withSet(entitySet: EntitySet): Context {
    return new SetCallContext(entitySet, this.#place, this.#settings);
  }
}

/** The context of the handlers of one set: implements `SetContext`. */
export class SetCallContext extends CallContext {
  readonly #entitySet: EntitySet;

  constructor(entitySet: EntitySet, place: CallPlace, settings: CallSettings) {
    super(place, settings);
    this.#entitySet = entitySet;
  }

  /** @throws Error for a set that is not part of the service */
  get set(): EntitySetAccess<EntityTypeDeclaration, unknown> {
    const declaration = this.service.declarationOf(this.#entitySet.name);
    return this.sets(required(declaration, `The entity set ${this.#entitySet.name} has no declaration.`));
  }

  /** Passes a context of the same set to the work. */
  override get inTransaction(): Context["inTransaction"] {
    const open = super.inTransaction;
    return (work, options) => {
      if (typeof work !== "function") return open(work, options);
      return open((inner) => {
        const own = ServiceContext.ofSet(this.#entitySet, inner);
        // oxlint-disable-next-line typescript/no-unnecessary-type-assertion -- an application states the type by Register
        return work(own as TransactionContext);
      }, options);
    };
  }

  /** Passes a context of the same set to the work. */
  override get afterCommit(): Context["afterCommit"] {
    const register = super.afterCommit;
    return (work) => {
      if (typeof work !== "function") register(work);
      else register((later) => work(ServiceContext.ofSet(this.#entitySet, later)));
    };
  }
}
