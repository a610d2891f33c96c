import { protocolError, type ODataError } from "../../base/errors/odata-error.ts";
import { type Maybe, Turn } from "../../base/maybe.ts";
import { type Context, seesAllRows } from "../../definition/context.ts";
import type { EntitySet } from "../../edm/model.ts";
import type { ExpansionLinks } from "../../language/query/clauses.ts";
import { type Reader, serviceOf } from "../entities/reader.ts";
import type { Evaluation } from "../memory/evaluation.ts";

/** The state that all reads of related entities in one execution share. */
export interface ReadRun extends Reader {
  readonly evaluation: Evaluation;
  /** The greatest number of entities to count; null: no limit. */
  readonly maxEntities: number | null;
  /** How many entities were counted. */
  readonly counted: { total: number };
  /** The time of the present piece of work. */
  readonly turn: Turn;
  /** The options of next links; absent: without expansions. */
  readonly links?: ExpansionLinks | undefined;
}

/**
 * Counts entities as they arrive, so that no more than the limit are collected.
 * @param excess makes the error
 * @throws the error above the limit
 */
export function countEntities({ counted, maxEntities }: ReadRun, entities: number, excess: () => ODataError): void {
  counted.total += entities;
  if (maxEntities !== null && counted.total > maxEntities) throw excess();
}

/** The state that all loads of one evaluation share. */
export interface LoadRun extends ReadRun {
  /** Whether a row rule is evaluated rather than an option of a client. */
  readonly isRule: boolean;
  /** The option that contains the expressions, for errors. */
  readonly option: string;
  /** The entities that `getAll` handlers returned, each called once. */
  readonly lists: Map<EntitySet, Maybe<Iterable<unknown>>>;
  /** Entities that a row rule cannot check, because nothing loads their related entities. */
  readonly unfollowed: Set<object>;
}

/**
 * Starts the loads of an evaluation.
 * @param option the option that contains the expressions
 */
export function startLoads(
  evaluation: Evaluation,
  { context, gate, turn = new Turn() }: Reader,
  option: string,
): LoadRun {
  const maxEntities = seesAllRows(context) ? null : serviceOf(context).limits.maxResponseEntities;
  const own = {
    maxEntities,
    counted: { total: 0 },
    turn,
    isRule: false,
    lists: new Map(),
    unfollowed: new Set<object>(),
  };
  return { evaluation, context, gate, option, ...own };
}

/** Starts the loads of a set's row rule. The rule sees all rows, so no rule depends on another. */
export function startRuleLoads(evaluation: Evaluation, { name }: EntitySet, context: Context): LoadRun {
  const run = startLoads(evaluation, { context, gate: null }, `The row rule of ${name}`);
  // The response does not contain the entities that a row rule loads: a limit would reveal the number of hidden ones.
  return { ...run, isRule: true, maxEntities: null };
}

/** Makes the error for a path whose related entities cannot be loaded. */
export function cannotFollow({ option }: Pick<LoadRun, "option">, path: string, reason: string): ODataError {
  const message = `Paths through '${path}' are not supported in ${option}: ${reason}.`;
  return protocolError("UnsupportedQueryOption", message, { target: option });
}
