import type { Maybe } from "../base/maybe.ts";
import type { Context } from "../definition/context.ts";
import { logWarning } from "../definition/request-fields.ts";
import type { EntitySet } from "../edm/model.ts";
import { protocolError, type ODataError } from "../errors/odata-error.ts";
import type { Evaluation } from "../memory/evaluation.ts";
import { serviceOf } from "./resolve-sources.ts";
import { originOf } from "./trusted-context.ts";

/** The loads of one evaluation: what all of them share. */
export interface LoadRun {
  readonly evaluation: Evaluation;
  readonly context: Context;
  /** Whether it is a row rule that is looked into, and no option of a client. */
  readonly isRule: boolean;
  /** The option that holds the expressions, for errors. */
  readonly option: string;
  /** Null, too, for a row rule. */
  readonly maxEntities: number | null;
  /** What `getAll` handlers answered, each called once. */
  readonly lists: Map<EntitySet, Maybe<Iterable<unknown>>>;
  /** Entities of which a row rule cannot tell, for nothing loads what it leads to from them. */
  readonly unfollowed: Set<object>;
  /** How many entities were loaded. */
  readonly loaded: { total: number };
}

/**
 * Starts the loads of an evaluation.
 * @param option the option that holds the expressions
 */
export function startLoads(evaluation: Evaluation, context: Context, option: string): LoadRun {
  // A row rule leads to entities that are not in the response: a limit would tell how many hidden ones there are.
  const isRule = originOf(context) !== context;
  const maxEntities = isRule ? null : serviceOf(context).limits.maxResponseEntities;
  const own = {
    lists: new Map<EntitySet, Maybe<Iterable<unknown>>>(),
    unfollowed: new Set<object>(),
    loaded: { total: 0 },
  };
  return { evaluation, context, isRule, option, maxEntities, ...own };
}

/** Returns the same loads for the expressions of another option. */
export function withOption(run: LoadRun, option: string): LoadRun {
  return run.option === option ? run : { ...run, option };
}

/**
 * Counts entities as they are loaded.
 * @param place set and navigation property, for the message
 * @throws ODataError `InvalidQueryOption` above `maxResponseEntities`
 * @see decisions, Smaller points (cost of a request)
 */
export function countLoaded(run: LoadRun, entities: number, place: string): void {
  run.loaded.total += entities;
  if (run.maxEntities === null || run.loaded.total <= run.maxEntities) return;
  throw protocolError(
    "InvalidQueryOption",
    `${run.option} leads along '${place}' to more than ${String(run.maxEntities)} entities: add a condition that few entities meet.`,
    { target: run.option },
  );
}

/** The error of a path whose related entities nothing can bring. */
export function cannotFollow({ option }: Pick<LoadRun, "option">, path: string, reason: string): ODataError {
  const message = `Paths through '${path}' are not offered in ${option}: ${reason}.`;
  return protocolError("UnsupportedQueryOption", message, { target: option });
}

/** By service: the paths of row rules that were told about. */
const told = new WeakMap<object, Set<string>>();

/**
 * Notes an entity from which nothing loads what a row rule leads to: it is hidden, and the application is told, once for
 * each path. An error would tell clients of rows that they may not see.
 */
export function noteUnfollowed(run: LoadRun, owner: object, path: string): void {
  run.unfollowed.add(owner);
  const service = serviceOf(run.context);
  const paths = told.get(service) ?? new Set<string>();
  told.set(service, paths);
  if (paths.has(path)) return;
  paths.add(path);
  const message = `${run.option} leads along '${path}', which nothing loads for some entities: no handler, no join, nothing in the entities. They are hidden.`;
  logWarning(service, run.context, message, { navigation: path });
}
