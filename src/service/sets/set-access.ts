import { protocolError } from "../../base/errors/odata-error.ts";
import { Turn } from "../../base/maybe.ts";
import type { AccessOptions, Context, EntityFilter, ReadOptions, WriteOptions } from "../../definition/context.ts";
import type { EntitySetDefinition } from "../../definition/model/service-definition.ts";
import { type Category, refusal } from "../../definition/sets/authorization.ts";
import type { EntityTypeDeclaration } from "../../definition/types/value-type.ts";
import type { EntitySet } from "../../edm/model.ts";
import { answeredDeletion, answeredValue } from "../../engine/entities/handler-answer.ts";
import { type Reader, serviceOf } from "../../engine/entities/reader.ts";
import { defineMissing } from "../../engine/memory/missing-value.ts";
import { readForm, type ReadForm } from "../../engine/plan/plan-collection.ts";
import { readerOf } from "../../engine/reads/gate.ts";
import { findEntity } from "../../engine/reads/read-by-key.ts";
import { runCount } from "../../engine/reads/run-collection.ts";
import { requireCreatable } from "../../engine/rules/authorize-body.ts";
import { authorizeNested, authorizeShape } from "../../engine/rules/authorize-query.ts";
import { comparedProperties, withoutCompared } from "../../engine/rules/judge-properties.ts";
import { actionOf, judgeLoaded, requireCategory } from "../../engine/rules/judge-rules.ts";
import { propertyAccessOf, type RuledUser } from "../../engine/rules/property-access.ts";
import { inOrder, runCreateMany } from "../../engine/writes/create-many.ts";
import { lockEntity, runJudged } from "../../engine/writes/judged-write.ts";
import { runCreate, runDelete, runPatch } from "../../engine/writes/write-entity.ts";
import type { PropertyAccess } from "../../language/query/capabilities.ts";
import type { BoundQuery } from "../../language/query/clauses.ts";
import type { BodyObject } from "../../payload/body-members.ts";
import type { ReachedSet } from "./entity-sets.ts";
import {
  checkExpected,
  toBody,
  expectedOption,
  type ExpectedValues,
  toKey,
  withTrustedValues,
} from "./given-values.ts";
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
  /** Whether no hooks run. */
  readonly skipsHooks: boolean;
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
  readonly #skipsHooks: boolean;

  constructor(door: SetCaller, reached: ReachedSet, { trusted, hooks }: Required<AccessOptions>) {
    this.#door = door;
    this.#reached = reached;
    this.#isTrusted = trusted === true;
    this.#skipsHooks = hooks === false;
  }

  async get(key: unknown, options: ReadOptions = {}): Promise<object | null> {
    const call = this.#name("get");
    const wanted = toKey(this.#reached.set.entitySet.entityType, key, call);
    const isLocked = this.#isLocking(options, call);
    return this.#run("read", call, async ({ set, reader }, judge) => {
      this.#requireHandler(set, "getByKey", call);
      if (isLocked) await lockEntity(set, wanted, reader.context);
      const entity = await findEntity(set.entitySet, wanted, reader);
      if (entity !== null) await judge(entity, reader.context);
      return entity === null ? null : this.#shown(entity, reader.context);
    });
  }

  async query(query: AnyQuery = {}): Promise<readonly object[]> {
    const call = this.#name("query");
    const bound = bindQuery(this.#reached, query, { call, options: QUERY_OPTIONS });
    return this.#run("read", call, async ({ set, reader }) => {
      const form = formOf(set, call);
      if (bound === null) return [];
      this.#authorize(bound, reader.context);
      const found = await readEntities({ set, form, query: bound, call }, reader);
      const access = this.#accessOf(reader.context);
      return access === null ? found : found.map((entity) => withoutUnreadable(entity, set.entitySet, access));
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
    return this.#run("create", call, async (found, judge) => {
      const { set, context, reader } = found;
      this.#requireHandler(set, "create", call);
      const entity = await this.#readNew(given, call, found, judge);
      return this.#saved(answeredValue(await runCreate(set.entitySet, entity, reader)), call, context);
    });
  }

  async createMany(given: unknown): Promise<readonly object[]> {
    const call = this.#name("createMany");
    if (!Array.isArray(given)) throw new TypeError(`${call} takes an array of entities.`);
    // The caller may change the array during a pause.
    const rows: readonly unknown[] = [...(given as readonly unknown[])];
    return this.#run("create", call, async (found, judge) => {
      const { set, context, reader } = found;
      this.#requireHandler(set, "create", call);
      const entities = await inOrder(rows, (row, index) =>
        this.#readNew(row, `${call}, position ${String(index)}`, found, judge),
      );
      const turn = new Turn();
      const shown: object[] = [];
      for (const saved of await runCreateMany(set.entitySet, entities, reader)) {
        shown.push(this.#saved(saved, call, context));
        if (turn.isOver) await turn.next();
      }
      return shown;
    });
  }

  /** Reads a new entity, and checks its rules. */
  async #readNew(given: unknown, call: string, { set, context }: Call, judge: Judge): Promise<BodyObject> {
    const { entityType } = set.entitySet;
    const takesNested = set.settings.allowDeepInsert;
    const use = { kind: "create", call, takesNested, isTrusted: this.#isTrusted } as const;
    const body = toBody(entityType, given, use);
    const entity = withTrustedValues(entityType, this.#reached.bodies.readNew(body, true), given, use);
    if (this.#isTrusted) return entity;
    requireCreatable(ruledUser(context), set.entitySet, body, { nests: takesNested });
    await judge(entity, context);
    await authorizeNested(context, set, entity);
    return entity;
  }

  async patch(key: unknown, given: unknown, options: AnyWriteOptions = {}): Promise<object | null> {
    const call = this.#name("patch");
    const { set: reached, bodies } = this.#reached;
    const { entityType } = reached.entitySet;
    const wanted = toKey(entityType, key, call);
    const expected = expectedOption(entityType, options, call);
    const use = { kind: "patch", call, takesNested: false, isTrusted: this.#isTrusted } as const;
    return this.#change("update", call, { key: wanted, expected }, ({ set, context, reader }) => {
      this.#requireHandler(set, "patch", call);
      const { delta: read } = bodies.readDelta(toBody(entityType, given, use), true);
      const delta = withTrustedValues(entityType, read, given, use);
      const { entitySet } = set;
      const ruled = ruledUser(context);
      const compared = this.#isTrusted ? [] : comparedProperties(ruled, entitySet, delta);
      return {
        needsEntity: compared.length > 0 && set.handlers.getByKey !== undefined,
        run: async (stored) => {
          const changes = withoutCompared(ruled, entitySet, { changes: delta, compared, stored });
          const saved = answeredValue(await runPatch(entitySet, wanted, changes, reader));
          return saved === null || saved === undefined ? null : this.#saved(saved, call, context);
        },
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
      const run = async (): Promise<true | null> => {
        const { entitySet } = set;
        return answeredDeletion(answeredValue(await runDelete(entitySet, wanted, reader)), entitySet) ? true : null;
      };
      return { needsEntity: false, run };
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
    prepare: (call: Call) => PreparedWrite<T>,
  ): Promise<T | null> {
    return this.#run(
      category,
      call,
      (found, judge) => {
        const { set, reader } = found;
        const change = (inner: Reader): Promise<T | null> => {
          const within: Call = { set, context: inner.context, reader: inner };
          return this.#changeStored(within, judge, { key, expected }, prepare(within));
        };
        const isPatch = category === "update";
        const isJudged = judge.needsEntity || (isPatch && set.validators?.readsStored === true);
        const handler = isPatch ? set.handlers.patch : set.handlers.delete;
        return isJudged && handler !== undefined ? runJudged({ set, handler }, key, reader, change) : change(reader);
      },
      expected,
    );
  }

  async #changeStored<T>(
    { set, context, reader }: Call,
    judge: Judge,
    { key, expected }: { readonly key: unknown; readonly expected: ExpectedValues | undefined },
    write: PreparedWrite<T>,
  ): Promise<T | null> {
    const { entitySet, handlers } = set;
    if (expected !== undefined) this.#requireReadable(expected, context);
    let stored: object | undefined;
    if (judge.needsEntity || write.needsEntity || (expected !== undefined && handlers.getByKey !== undefined)) {
      const entity = await findEntity(entitySet, key, reader);
      if (entity === null) return expected === undefined ? null : changedMeanwhile(entitySet.name);
      await judge(entity, context);
      stored = entity;
      if (expected !== undefined && !checkExpected(entitySet.entityType, entity, expected)) {
        return changedMeanwhile(entitySet.name);
      }
    }
    const written = await write.run(stored);
    return written === null && expected !== undefined ? changedMeanwhile(entitySet.name) : written;
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
      skipsHooks: this.#skipsHooks,
      run: (context) => {
        const found: Call = { set, context, reader: readerOf(context) };
        if (this.#isTrusted) return work(found, TRUSTING);
        const rules = requireCategory(set, category, context.user);
        const judge = async (entity: object, inner: Context): Promise<void> => {
          if (await judgeLoaded(rules, inner, entity, set.entitySet)) return;
          throw refusal(context.user, actionOf(category, name));
        };
        return work(found, Object.assign(judge, { needsEntity: rules.length > 0 }));
      },
    });
  }

  /** @throws ODataError `Unauthorized` or `Forbidden` for a filter along a navigation to a set that the user may not read */
  #authorize({ shape }: BoundQuery, context: Context): void {
    if (this.#isTrusted) return;
    authorizeShape({ ...ruledUser(context), isOwnSkipped: false }, shape);
  }

  /**
   * Reads the options of `get`.
   * @throws TypeError for an unknown option or a wrong value; Error for a row that nothing can lock
   */
  #isLocking(options: ReadOptions, call: string): boolean {
    const { forUpdate = false, ...others }: Readonly<Record<string, unknown>> = { ...options };
    const [unknown] = Object.keys(others);
    if (unknown !== undefined) throw new TypeError(`${call} has no option \`${unknown}\`, only \`forUpdate\`.`);
    if (typeof forUpdate !== "boolean") throw new TypeError(`\`forUpdate\` of ${call} must be true or false.`);
    if (!forUpdate) return false;
    const { lock, entitySet } = this.#reached.set;
    if (lock === undefined) {
      throw new Error(`${call}: \`forUpdate\` locks rows of tables, but ${entitySet.name} has no table.`);
    }
    if (this.#door.transactionInstance !== null) return true;
    throw new Error(`${call}: \`forUpdate\` locks a row until the transaction ends. Call it within ctx.inTransaction.`);
  }

  /** Returns the properties that the user may not read; null if the call may read all of them. */
  #accessOf(context: Context): PropertyAccess | null {
    return this.#isTrusted ? null : ruledUser(context).properties;
  }

  /** @throws ODataError for the expected value of a property that the user may not read: the result would reveal its value */
  #requireReadable(expected: ExpectedValues, context: Context): void {
    const { entitySet } = this.#reached.set;
    const access = this.#accessOf(context);
    if (access === null) return;
    const named = [...access.unreadableOf(entitySet)].find(({ field }) => Object.hasOwn(expected, field));
    if (named !== undefined) throw access.refusal(named, entitySet);
  }

  /** Returns an entity as the call shows it. @param entity as a handler returned it */
  #shown(entity: object, context: Context): object {
    const { entitySet } = this.#reached.set;
    const access = this.#accessOf(context);
    const read = toReadEntity(entitySet, entity);
    return access === null ? read : withoutUnreadable(read, entitySet, access);
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

  #saved(saved: unknown, call: string, context: Context): object {
    if (typeof saved !== "object" || saved === null) throw new TypeError(`${call}: the handler returned no entity.`);
    return this.#shown(saved, context);
  }

  #name(method: string): string {
    return `ctx.sets(${this.#reached.set.entitySet.name}).${method}`;
  }
}

