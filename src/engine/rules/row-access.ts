import type { Maybe } from "../../base/maybe.ts";
import type { Context } from "../../definition/context.ts";
import type { QueryableHandler } from "../../definition/handlers.ts";
import { statementScope } from "../../definition/logger.ts";
import type { RuledSet } from "../../definition/sets/authorization.ts";
import type { SuppliedValues } from "../../definition/sets/supplied-values.ts";
import type { TransactionalDatabase } from "../../definition/sets/transactional-database.ts";
import type { RowCondition } from "../../definition/types/row-conditions.ts";
import type { EntitySet } from "../../edm/model.ts";
import type { QueryableSource, RowRestriction } from "../../language/query/source.ts";
import { type Reader, serviceOf } from "../entities/reader.ts";
import type { ConditionOf } from "../plan/row-rules.ts";

/** The result or error of a rule for one request. */
type Verdict = { readonly said: RowCondition } | { readonly thrown: unknown };

/** The sources of one call: each `queryable` handler is called once. */
interface CallSources {
  readonly whole: Map<EntitySet, Map<QueryableHandler<Context>, Maybe<QueryableSource>>>;
  /** The sources of the rows that the user sees. */
  readonly seen: Map<EntitySet, Maybe<QueryableSource>>;
  readonly restrictions: Map<EntitySet, Maybe<RowRestriction>>;
}

/**
 * The results of row rules and the sources that the handlers of one call share. All calls of a request share the results
 * of the rules, and the errors of `ctx.sets`. Sources belong to one call, because their rows may depend on its transaction and on earlier writes.
 * @see docs/guides/authorization.md
 */
export class RowAccess {
  readonly #verdicts: Map<EntitySet, Verdict>;
  readonly #warned: Set<string>;
  /** The access of the outermost call. */
  readonly #outermost: RowAccess;
  #sources: CallSources | undefined;
  /** The errors of calls of `ctx.sets`: absent for most requests. */
  #failures: WeakSet<object> | undefined;

  /**
   * @param warned the warnings that the service has logged
   * @param outermost the access of the outermost call; absent: this one
   */
  constructor(warned: Set<string> = new Set(), outermost?: RowAccess) {
    this.#warned = warned;
    this.#outermost = outermost ?? this;
    this.#verdicts = outermost === undefined ? new Map<EntitySet, Verdict>() : outermost.#verdicts;
  }

