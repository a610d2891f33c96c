import type { Maybe } from "../base/maybe.ts";
import { type Context, seesAllRows } from "../definition/context.ts";
import type { EntitySetDefinition, ServiceDefinition } from "../definition/service-definition.ts";
import type { EntitySet } from "../edm/model.ts";
import type { PathStep } from "../plan/plan-related.ts";

/** Checks what handlers hand over: only what row rules show to the user of a request goes on. */
export interface Gate {
  /**
   * Keeps those of the entities of a set that the user sees.
   * @returns the entities themselves where the user sees all
   */
  readonly keep: (entitySet: EntitySet, entities: Iterable<unknown>, context: Context) => Maybe<Iterable<unknown>>;
  /** Whether the user sees an entity of a set. */
  readonly sees: (entitySet: EntitySet, entity: unknown, context: Context) => Maybe<boolean>;
  /**
   * Keeps, of the values of a navigation property of many entities, what the user sees: shorter lists, and null in the
   * place of one entity.
   */
  readonly keepValues: (
    navigation: Pick<PathStep, "target" | "navigationProperty">,
    values: readonly unknown[],
    context: Context,
  ) => Maybe<readonly unknown[]>;
}

/** Whose reading it is: everything that calls handlers gets one. */
export interface Reader {
  /** What handlers get. */
  readonly context: Context;
  /** Null where all rows are seen: a row rule is evaluated so, and a trusted call, and each service without rules. */
  readonly gate: Gate | null;
}

/** A service whose sets have row rules. */
export interface GuardedDefinition extends ServiceDefinition {
  readonly gate: Gate;
  /** The paths of row rules that nothing loads, as far as a warning was logged. */
  readonly warned: Set<string>;
}

/**
 * Returns the context that keeps the results of row rules and the sources of a request: a write shares those of the reads
 * before it.
 */
export function readContextOf(context: Context & { readonly readContext?: Context | undefined }): Context {
  return context.readContext ?? context;
}

/** Returns the reading of whoever the context belongs to. */
export function readerOf(context: Context): Reader {
  return { context, gate: seesAllRows(context) ? null : (serviceOf(context).gate ?? null) };
}

/** Returns the gate of a set; null where the reader sees all of its entities. */
export function gateOf(entitySet: EntitySet | null, { context, gate }: Reader): Gate | null {
  if (gate === null || entitySet === null) return null;
  const rows = serviceOf(context).entitySets.get(entitySet.name)?.rows ?? null;
  return rows === null ? null : gate;
}

/** Whether the user sees an entity of a set. @throws what the rule threw, and what handlers did that it leads to */
export function seesEntity(entitySet: EntitySet, entity: unknown, { context, gate }: Reader): Maybe<boolean> {
  if (gate === null) return true;
  return gate.sees(entitySet, entity, context);
}

/**
 * Returns the service that a request came to, with all that handlers do not see of it.
 * @throws Error for a context that is none of a request
 */
export function serviceOf({ service }: Context): ServiceDefinition & Partial<GuardedDefinition> {
  if (!("entitySets" in service)) throw new Error("The context does not come from a service.");
  // What a request carries is the definition itself; handlers are shown less of it.
  return service as ServiceDefinition;
}

/** Returns the definition of a set. @throws Error for a set of another service */
export function definitionOf({ name }: EntitySet, context: Context): EntitySetDefinition {
  const set = serviceOf(context).entitySets.get(name);
  if (set === undefined) throw new Error(`The entity set ${name} has no definition.`);
  return set;
}
