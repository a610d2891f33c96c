import { ofPosition } from "../../base/errors/at-position.ts";
import { type Maybe, Turn } from "../../base/maybe.ts";
import type { EntitySetDefinition } from "../../definition/model/service-definition.ts";
import type { EntitySet } from "../../edm/model.ts";
import { mapEach } from "../entities/concurrency.ts";
import { answeredValue } from "../entities/handler-answer.ts";
import type { Reader } from "../entities/reader.ts";
import { asEntity } from "../memory/evaluation.ts";
import { ServiceContext } from "../rules/row-access.ts";
import { explainingViolations, OF_BODY } from "./explain-violation.ts";
import { runAtomically, type WritingHandler } from "./judged-write.ts";
import { lockParents } from "./lock-parents.ts";
import { afterCreation, beforeCreation, graphOf, hasHooks, mayCreateHooked, type Sent } from "./run-hooks.ts";
import { suppliesLater, withCreatedValues } from "./set-values.ts";
import { validateNew } from "./validate.ts";
import { runSupplied } from "./whole-write.ts";
import { isFree, runCreate, writerOf } from "./write-entity.ts";

/**
 * Creates entities of a set in one transaction, if its handler uses one. The handlers of tables add them in few statements; any
 * other handler is called for each of them, one after another.
 * @returns the results of the handler, in the order of the bodies
 * @throws as for runCreate; the target of an error of one entity begins with its position
 * @see docs/reference/handlers.md, Many entities
 */
export async function runCreateMany(
  entitySet: EntitySet,
  bodies: readonly object[],
  reader: Reader,
): Promise<readonly unknown[]> {
  const { set, handler } = writerOf(entitySet, "create", reader);
  const { many } = handler;
  if (many === undefined || !isFree(handler, reader)) {
    return runAtomically({ set, handler }, undefined, reader, {}, (inner) =>
      inOrder(bodies, async (body) => answeredValue(await runCreate(entitySet, body, inner))),
    );
  }
  const write = async (given: readonly object[], inner: Reader): Promise<readonly object[]> => {
    const call = (): Maybe<unknown> => many(given, ServiceContext.ofSet(entitySet, inner.context));
    const saved = answeredValue(await explainingViolations(set, OF_BODY, call));
    return (saved as readonly unknown[]).map((each) => asEntity(each, entitySet.entityType));
  };
  const isLater = bodies.some((body) => suppliesLater(set, body, reader));
  const saved = await runSupplied({ set, handler }, isLater, reader, async (inner) => {
    const entities = await inOrder(bodies, (body) => withCreatedValues(entitySet, body, inner));
    await eachPosition(entities, inner, (entity) => validateNew(set, entity, inner));
    return createAllHooked({ set, handler }, entities, inner, write);
  });
  return saved as readonly object[];
}

/** Saves entities, and returns them in their order. */
type WriteAll = (entities: readonly object[], reader: Reader) => Promise<readonly object[]>;

/**
 * Creates entities with their hooks: all `before` hooks, the write, and all `after` hooks. Hooks of one transaction run one after
 * another: each sees what those before it have written.
 */
async function createAllHooked(
  by: WritingHandler & { readonly set: EntitySetDefinition },
  entities: readonly object[],
  reader: Reader,
  write: WriteAll,
): Promise<readonly unknown[]> {
  const { set } = by;
  if (!mayCreateHooked(set, reader)) return write(entities, reader);
  const graphs = await graphsOf(set, entities, reader);
  const hooked = new Set(graphs.flatMap((sent) => sent.map((each) => each.set)));
  const isHooked = [...hooked].some((each) => hasHooks(each, "create", reader));
  if (!isHooked) return write(entities, reader);
  const isShown = [...hooked].some(hasAfter);
  return runAtomically(by, undefined, reader, { returnsIgnored: isShown ? true : undefined }, async (inner) => {
    const made = await inOrder(graphs, (sent) => beforeCreation(sent, inner));
    const name = `the create of ${set.entitySet.name}`;
    const save = async (): Promise<readonly object[]> =>
      ServiceContext.naming(inner.context, name, () => write(made, inner));
    if (!isShown) return save();
    const sent = await graphsOf(set, made, inner);
    await lockParents(
      sent.flatMap((all) => all.filter((each) => hasAfter(each.set))),
      inner,
    );
    const reads = await inOrder(await save(), (entity, index) => afterCreation(by, entity, sent[index] ?? [], inner));
    // A hook may have changed any of them.
    return eachPosition(reads, inner, (read) => read());
  });
}

function hasAfter({ hooks }: EntitySetDefinition): boolean {
  return hooks?.after.create !== undefined;
}

/** Returns the entities of each deep insert. */
function graphsOf(set: EntitySetDefinition, entities: readonly object[], { context }: Reader): Maybe<readonly Sent[]> {
  return mapEach(
    entities,
    (entity) => graphOf(set, entity, context),
    () => context.signal,
    new Turn(),
  );
}

/** Calls a function for each item, one after another. An error begins with the position of its item. */
export async function inOrder<T, R>(
  items: readonly T[],
  call: (item: T, index: number) => Maybe<R>,
): Promise<readonly R[]> {
  const results: R[] = [];
  const turn = new Turn();
  for (const [index, item] of items.entries()) {
    results.push(await ofPosition(index, () => call(item, index)));
    if (turn.isOver) await turn.next();
  }
  return results;
}

/** Calls a function for each item, several at a time. An error begins with the position of its item. */
function eachPosition<T, R>(
  items: readonly T[],
  { context }: Reader,
  call: (item: T, index: number) => Maybe<R>,
): Maybe<readonly R[]> {
  const one = ([index, item]: readonly [number, T]): Promise<R> => ofPosition(index, () => call(item, index));
  return mapEach([...items.entries()], one, () => context.signal, new Turn());
}
