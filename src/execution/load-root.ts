import { chain, type Maybe } from "../base/maybe.ts";
import type { PrimitiveValue } from "../edm/value-codec.ts";
import { protocolError } from "../errors/odata-error.ts";
import type { RootExpression } from "../query/expression.ts";
import { findByKey } from "./entity-key.ts";
import { countLoaded, type LoadRun } from "./load-run.ts";
import { openSet } from "./open-set.ts";
import { readByKey } from "./read-by-key.ts";
import { definitionOf } from "./reader.ts";
import { rowReader, wholeEntity, toRow } from "./row-to-entity.ts";

/**
 * Loads the entity of `$root/Set(key)`.
 * @returns null when the set has no entity with the key
 * @throws ODataError that a handler returned or threw, and `UnsupportedQueryOption` for a set that cannot be read;
 *   TypeError for a result that is not an entity
 * @see OData URL Conventions 4.0, section 5.1.1.14
 */
export function loadRoot(expression: RootExpression, run: LoadRun): Maybe<object | null> {
  const { entitySet } = expression;
  const key = keyOf(expression, run.evaluation.values);
  if (definitionOf(entitySet, run.context).handlers.getByKey !== undefined) return readRoot(expression, key, run);
  return chain(openSet(entitySet, { relational: false, list: "once" }, run), (rows) => {
    if (rows === null || rows.relational !== undefined) throw cannotRead(expression, run);
    return asRoot(expression, findByKey(rows.entities, entitySet.entityType, key), run);
  });
}

function readRoot(expression: RootExpression, key: unknown, run: LoadRun): Maybe<object | null> {
  const found = readByKey(expression.entitySet, key, run, () => wholeEntity(expression.entitySet));
  return chain(found, (answer) => {
    if (answer === null) return null;
    const { entity, rowShape } = answer;
    return asRoot(expression, rowShape === undefined ? entity : rowReader(rowShape)(toRow(entity)), run);
  });
}

/** Returns the key in the application's form. */
function keyOf({ key, type }: RootExpression, values: readonly PrimitiveValue[]): unknown {
  const parts = key.map((part) => (part.kind === "literal" ? part.value : values[part.index]));
  if (parts.length === 1) return parts[0];
  return Object.freeze(Object.fromEntries(type.key.map(({ field }, index) => [field, parts[index]] as const)));
}

function asRoot({ entitySet }: RootExpression, entity: unknown, run: LoadRun): object | null {
  if (entity === null || entity === undefined) return null;
  countLoaded(run, 1, `$root/${entitySet.name}`);
  if (typeof entity === "object" && !Array.isArray(entity)) return entity;
  throw new TypeError(`The getByKey handler of ${entitySet.name} returned a value that is not an entity.`);
}

function cannotRead({ entitySet }: RootExpression, { option }: LoadRun): Error {
  const message = `'$root/${entitySet.name}' is not supported in ${option}: the entity set cannot be read.`;
  return protocolError("UnsupportedQueryOption", message, { target: option });
}
