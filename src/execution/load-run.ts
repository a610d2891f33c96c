import type { Context } from "../definition/context.ts";
import type { EntitySet } from "../edm/model.ts";
import type { PrimitiveValue } from "../edm/value-codec.ts";
import { protocolError } from "../errors/odata-error.ts";
import { relationsOf, type Relations } from "../memory/relations.ts";
import type { MaybeResult } from "./handler-answer.ts";
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
  readonly lists: Map<EntitySet, MaybeResult<Iterable<unknown>>>;
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
    run = { relations: relationsOf(values), values, context, isRule, option, maxEntities, lists: new Map(), total: 0 };
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

/**
 * The error of a path whose related entities nothing can bring. Of a row rule it is no client's fault, and for no client
 * to learn of: it depends on rows that they may not see.
 */
export function cannotFollow(
  { option, isRule = false }: Pick<LoadRun, "option"> & Partial<Pick<LoadRun, "isRule">>,
  path: string,
  reason: string,
): Error {
  const message = `Paths through '${path}' are not offered in ${option}: ${reason}.`;
  return isRule ? new Error(message) : protocolError("UnsupportedQueryOption", message, { target: option });
}