/** A write whose arguments are checked. */
interface PreparedWrite<T> {
  /** Whether the write compares the stored entity. */
  readonly needsEntity: boolean;
  /** @param stored the entity, if it was loaded */
  readonly run: (stored: object | undefined) => Promise<T | null>;
}

/** Removes the properties that the user may not read: code that reads one fails, instead of taking it for absent. */
function withoutUnreadable(entity: object, entitySet: EntitySet, access: PropertyAccess): object {
  for (const { field } of access.unreadableOf(entitySet)) {
    Reflect.deleteProperty(entity, field);
    const reason = `The user of this request may not read \`${field}\` of ${entitySet.name}.`;
    defineMissing(entity, field, `${reason} Pass \`trusted: true\` to ctx.sets to read it for the service itself.`);
  }
  return entity;
}

function ruledUser(context: Context): RuledUser {
  const definition = serviceOf(context);
  const { user } = context;
  return { definition, user, properties: propertyAccessOf(definition, user) };
}

/** Checks the rules that need a loaded entity. */
type Judge = ((entity: object, context: Context) => Promise<void>) & { readonly needsEntity: boolean };

const TRUSTING: Judge = Object.assign((): Promise<void> => Promise.resolve(), { needsEntity: false });

function formOf({ handlers, entitySet }: EntitySetDefinition, call: string): ReadForm {
  const form = readForm(handlers);
  if (form !== undefined) return form;
  throw new Error(`${call}: ${entitySet.name} has no \`queryable\`, \`getAll\` or \`applyQuery\` handler.`);
}

function changedMeanwhile(name: string): never {
  throw protocolError("PreconditionFailed", `The entity of ${name} was changed or deleted in the meantime.`);
}
