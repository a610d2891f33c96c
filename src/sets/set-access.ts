import { chain, type Maybe } from "../base/maybe.ts";
import type { Context, EntityFilter, WriteOptions } from "../definition/context.ts";
import type { EntitySetDefinition } from "../definition/model/service-definition.ts";
import { type Category, refusal } from "../definition/sets/authorization.ts";
import type { EntityTypeDeclaration } from "../definition/types/value-type.ts";
import type { EntityType } from "../edm/model.ts";
import type { PrimitiveValue } from "../edm/value-codec.ts";
import { codecOf } from "../edm/value-codecs.ts";
import { protocolError } from "../errors/odata-error.ts";
import { answeredValue } from "../execution/entities/handler-answer.ts";
import { type Reader, serviceOf } from "../execution/entities/reader.ts";
import { readerOf } from "../execution/reads/gate.ts";
import { findEntity } from "../execution/reads/read-by-key.ts";
import { runCount } from "../execution/reads/run-collection.ts";
import { authorizeNested, authorizeShape } from "../execution/rules/authorize-query.ts";
import { actionOf, judgeLoaded, requireCategory } from "../execution/rules/judge-rules.ts";
import { runCreate, runDelete, runPatch } from "../execution/writes/write-entity.ts";
import { fieldOf } from "../memory/compile-property.ts";
import { readForm, type ReadForm } from "../plan/plan-collection.ts";
import { declaredProperties } from "../plan/properties-to-read.ts";
import type { BoundQuery } from "../query/clauses.ts";
import type { ReachedSet } from "./entity-sets.ts";
import { toBody, expectedOption, type ExpectedValues, toKey, withTrustedValues } from "./given-values.ts";
import { readEntities, toReadEntity, type AnyQuery, bindQuery, COUNT_OPTIONS, QUERY_OPTIONS } from "./set-query.ts";

/** The handlers that read or write one entity. */
type KeyedHandler = "getByKey" | "create" | "patch" | "delete";

type AnyWriteOptions = WriteOptions<EntityTypeDeclaration>;

interface Call {
  readonly set: EntitySetDefinition;
  readonly context: Context;
  readonly reader: Reader;
}

/** One call of a handler through `ctx.sets`. */
export interface SetCall<T> {
  /** Whether a failure rolls back the writes of the call. */
  readonly isWrite: boolean;
  /** For writes: the values that the entity must still have. */
  readonly expected?: ExpectedValues | undefined;
  /** Whether row rules are skipped for the call. */
  readonly seesAllRows: boolean;
  run(context: Context): PromiseLike<T> | T;
}

/** Runs calls, within the open transaction if there is one. */
export interface SetCaller {
  /** The database of the open transaction; null without a transaction. */
  readonly transactionInstance: object | null;
  call<T>(set: string, call: SetCall<T>): Promise<T>;
}

/**
 * An entity set for handlers: implements `EntitySetAccess`.
 * @see docs/reference/handlers.md
 */
export class SetAccess {
  readonly #door: SetCaller;
  readonly #reached: ReachedSet;
  readonly #isTrusted: boolean;

  constructor(door: SetCaller, reached: ReachedSet, isTrusted: boolean) {
    this.#door = door;
    this.#reached = reached;
    this.#isTrusted = isTrusted;
  }

