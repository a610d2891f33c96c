import { chain, type Maybe } from "../base/maybe.ts";
import type { Context } from "../definition/context.ts";
import type { GetByKeyHandler } from "../definition/sets/handlers.ts";
import type { PrimitiveValue } from "../edm/value-codec.ts";
import type { JoinedSteps } from "../plan/join-expansions.ts";
import type { ExpandPlan } from "../plan/plan-expand.ts";
import type { SelectedProperty } from "../query/clauses.ts";
import type { RowShape } from "../query/row-shape.ts";
import type { KeyedJoins } from "../query/source.ts";
import { chooseJoins } from "./choose-joins.ts";
import { orThrow } from "./handler-answer.ts";

/** One entity, as an object or as a row. */
export interface FoundEntity {
  readonly entity: unknown;
  readonly rowShape: RowShape | undefined;
  /** The expansions that stand in the row; absent: none. */
  readonly joined?: JoinedSteps | undefined;
}

/** The expansions of an entity that is read by its key. */
export interface KeyedExpansions {
  /** Null where nothing is expanded. */
  readonly plan: ExpandPlan | null;
  /** The values of the parameters of the query. */
  readonly values: readonly PrimitiveValue[];
}

/**
 * Reads one entity by its key; null when there is none.
 * @param selected gives the properties that the answer needs; asked only where the handler can read less than all
 * @throws ODataError that the handler returned or threw
 * @see specification, Read by key
 */
export function readByKey(
  getByKey: GetByKeyHandler<Context>,
  key: unknown,
  context: Context,
  selected: () => readonly SelectedProperty[],
): Maybe<FoundEntity | null> {
  if (getByKey.readRow !== undefined) return readRowByKey(getByKey.readRow, key, context, { selected });
  return chain(getByKey(key, context), (answer) => {
    const entity = orThrow(answer);
    return entity === null || entity === undefined ? null : { entity, rowShape: undefined };
  });
}

/**
 * Reads one entity by its key as `readByKey` does, along with those of its expansions that one statement can join to it.
 * @throws ODataError that the handler returned or threw, or a `queryable` handler of a set that is joined
 * @see specification, Read by key; $expand, rule 2
 */
export function readExpandedByKey(
  getByKey: GetByKeyHandler<Context>,
  key: unknown,
  context: Context,
  selected: () => readonly SelectedProperty[],
  { plan, values }: KeyedExpansions,
): Maybe<FoundEntity | null> {
  const { readRow, source } = getByKey;
  if (plan === null || readRow === undefined || source === undefined) {
    return readByKey(getByKey, key, context, selected);
  }
  return chain(chooseJoins(plan, source, context), ({ joined, sources }) => {
    if (joined.navigations.length === 0) return readByKey(getByKey, key, context, selected);
    const joins = { joined: joined.navigations, values, sources };
    return chain(readRowByKey(readRow, key, context, { selected, joins }), (found) =>
      found === null ? null : { ...found, joined },
    );
  });
}

function readRowByKey(
  readRow: NonNullable<GetByKeyHandler<Context>["readRow"]>,
  key: unknown,
  context: Context,
  { selected, joins }: { readonly selected: () => readonly SelectedProperty[]; readonly joins?: KeyedJoins },
): Maybe<FoundEntity | null> {
  return chain(readRow(key, selected(), context, joins), (answer) => {
    const found = orThrow(answer);
    return found === null ? null : { entity: found.row, rowShape: found.rowShape };
  });
}
