import type { Context } from "../definition/context.ts";
import type { GetByKeyHandler } from "../definition/handlers.ts";
import type { SelectedProperty } from "../query/clauses.ts";
import type { RowShape } from "../query/row-shape.ts";
import { chain } from "./chain.ts";
import { orThrow, type MaybeResult } from "./handler-answer.ts";

/** One entity, as an object or as a row. */
export interface FoundEntity {
  readonly entity: unknown;
  readonly rowShape: RowShape | undefined;
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
): MaybeResult<FoundEntity | null> {
  const { readRow } = getByKey;
  if (readRow !== undefined) {
    return chain(readRow(key, selected(), context), (answer) => {
      const found = orThrow(answer);
      return found === null ? null : { entity: found.row, rowShape: found.rowShape };
    });
  }
  return chain(getByKey(key, context), (answer) => {
    const entity = orThrow(answer);
    return entity === null || entity === undefined ? null : { entity, rowShape: undefined };
  });
}
