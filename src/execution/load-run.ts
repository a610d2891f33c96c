import type { Maybe } from "../base/maybe.ts";
import { type Context, seesAllRows } from "../definition/context.ts";
import { logWarning } from "../definition/request-fields.ts";
import type { EntitySet } from "../edm/model.ts";
import { protocolError, type ODataError } from "../errors/odata-error.ts";
import type { Evaluation } from "../memory/evaluation.ts";
import { type Reader, serviceOf } from "./reader.ts";

/** One execution that reads related entities: what all of its reads share. */
export interface ReadRun extends Reader {
  readonly evaluation: Evaluation;
  /** Most entities that are counted; null: no limit. */
  readonly maxEntities: number | null;
  /** How many entities were counted. */
  readonly counted: { total: number };
}

/**
 * Counts entities as they come: what is above the limit is never gathered.
 * @param excess makes the error
 * @throws the error above the limit
 */
export function countEntities({ counted, maxEntities }: ReadRun, entities: number, excess: () => ODataError): void {
  counted.total += entities;
  if (maxEntities !== null && counted.total > maxEntities) throw excess();
}

/** The loads of one evaluation: what all of them share. */
export interface LoadRun extends ReadRun {
  /** Whether a row rule is evaluated, and no option of a client. */
  readonly isRule: boolean;
  /** The option that holds the expressions, for errors. */
  readonly option: string;
  /** The entities that `getAll` handlers returned, each called once. */
  readonly lists: Map<EntitySet, Maybe<Iterable<unknown>>>;
  /** Entities that a row rule cannot judge, because nothing loads what it leads to from them. */
  readonly unfollowed: Set<object>;
}

/**
 * Starts the loads of an evaluation.
 * @param option the option that holds the expressions
 */
export function startLoads(evaluation: Evaluation, { context, gate }: Reader, option: string): LoadRun {
  const maxEntities = seesAllRows(context) ? null : serviceOf(context).limits.maxResponseEntities;
  const own = { maxEntities, counted: { total: 0 }, isRule: false, lists: new Map(), unfollowed: new Set<object>() };
  return { evaluation, context, gate, option, ...own };
}

/** Starts the loads of the row rule of a set, which sees all rows: so no rule depends on another. */
export function startRuleLoads(evaluation: Evaluation, { name }: EntitySet, context: Context): LoadRun {
  const run = startLoads(evaluation, { context, gate: null }, `The row rule of ${name}`);
  // A row rule leads to entities that are not in the response: a limit would tell how many hidden ones there are.
  return { ...run, isRule: true, maxEntities: null };
}

/** Returns the same loads for the expressions of another option. */
export function withOption(run: LoadRun, option: string): LoadRun {
  return run.option === option ? run : { ...run, option };
}

/**
 * Counts entities that a path leads to.
 * @param place set and navigation property, for the message
 * @throws ODataError `InvalidQueryOption` above `maxResponseEntities`
 * @see docs/reference/services.md
 */
export function countLoaded(run: LoadRun, entities: number, place: string): void {
  countEntities(run, entities, () =>
    protocolError(
      "InvalidQueryOption",
      `${run.option} leads along '${place}' to more than ${String(run.maxEntities)} entities: add a condition that few entities meet.`,
      { target: run.option },
    ),
  );
}

/** The error of a path whose related entities nothing can bring. */
export function cannotFollow({ option }: Pick<LoadRun, "option">, path: string, reason: string): ODataError {
  const message = `Paths through '${path}' are not offered in ${option}: ${reason}.`;
  return protocolError("UnsupportedQueryOption", message, { target: option });
}

/**
 * Notes an entity from which nothing loads what a row rule leads to: it is hidden, and the application is told, once for
 * each path. An error would tell clients of rows that they may not see.
 */
export function noteUnfollowed(run: LoadRun, owner: object, path: string): void {
  run.unfollowed.add(owner);
  const service = serviceOf(run.context);
  if (service.warned?.has(path) !== false) return;
  service.warned.add(path);
  const message = `${run.option} leads along '${path}', which nothing loads for some entities: no handler, no join, nothing in the entities. They are hidden.`;
  logWarning(service, run.context, message, { navigation: path });
}
