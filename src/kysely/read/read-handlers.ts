import { chain } from "../../base/maybe.ts";
import { type Context, callerOf, readingOf } from "../../definition/context.ts";
import type { GetByKeyHandler } from "../../definition/handlers.ts";
import { declaredEntityType } from "../../definition/model/declared-entity-type.ts";
import type { EntityTypeDeclaration } from "../../definition/types/value-type.ts";
import type { KeyedJoins } from "../../query/source.ts";
import { readRow, timeoutOf, toEntity } from "./read-entity.ts";
import type { SqlReader } from "./sql-reader.ts";
import { sourceOf } from "./sql-row-source.ts";

/** Makes the handlers that read all rows of a reader. */
export function readHandlers<E extends EntityTypeDeclaration>(type: E, reader: SqlReader): object {
  const source = sourceOf(type, reader);
  const { key: keyProperties, properties } = declaredEntityType(type);
  const whole = Object.freeze(properties.map((property) => ({ property })));
  const getByKey: GetByKeyHandler<Context> = Object.assign(
    (key: unknown, context?: Context) =>
      chain(
        readRow(reader, keyProperties, {
          key,
          selected: whole,
          transaction: context?.transaction,
          reading: readingOf(context),
          caller: callerOf(context),
          timeout: timeoutOf(context),
        }),
        (found) => (found === null ? null : toEntity(found)),
      ),
    {
      source,
      readRow: (key: unknown, selected: typeof whole, context: Context, joins?: KeyedJoins) => {
        const scope = { transaction: context.transaction, reading: readingOf(context), caller: callerOf(context) };
        return readRow(reader, keyProperties, { key, selected, joins, ...scope, timeout: timeoutOf(context) });
      },
    },
  );
  return { queryable: Object.assign(() => source, { source }), getByKey };
}
