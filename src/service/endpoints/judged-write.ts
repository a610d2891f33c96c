import type { Maybe } from "../../base/maybe.ts";
import type { EntitySet } from "../../edm/model.ts";
import { definitionIn } from "../../engine/entities/reader.ts";
import { runJudged, type WritingHandler } from "../../engine/writes/judged-write.ts";
import type { Execution } from "./execution.ts";

/** A write of a stored entity, or of an entity that is related to it. */
export interface JudgedWrite extends Omit<WritingHandler, "set"> {
  readonly entitySet: EntitySet;
  /** In the application's form. */
  readonly key: unknown;
}

/**
 * Executes a write whose rules read the stored entity, so that no other write comes between; any other write as it is.
 * @param isJudged whether a function or rule of the application reads the stored entity
 * @throws ODataError `ServiceUnavailable` after `transactionTimeout`; the errors of the work
 * @see docs/reference/handlers.md, Rules that read the stored entity
 */
export function executeJudged<T>(
  execution: Execution,
  { entitySet, key, ...by }: JudgedWrite,
  isJudged: boolean,
  work: (inner: Execution) => Maybe<T>,
): Maybe<T> {
  if (!isJudged) return work(execution);
  const set = definitionIn(execution.service.definition, entitySet);
  return runJudged({ ...by, set }, key, execution.reader, async (reader) => work(execution.within(reader)));
}