  async get(key: unknown): Promise<object | null> {
    const call = this.#name("get");
    const wanted = toKey(this.#reached.set.entitySet.entityType, key, call);
    return this.#run("read", call, async ({ set, reader }, judge) => {
      this.#requireHandler(set, "getByKey", call);
      const entity = await findEntity(set.entitySet, wanted, reader);
      if (entity !== null) await judge(entity);
      return entity === null ? null : toReadEntity(set.entitySet, entity);
    });
  }

  async query(query: AnyQuery = {}): Promise<readonly object[]> {
    const call = this.#name("query");
    const bound = bindQuery(this.#reached, query, { call, options: QUERY_OPTIONS });
    return this.#run("read", call, async ({ set, reader }) => {
      const form = formOf(set, call);
      if (bound === null) return [];
      this.#authorize(bound, reader.context);
      return readEntities({ set, form, query: bound, call }, reader);
    });
  }

  async count(query: EntityFilter<EntityTypeDeclaration, unknown> = {}): Promise<number> {
    const call = this.#name("count");
    const bound = bindQuery(this.#reached, query, { call, options: COUNT_OPTIONS });
    return this.#run("read", call, async ({ set, reader }) => {
      const form = formOf(set, call);
      if (bound === null) return 0;
      this.#authorize(bound, reader.context);
      return Number(await runCount(form, bound, set, reader));
    });
  }

  async create(given: unknown): Promise<object> {
    const call = this.#name("create");
    const { bodies } = this.#reached;
    return this.#run("create", call, async ({ set, context, reader }, judge) => {
      this.#requireHandler(set, "create", call);
      const { entityType } = set.entitySet;
      const takesNested = set.settings.allowDeepInsert;
      const use = { kind: "create", call, takesNested, isTrusted: this.#isTrusted } as const;
      const entity = withTrustedValues(entityType, bodies.readNew(toBody(entityType, given, use), true), given, use);
      await judge(entity);
      if (!this.#isTrusted) await authorizeNested(context, set, entity);
      return this.#saved(answeredValue(await runCreate(set.entitySet, entity, reader)), call);
    });
  }

  async patch(key: unknown, given: unknown, options: AnyWriteOptions = {}): Promise<object | null> {
    const call = this.#name("patch");
    const { set: reached, bodies } = this.#reached;
    const { entityType } = reached.entitySet;
    const wanted = toKey(entityType, key, call);
    const expected = expectedOption(entityType, options, call);
    const use = { kind: "patch", call, takesNested: false, isTrusted: this.#isTrusted } as const;
    return this.#change("update", call, { key: wanted, expected }, ({ set, reader }) => {
      this.#requireHandler(set, "patch", call);
      const { delta: read } = bodies.readDelta(toBody(entityType, given, use), true);
      const delta = withTrustedValues(entityType, read, given, use);
      return async () => {
        const saved = answeredValue(await runPatch(set.entitySet, wanted, delta, reader));
        return saved === null || saved === undefined ? null : this.#saved(saved, call);
      };
    });
  }

  async delete(key: unknown, options: AnyWriteOptions = {}): Promise<boolean> {
    const call = this.#name("delete");
    const { entityType } = this.#reached.set.entitySet;
    const wanted = toKey(entityType, key, call);
    const expected = expectedOption(entityType, options, call);
    const deleted = await this.#change("delete", call, { key: wanted, expected }, ({ set, reader }) => {
      this.#requireHandler(set, "delete", call);
      return async () => {
        const deleted: unknown = answeredValue(await runDelete(set.entitySet, wanted, reader));
        if (typeof deleted === "boolean") return deleted ? true : null;
        throw new TypeError(`The delete handler of ${set.entitySet.name} did not return true or false.`);
      };
    });
    return deleted === true;
  }

  /**
   * Changes one entity. Returns null if it does not exist or the user does not see it.
   * @param prepare checks the arguments before anything is loaded, and returns the write
   */
  #change<T>(
    category: "update" | "delete",
    call: string,
    { key, expected }: { readonly key: unknown; readonly expected: ExpectedValues | undefined },
    prepare: (call: Call) => () => Promise<T | null>,
  ): Promise<T | null> {
    return this.#run(
      category,
      call,
      async (found, judge) => {
        const { set, reader } = found;
        const { entitySet } = set;
        const write = prepare(found);
        const isLoaded = judge.needsEntity || (expected !== undefined && set.handlers.getByKey !== undefined);
        if (isLoaded) {
          const entity = await findEntity(entitySet, key, reader);
          if (entity === null) return expected === undefined ? null : changedMeanwhile(entitySet.name);
          await judge(entity);
          if (expected !== undefined && !checkExpected(entitySet.entityType, entity, expected)) {
            return changedMeanwhile(entitySet.name);
          }
        }
        const written = await write();
        return written === null && expected !== undefined ? changedMeanwhile(entitySet.name) : written;
      },
      expected,
    );
  }

  /** Checks the rules of the category and runs a call. */
  #run<T>(
    category: Category,
    call: string,
    work: (call: Call, judge: Judge) => Promise<T>,
    expected?: ExpectedValues,
  ): Promise<T> {
    const { set } = this.#reached;
    this.#checkDatabase(call);
    const { name } = set.entitySet;
    return this.#door.call(name, {
      isWrite: category !== "read",
      expected,
      seesAllRows: this.#isTrusted,
      run: (context) => {
        const found: Call = { set, context, reader: readerOf(context) };
        if (this.#isTrusted) return work(found, TRUSTING);
        const rules = requireCategory(set, category, context.user);
        const judge = (entity: object): Maybe<undefined> =>
          chain(judgeLoaded(rules, context, entity, set.entitySet), (passed): undefined => {
            if (!passed) throw refusal(context.user, actionOf(category, name));
          });
        return work(found, Object.assign(judge, { needsEntity: rules.length > 0 }));
      },
    });
  }

  /** @throws ODataError `Unauthorized` or `Forbidden` for a filter along a navigation to a set that the user may not read */
  #authorize({ shape }: BoundQuery, context: Context): void {
    if (this.#isTrusted) return;
    authorizeShape({ definition: serviceOf(context), user: context.user, isOwnSkipped: false }, shape);
  }

  /** @throws Error within a transaction of another database */
  #checkDatabase(call: string): void {
    const { database, entitySet } = this.#reached.set;
    const open = this.#door.transactionInstance;
    if (open === null || database === undefined || database.instance === open) return;
    throw new Error(
      `${call}: ${entitySet.name} and the open transaction are in different databases. Make the call outside of ctx.inTransaction.`,
    );
  }

  #requireHandler({ handlers, entitySet }: EntitySetDefinition, name: KeyedHandler, call: string): void {
    if (handlers[name] === undefined) throw new Error(`${call}: ${entitySet.name} has no \`${name}\` handler.`);
  }

  #saved(saved: unknown, call: string): object {
    if (typeof saved !== "object" || saved === null) throw new TypeError(`${call}: the handler returned no entity.`);
    return toReadEntity(this.#reached.set.entitySet, saved);
  }

  #name(method: string): string {
    return `ctx.sets(${this.#reached.set.entitySet.name}).${method}`;
  }
}

