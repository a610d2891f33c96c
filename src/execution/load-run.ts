import type { Maybe } from "../base/maybe.ts";
import type { Context } from "../definition/context.ts";
import { logWarning } from "../definition/request-fields.ts";
import type { EntitySet } from "../edm/model.ts";
import type { PrimitiveValue } from "../edm/value-codec.ts";
import { protocolError, type ODataError } from "../errors/odata-error.ts";
import { relationsOf, type Relations } from "../memory/relations.ts";
import { serviceOf } from "./resolve-sources.ts";
import { originOf } from "./trusted-context.ts";

/** One execution that loads what its expressions lead to: what all of its loads share. */
export interface LoadRun {
  readonly relations: Relations;
  readonly values: readonly PrimitiveValue[];
  readonly context: Context;
  /** Whether it is a row rule that is looked into, and no option of a client. */
  readonly isRule: boolean;
  /** The option that holds the expressions that are loaded for, one after another: for errors. */
  option: string;
  /** Null, too, for a row rule. */
  readonly maxEntities: number | null;
  /** What `getAll` handlers answered, each called once. */
  readonly lists: Map<EntitySet, Maybe<Iterable<unknown>>>;
  /** Entities of which a row rule cannot tell, for nothing loads what it leads to from them. */
  readonly unfollowed: Set<object>;
  /** Entities that were loaded. */
  total: number;
}

const runs = new WeakMap<readonly PrimitiveValue[], LoadRun>();

/**
 * The loads of one execution.
 * @param values an array of this execution alone
 * @param option the option that holds the expressions
 */
export function loadRunOf(values: readonly PrimitiveValue[], context: Context, option: string): LoadRun {
  let run = runs.get(values);
  if (run === undefined) {
    // What a row rule leads to is no part of the answer: a limit would tell how much there is that nobody sees.
    const isRule = originOf(context) !== context;
    const maxEntities = isRule ? null : serviceOf(context).limits.maxResponseEntities;
    const relations = relationsOf(values);
    const unfollowed = new Set<object>();
    run = { relations, values, context, isRule, option, maxEntities, lists: new Map(), unfollowed, total: 0 };
    runs.set(values, run);
  }
  run.option = option;
  return run;
}

/**
 * Counts entities as they are loaded.
 * @param place set and navigation property, for the message
 * @throws ODataError `InvalidQueryOption` above `maxResponseEntities`
 * @see decisions, Smaller points (cost of a request)
 */
export function countLoaded(run: LoadRun, entities: number, place: string): void {
  run.total += entities;
  if (run.maxEntities === null || run.total <= run.maxEntities) return;
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