  /** Returns the access of a call within the same request, for the same user. */
  below(): RowAccess {
    return new RowAccess(this.#warned, this.#outermost);
  }

  /** Notes an error with which a call of `ctx.sets` ended. */
  noteFailure(error: unknown): void {
    if (typeof error === "object" && error !== null) (this.#outermost.#failures ??= new WeakSet()).add(error);
  }

  /** Whether a call of `ctx.sets` ended with an error during the request. */
  hasFailed(error: object): boolean {
    return this.#outermost.#failures?.has(error) === true;
  }

  get sources(): CallSources {
    return (this.#sources ??= { whole: new Map(), seen: new Map(), restrictions: new Map() });
  }

  /** Calls a rule, or returns its earlier result. @throws the error of the rule, each time */
  judge(entitySet: EntitySet, rule: () => RowCondition): RowCondition {
    let verdict = this.#verdicts.get(entitySet);
    if (verdict === undefined) {
      this.#verdicts.set(entitySet, (verdict = verdictOf(rule)));
      if ("thrown" in verdict || verdict.said !== "all") statementScope()?.follower?.hideRows();
    }
    if ("thrown" in verdict) throw verdict.thrown;
    return verdict.said;
  }

  /** Whether a warning is logged for the first time. */
  isFirst(warning: string): boolean {
    const { size } = this.#warned;
    return this.#warned.add(warning).size > size;
  }
}

/** How a call becomes atomic. */
export interface AtomicCall {
  /** The database of a new transaction; null: without an open transaction, the call runs as it is. */
  readonly database: TransactionalDatabase | null;
  /** Whether a new transaction may be tried again. */
  readonly isRepeatable: boolean;
  /** Whether a write returns ignored properties, too; absent: as the call does. */
  readonly returnsIgnored?: true | undefined;
  /** The values of `set` that hooks have seen in the rows of a link; absent: none. */
  readonly supplied?: SuppliedValues | undefined;
  /** Whether the part follows the write, which has compared the expected values; absent: false. */
  readonly isFurther?: true | undefined;
  /** Names the entity whose writes without a lock of the database take turns; absent: none. */
  readonly turn?: string | undefined;
}

/**
 * The base of the contexts that odatakit makes. Their private field holds the access, so no copy or proxy of a context, which
 * may name another user, shares the access of the original.
 */
export abstract class ServiceContext {
  readonly #access: RowAccess;
  /** The contexts for handlers, by the set of the handler: a set has one in each call. */
  #ofSets: Map<EntitySet, Context> | undefined;

  constructor(access: RowAccess) {
    this.#access = access;
  }

  /** Returns the access of a context; a new one for a context that the application made. */
  static accessOf(context: object): RowAccess {
    return #access in context ? context.#access : new RowAccess();
  }

  /**
   * Returns the context that the handlers of a set receive, whose `set` is that set; a context that the application made
   * as it is.
   */
  static ofSet(entitySet: EntitySet, context: Context): Context {
    if (!(#access in context)) return context;
    context.#ofSets ??= new Map();
    let made = context.#ofSets.get(entitySet);
    if (made === undefined) context.#ofSets.set(entitySet, (made = context.withSet(entitySet)));
    return made;
  }

  /**
   * Runs a part of the call so that it is kept or undone as one: within the open transaction, else in a new one. The inner
   * context has the expected values and the trust of the call.
   */
  static atomically<T>(context: Context, call: AtomicCall, work: (inner: Context) => Promise<T>): Promise<T> {
    return #access in context ? context.atomically(call, work) : work(context);
  }

  /** Runs a function of the application. If the transaction then takes too long, its error names the function. */
  static naming<T>(context: Context, name: string, run: () => Maybe<T>): Maybe<T> {
    return #access in context ? context.naming(name, run) : run();
  }

  /** Returns a context of the same call for a write that expects values; a context that the application made as it is. */
  static expecting(context: Context, expected: Readonly<Record<string, unknown>>): Context {
    return #access in context ? context.withExpected(expected) : context;
  }

  /** Implements `ServiceContext.naming`; without a transaction, no error needs the name. */
  naming<T>(_name: string, run: () => Maybe<T>): Maybe<T> {
    return run();
  }

  /** Implements `ServiceContext.atomically`. */
  abstract atomically<T>(call: AtomicCall, work: (inner: Context) => Promise<T>): Promise<T>;

  /** Implements `ServiceContext.expecting`. */
  protected abstract withExpected(expected: Readonly<Record<string, unknown>>): Context;

  /** Makes the context of this call for the handlers of a set. */
  protected abstract withSet(entitySet: EntitySet): Context;
}

/**
 * Returns the condition that the row rule of a set sets for the user of a request.
 * @returns `all` for a set without a rule
 * @throws the error of the rule, each time
 * @see docs/guides/authorization.md
 */
export function conditionOf({ entitySet, rows }: RuledSet, context: Context): RowCondition {
  return rows === null
    ? "all"
    : ServiceContext.accessOf(context).judge(entitySet, () => rows.conditionFor(context.user));
}

/** Returns the condition of a set's row rule for a reader. @throws as for conditionOf */
export function conditionFor({ name }: EntitySet, { context, gate }: Reader): RowCondition {
  const set = gate === null ? undefined : serviceOf(context).entitySets.get(name);
  return set === undefined ? "all" : conditionOf(set, context);
}

/** Returns `conditionFor` of one reader. */
export function conditionsFor(reader: Reader): ConditionOf {
  return (entitySet) => conditionFor(entitySet, reader);
}

function verdictOf(rule: () => RowCondition): Verdict {
  try {
    return { said: rule() };
  } catch (error) {
    return { thrown: error };
  }
}