/** Checks the rules that need a loaded entity. */
type Judge = ((entity: object) => Maybe<undefined>) & { readonly needsEntity: boolean };

const TRUSTING: Judge = Object.assign((): undefined => undefined, { needsEntity: false });

function formOf({ handlers, entitySet }: EntitySetDefinition, call: string): ReadForm {
  const form = readForm(handlers);
  if (form !== undefined) return form;
  throw new Error(`${call}: ${entitySet.name} has no \`queryable\`, \`getAll\` or \`applyQuery\` handler.`);
}

function changedMeanwhile(name: string): never {
  throw protocolError("PreconditionFailed", `The entity of ${name} was changed or deleted in the meantime.`);
}

/** Returns whether an entity in canonical form has the expected values, to the last digit. */
function checkExpected(entityType: EntityType, entity: object, expected: ExpectedValues): boolean {
  return declaredProperties(entityType).every(({ property }) => {
    const { field } = property;
    if (!Object.hasOwn(expected, field)) return true;
    const [wanted, current] = [expected[field] ?? null, fieldOf(entity, field) ?? null];
    if (wanted === null || current === null) return wanted === current;
    const { toText } = codecOf(property);
    // `expectedOption` checked that the property has a single value.
    return toText(wanted) === toText(current as PrimitiveValue);
  });
}
