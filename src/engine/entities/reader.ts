import type { ByteCount } from "../../base/byte-count.ts";
import type { ODataError } from "../../base/errors/odata-error.ts";
import { withSignalOf } from "../../base/later.ts";
import type { Maybe, Turn } from "../../base/maybe.ts";
import { type Context, callerOf, readingOf } from "../../definition/context.ts";
import type { CreateHandler } from "../../definition/handlers.ts";
import type { EntitySetDefinition, ServiceDefinition } from "../../definition/model/service-definition.ts";
import type { EntitySet } from "../../edm/model.ts";
import type { ReadScope } from "../../language/query/reading.ts";
import type { SourceQuery } from "../../language/query/source.ts";
import type { PathStep } from "../plan/plan-related.ts";

/** Checks the entities that handlers return: hidden entities are removed. */
export interface Gate {
  /**
   * Returns the entities of a set that the user sees.
   * @returns the same object where the user sees all of them
   */
  readonly keep: (entitySet: EntitySet, entities: Iterable<unknown>, context: Context) => Maybe<Iterable<unknown>>;
  /** Whether the user sees an entity of a set. */
  readonly sees: (entitySet: EntitySet, entity: unknown, context: Context) => Maybe<boolean>;
  /**
   * Returns the values of a navigation property of many entities without hidden entities: shorter lists, and null in
   * place of a single entity.
   */
  readonly keepValues: (
    navigation: Pick<PathStep, "target" | "navigationProperty">,
    values: readonly unknown[],
    context: Context,
  ) => Maybe<readonly unknown[]>;
}

/** Keeps the entities that the `after` hooks of a request show instead of the stored ones. */
export interface ShownEntities {
  /** @param members the members that the hook shows, within the whole entity */
  readonly noteShown: (stored: object, shown: object, members: object) => void;
  /** Returns the members that a hook shows instead of the stored ones; undefined: none. */
  readonly shownMembers: (stored: object) => object | undefined;
}

/** The context and the gate with which handlers are called. */
export interface Reader {
  /** The context of the handlers. */
  readonly context: Context;
  /** Null where all rows are visible: for row rules, trusted calls, and services without row rules. */
  readonly gate: Gate | null;
  /** The facet faults of the body to write, which are reported together with the issues of `validate`; absent: none. */
  readonly faults?: readonly ODataError[] | undefined;
  /**
   * The fields of a replacement whose stored values it repeats because no body of the user has them; absent: none. A table does not
   * write them, and `validate` reports none of their issues.
   */
  readonly kept?: ReadonlySet<string> | undefined;
  /** Whether `validate` has judged the entity to create, as the replacement of a missing one; absent: false. */
  readonly isJudged?: true;
  /** Whether the URL names the key of the entity to create; absent: false. */
  readonly namesKey?: true;
  /** Writes the entity to create together with those of other operations of a change set; absent: the entity is written alone. */
  readonly together?: CreatesTogether | undefined;
  /** Absent: nothing shows the result of a write, as for `ctx.sets`. */
  readonly shown?: ShownEntities | undefined;
  /** Counts the bytes of the response; absent: no response contains the read entities. */
  readonly bytes?: ByteCount | undefined;
  /** The time of the present piece of work; absent: the work does not pause. */
  readonly turn?: Turn | undefined;
}

/** Creates of several operations, which one call of a handler writes. */
export interface CreatesTogether {
  /** Returns the entity as `many` has saved it. */
  add(many: NonNullable<CreateHandler<Context>["many"]>, entity: object, context: Context): Promise<unknown>;
}

/** Returns a reader for the write of a body with facet faults; the same reader without. */
export function withFaults(reader: Reader, faults: Reader["faults"]): Reader {
  return faults === undefined || faults.length === 0 ? reader : { ...reader, faults };
}

/** Returns a reader for the replacement of an entity with fields that keep their values; the same reader without. */
export function withKept(reader: Reader, kept: Reader["kept"]): Reader {
  return kept === undefined || kept.size === 0 ? reader : { ...reader, kept };
}

/** Returns the gate of a set; null where the reader sees all of its entities. */
export function gateOf(entitySet: EntitySet | null, { context, gate }: Reader): Gate | null {
  if (gate === null || entitySet === null) return null;
  const rows = serviceOf(context).entitySets.get(entitySet.name)?.rows ?? null;
  return rows === null ? null : gate;
}

/** Whether the user sees an entity of a set. @throws the error of the rule, or of a handler that it depends on */
export function seesEntity(entitySet: EntitySet, entity: unknown, { context, gate }: Reader): Maybe<boolean> {
  if (gate === null) return true;
  return gate.sees(entitySet, entity, context);
}

/**
 * Returns the service of a request, with the fields that the types hide from handlers.
 * @throws Error for a context that no request of a service made
 */
export function serviceOf({ service }: Context): ServiceDefinition {
  if (!("entitySets" in service)) throw new Error("The context does not come from a service.");
  // The context carries the definition itself. The types show handlers only a part of it.
  return service as ServiceDefinition;
}

/** Returns the transaction or place in which sources read, and the signal that ends the reads. */
export function readScope({ context }: Reader): ReadScope & Pick<SourceQuery, "signal"> {
  const scope: ReadScope = {
    transaction: context.transaction,
    reading: readingOf(context),
    caller: callerOf(context),
  };
  return withSignalOf(scope, context);
}

/** Returns the milliseconds for one statement of a database; null for no limit. */
export function timeoutOf(context: Context): number | null {
  return serviceOf(context).limits.queryTimeout;
}

/** Returns the definition of a set in the service of a request. @throws as for definitionIn */
export function definitionOf(entitySet: EntitySet, context: Context): EntitySetDefinition {
  return definitionIn(serviceOf(context), entitySet);
}

/** Returns the definition of a set. @throws Error for a set of another service */
export function definitionIn({ entitySets }: ServiceDefinition, { name }: EntitySet): EntitySetDefinition {
  const set = entitySets.get(name);
  if (set === undefined) throw new Error(`The entity set ${name} has no definition.`);
  return set;
}

/** Returns the definition of the set that a navigation leads to; undefined without a target set. */
export function targetDefinition(
  { navigationPropertyBindings }: EntitySet,
  navigation: string,
  context: Context,
): EntitySetDefinition | undefined {
  return serviceOf(context).entitySets.get(navigationPropertyBindings.get(navigation) ?? "");
}
