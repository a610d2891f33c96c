import { type Maybe, unawaited } from "../../base/maybe.ts";
import { once } from "../../base/memo.ts";
import type { EntitySetDefinition } from "../../definition/model/service-definition.ts";
import type { SuppliedValues } from "../../definition/sets/supplied-values.ts";
import type { HookedWrite } from "../../definition/sets/write-hooks.ts";
import { answeredValue } from "../entities/handler-answer.ts";
import type { Reader } from "../entities/reader.ts";
import { findEntity } from "../reads/read-by-key.ts";
import { loadedCopy } from "../rules/judge-rules.ts";
import { lockEntity, lockIfPossible, runAtomically, type WritingHandler } from "./judged-write.ts";

/** A handler whose write has hooks. */
export interface HookedHandler extends WritingHandler {
  /** The key of the written entity; absent for a new one. */
  readonly key?: unknown;
  /** For a link: receives the values of `set` that its hooks see. */
  readonly supplied?: SuppliedValues;
}

/** Ends a write whose entity is missing: everything that functions of the application wrote is undone. */
export class MissingEntity extends Error {}

/**
 * Runs a write whose values `async` functions of `set` supply: they and the write are kept or undone as one, also if the entity
 * is missing. Any other write runs as it is.
 * @param isLater whether such functions run
 * @param work supplies the values, and writes them
 */
export function runSupplied(
  by: HookedHandler,
  isLater: boolean,
  reader: Reader,
  work: (reader: Reader) => Maybe<unknown>,
): Maybe<unknown> {
  if (!isLater) return work(reader);
  return inTransaction(by, reader, false, async (inner) => {
    const saved = answeredValue(await work(inner));
    if (saved === null || saved === undefined) throw new MissingEntity();
    return saved;
  });
}

/**
 * Runs a write with its hooks as one: see `runAtomically`.
 * @param isShown whether a hook receives the saved entity
 * @param missing the result for a missing entity
 */
export async function inTransaction(
  { key, supplied, ...by }: HookedHandler,
  reader: Reader,
  isShown: boolean,
  work: (reader: Reader) => Promise<unknown>,
  missing: null | false = null,
): Promise<unknown> {
  try {
    return await runAtomically(by, key, reader, { returnsIgnored: isShown ? true : undefined, supplied }, work);
  } catch (error) {
    if (error instanceof MissingEntity) return missing;
    throw error;
  }
}

/** The stored entity of a write, as a function of the application loads it. */
export interface StoredEntity {
  readonly load: () => unknown;
  /** Reads the entity like `load`, also if the database cannot lock it. */
  readonly read: () => Promise<object | null>;
  /** @throws MissingEntity if the function has looked for a missing entity, whatever it then did */
  readonly checkFound: () => void;
}

/**
 * Returns the function that loads the entity of a write in its transaction, and locks it, at most once.
 * @param caller the function of the application. A hook gets null for the entity that a `replace` handler may create.
 */
export function storedEntity(
  set: EntitySetDefinition,
  { write, key }: { readonly write: HookedWrite; readonly key: unknown },
  reader: Reader,
  caller: "hook" | "set",
): StoredEntity {
  const { entitySet, handlers, settings } = set;
  const mayBeMissing =
    caller === "hook" && write === "replace" && settings.allowUpsert && handlers.create === undefined;
  const { context } = reader;
  let isMissing = false;
  const find = once(async (): Promise<object | null> => {
    const found = await findEntity(entitySet, key, reader);
    if (found !== null) return loadedCopy(entitySet, found, caller === "hook" ? "a hook" : "a function of `set`");
    if (mayBeMissing) return null;
    isMissing = true;
    throw new MissingEntity(`${entitySet.name} has no entity with this key.`);
  });
  const load = once(async (): Promise<object | null> => {
    if (handlers.getByKey === undefined) {
      const { name } = entitySet;
      const place = caller === "hook" ? `before.${write} of ${name}` : `A function of \`set\` of ${name}`;
      throw new Error(`${place} called \`current\`, but ${name} has no \`getByKey\`. Declare it, or \`read\`.`);
    }
    await lockEntity(set, key, context, write === "delete");
    return find();
  });
  const read = async (): Promise<object | null> => {
    await lockIfPossible(set, key, context, write === "delete");
    return find();
  };
  const checkFound = (): void => {
    if (isMissing) throw new MissingEntity();
  };
  // A hook that does not await it must not end the process.
  return { load: () => unawaited(load()), read, checkFound };
}
