import { frozenCopy } from "../../base/frozen-copy.ts";
import type { Maybe } from "../../base/maybe.ts";
import { keptPer } from "../../base/memo.ts";
import { type Context, skipsHooks } from "../../definition/context.ts";
import type { EntitySetDefinition, ServiceDefinition } from "../../definition/model/service-definition.ts";
import { ALONE, entitiesWithin, nestedItems, type WrittenEntity } from "../../definition/sets/judge-references.ts";
import type { HookedWrite, WriteHooks } from "../../definition/sets/write-hooks.ts";
import { keyIn } from "../../edm/literal.ts";
import type { EntitySet } from "../../edm/model.ts";
import { canonicalEntity } from "../entities/canonical-entity.ts";
import { answeredDeletion, answeredValue } from "../entities/handler-answer.ts";
import { type Reader, serviceOf, targetDefinition } from "../entities/reader.ts";
import { declaredFieldOf } from "../memory/compile-property.ts";
import { asEntity } from "../memory/evaluation.ts";
import { defineMissing } from "../memory/missing-value.ts";
import { findOrMissing } from "../reads/read-by-key.ts";
import { loadedCopy } from "../rules/judge-rules.ts";
import { ServiceContext } from "../rules/row-access.ts";
import { errorOfHook } from "./hook-error.ts";
import { valuesToShow, valuesToWrite } from "./hook-values.ts";
import { runInTurn, type WritingHandler } from "./judged-write.ts";
import { lockParents } from "./lock-parents.ts";
import { inTransaction, type HookedHandler, MissingEntity, type StoredEntity, storedEntity } from "./whole-write.ts";

/** Whether a write of a set has hooks. */
export function hasHooks(set: EntitySetDefinition, write: HookedWrite, { context }: Reader): boolean {
  const hooks = hooksFor(set, context);
  return hooks !== undefined && (hooks.before[write] ?? hooks.after[write]) !== undefined;
}

/** Returns the hooks of a set that run in a context. */
function hooksFor({ hooks }: EntitySetDefinition, context: Context): WriteHooks | undefined {
  return skipsHooks(context) ? hooks?.always : (hooks ?? undefined);
}

/**
 * Creates an entity, with the hooks of its set and of the sets of its nested entities: all `before` hooks in the order in which
 * the entities are added, the write, and the `after` hooks, those of an entity after those of its nested entities.
 * @param by the handler that creates it
 * @param set the set of the entity; another one than that of the handler along a navigation
 * @param write checks and saves the entity
 * @throws the errors of hooks and of `write`, after everything is undone
 * @see docs/reference/handlers.md, Hooks
 */
export async function createHooked(
  by: HookedHandler,
  set: EntitySetDefinition,
  entity: object,
  reader: Reader,
  write: (entity: object, reader: Reader) => Maybe<unknown>,
): Promise<unknown> {
  if (!mayCreateHooked(set, reader)) return write(entity, reader);
  const sent = graphOf(set, entity, reader.context);
  const hooked = sent.filter((each) => hasHooks(each.set, "create", reader));
  if (hooked.length === 0) return write(entity, reader);
  const isShown = hooked.some((each) => each.set.hooks?.after.create !== undefined);
  return inTransaction(by, reader, isShown, async (inner) => {
    const made = await beforeCreation(sent, inner);
    const written = made === entity ? sent : graphOf(set, made, inner.context);
    await lockParents(
      written.filter((each) => each.set.hooks?.after.create !== undefined),
      inner,
    );
    const name = `the create of ${set.entitySet.name}`;
    const saved = answeredValue(await ServiceContext.naming(inner.context, name, () => write(made, inner)));
    if (saved === null || saved === undefined) throw new MissingEntity();
    if (!isShown) return saved;
    const created = asEntity(saved, set.entitySet.entityType);
    const read = await afterCreation({ set, handler: by.handler }, created, sent, inner);
    return read();
  });
}

/** Whether hooks may run for a new entity of a set, or for entities that are nested in it. */
export function mayCreateHooked(set: EntitySetDefinition, reader: Reader): boolean {
  return hasHooks(set, "create", reader) || (set.settings.allowDeepInsert && createsHooked(serviceOf(reader.context)));
}

const createsHooked = keptPer(({ entitySets }: ServiceDefinition) =>
  [...entitySets.values()].some(({ hooks }) => (hooks?.before.create ?? hooks?.after.create) !== undefined),
);

export type Sent = ReadonlyArray<WrittenEntity<EntitySetDefinition>>;

/** Returns the entities of a deep insert, in the order in which they are added. */
export function graphOf(set: EntitySetDefinition, entity: object, context: Context): Sent {
  return entitiesWithin({ set, entity, ...ALONE }, targetsIn(context));
}

type TargetOf = (set: EntitySetDefinition, navigation: string) => EntitySetDefinition | undefined;

function targetsIn(context: Context): TargetOf {
  return ({ entitySet }, navigation) => targetDefinition(entitySet, navigation, context);
}

/** Calls the `before` hooks of a new entity and of its nested entities. @returns the entity to write */
export async function beforeCreation(sent: Sent, { context, namesKey }: Reader): Promise<object> {
  const changed = new Map<object, object>();
  const targetOf = targetsIn(context);
  for (const { set, entity, place } of sent) {
    if (set.hooks?.before.create === undefined) continue;
    const original = withChanged({ set, entity }, changed, targetOf);
    const given = frozenCopy(original) as object;
    const returned = await callHook(set, "before", "create", { entity: given }, context);
    if (returned === undefined) continue;
    const kind = namesKey && place === "" ? "upsert" : "create";
    changed.set(entity, valuesToWrite({ ...placeOf(set, "before", "create"), returned, given, original }, kind));
  }
  const [root] = sent.filter(({ place }) => place === "");
  if (root === undefined) throw new Error("A new entity is not among its own entities.");
  return changed.size === 0 ? root.entity : withChanged(root, changed, targetOf);
}

/**
 * Calls the `after` hooks of a new entity and of its nested entities.
 * @returns a function that reads the entities as the hooks leave them
 */
export async function afterCreation(
  by: WritingHandler,
  saved: object,
  sent: Sent,
  reader: Reader,
): Promise<() => Promise<object>> {
  const stored = graphOf(by.set, saved, reader.context);
  checkReturned(sent, stored);
  const shown = new Map<Sent[number], object | undefined>();
  const around = new Set<string>();
  for (const each of nestedFirst(stored)) {
    if (each.set.hooks?.after.create === undefined) continue;
    // The hooks of nested entities may have changed the row.
    const again = { set: each.set, handler: by.handler };
    const entity = around.has(each.place) ? await readAgain(again, each.entity, reader) : each.entity;
    shown.set(each, await afterWrite(each.set, "create", entity, reader));
    for (let { place } = each; place !== ""; around.add(place)) place = outerPlace(place);
  }
  const members = stored.map((each) => shown.get(each));
  return () => readGraphAgain(by, saved, stored, members, reader);
}

/** Returns the entities of a deep insert so that each follows its nested entities, which keep their order. */
function nestedFirst(all: Sent): Sent {
  const within = new Map<string, Sent[number][]>();
  for (const each of all) {
    if (each.place === "") continue;
    const outer = outerPlace(each.place);
    const known = within.get(outer);
    if (known === undefined) within.set(outer, [each]);
    else known.push(each);
  }
  const ordered = (each: Sent[number]): Sent => [...(within.get(each.place) ?? []).flatMap(ordered), each];
  return all.filter(({ place }) => place === "").flatMap(ordered);
}

/** Returns the place of the entity around a nested one: without the navigation, and the position in a collection. */
function outerPlace(place: string): string {
  return place.replace(/[^/]+\/(?:\d+\/)?$/, "");
}

/**
 * Returns a saved entity, with those of its deep insert, as later writes of its transaction leave them.
 * @param isDeep whether the write added nested entities
 */
export function readLeft(by: WritingHandler, saved: unknown, isDeep: boolean, reader: Reader): Promise<object> {
  const { set } = by;
  const entity = asEntity(saved, set.entitySet.entityType);
  const stored = isDeep ? graphOf(set, entity, reader.context) : [{ set, entity, ...ALONE }];
  const shown = stored.map((each) => reader.shown?.shownMembers(each.entity));
  return readGraphAgain(by, entity, stored, shown, reader);
}

async function readGraphAgain(
  { set, handler }: WritingHandler,
  saved: object,
  stored: Sent,
  shown: ReadonlyArray<object | undefined>,
  reader: Reader,
): Promise<object> {
  const { context } = reader;
  const changed = new Map<object, object>();
  for (const each of stored) {
    changed.set(each.entity, await readAgain({ set: each.set, handler }, each.entity, reader));
  }
  const left = withChanged({ set, entity: saved }, changed, targetsIn(context));
  const again = stored.length === 1 ? [{ set, entity: left }] : graphOf(set, left, context);
  for (const [index, each] of again.entries()) noteShown(each.set.entitySet, each.entity, shown[index], reader);
  return left;
}

/** @throws TypeError if a handler did not return a nested entity with hooks: they would silently not run */
function checkReturned(sent: Sent, stored: Sent): void {
  const places = new Set(stored.map(({ place }) => place));
  const missing = sent.find(({ set, place }) => set.hooks?.after.create !== undefined && !places.has(place));
  if (missing === undefined) return;
  const { name } = missing.set.entitySet;
  throw new TypeError(
    `The create handler did not return the nested entity ${missing.place.slice(0, -1)}, which \`after.create\` of ${name} needs. Return the entity with its nested entities.`,
  );
}

/** Returns an entity with changed entities in place of the entities within it. */
function withChanged(
  { set, entity }: Pick<WrittenEntity<EntitySetDefinition>, "set" | "entity">,
  changed: ReadonlyMap<object, object>,
  targetOf: TargetOf,
): object {
  const own = changed.get(entity) ?? entity;
  const nested = [...set.entitySet.navigationProperties.values()].flatMap((navigation) => {
    const items = nestedItems(entity, navigation);
    const target = items.length === 0 ? undefined : targetOf(set, navigation.name);
    if (target === undefined) return [];
    const made = items.map((item) => withChanged({ set: target, entity: item }, changed, targetOf));
    return [[navigation.field, navigation.isCollection ? made : made[0]] as const];
  });
  return nested.length === 0 ? own : { ...own, ...Object.fromEntries(nested) };
}

/** A change of an existing entity. */
interface HookedChange {
  readonly write: "replace" | "patch" | "delete";
  readonly key: unknown;
  /** The replacement or the changes; undefined for a deletion. */
  readonly values: object | undefined;
}

/**
 * Changes or deletes an entity, with the hooks of its set. Changes of their functions are undone if the entity is missing.
 * @param save checks and saves the values
 * @returns the result of the handler; null, or false for a deletion, if the entity is missing
 * @throws the errors of hooks and of `save`, after everything is undone
 * @see docs/reference/handlers.md, Hooks
 */
export function changeHooked(
  by: HookedHandler,
  change: HookedChange,
  reader: Reader,
  save: (values: object | undefined, reader: Reader) => Maybe<unknown>,
): Maybe<unknown> {
  const { set } = by;
  const { write, key, values } = change;
  if (!hasHooks(set, write, reader)) return runInTurn(by, key, reader, (inner) => save(values, inner));
  const isShown = write !== "delete" && set.hooks?.after[write] !== undefined;
  return inTransaction(
    { ...by, key },
    reader,
    isShown,
    async (inner) => {
      const stored = storedEntity(set, change, inner, "hook");
      const changed = await beforeChange(set, change, inner, stored);
      const deleted = write === "delete" ? await deletedEntity(set, key, stored) : {};
      const name = `the ${write} of ${set.entitySet.name}`;
      const saved = answeredValue(await ServiceContext.naming(inner.context, name, () => save(changed, inner)));
      if (write === "delete") {
        if (!answeredDeletion(saved, set.entitySet)) throw new MissingEntity();
        await callHook(set, "after", "delete", deleted, inner.context);
        return saved;
      }
      if (saved === null || saved === undefined) throw new MissingEntity();
      if (!isShown) return saved;
      const entity = asEntity(saved, set.entitySet.entityType);
      const shown = await afterWrite(set, write, entity, inner);
      const left = await readAgain(by, entity, inner);
      noteShown(set.entitySet, left, shown, inner);
      return left;
    },
    write === "delete" ? false : null,
  );
}

/** Returns the argument of `after.delete`: the key, and the entity as it is before the deletion, which is read only for the hook. */
async function deletedEntity(set: EntitySetDefinition, key: unknown, stored: StoredEntity): Promise<object> {
  if (set.hooks?.after.delete === undefined) return { key };
  if (set.handlers.getByKey !== undefined) return { key, entity: await stored.read() };
  const call = { key };
  const { name } = set.entitySet;
  defineMissing(
    call,
    "entity",
    `after.delete of ${name} read \`entity\`, but ${name} has no \`getByKey\`. Declare it.`,
  );
  return call;
}

/**
 * Calls the `before` hook of a change.
 * @param current loads the stored entity
 * @returns the values to write
 */
export async function beforeChange(
  set: EntitySetDefinition,
  change: HookedChange,
  reader: Reader,
  current: StoredEntity = storedEntity(set, change, reader, "hook"),
): Promise<object | undefined> {
  const { write, key, values } = change;
  if (set.hooks?.before[write] === undefined) return values;
  const given = values === undefined ? {} : (frozenCopy(values) as object);
  const named = write === "patch" ? { delta: given } : { entity: given };
  const call = { key, current: current.load, ...(values === undefined ? {} : named) };
  const returned = await callHook(set, "before", write, call, reader.context);
  current.checkFound();
  if (returned === undefined) return values;
  const place = placeOf(set, "before", write);
  if (write === "delete") throw new TypeError(`${place.hook} returned a value. Return nothing, or an odataError.`);
  return valuesToWrite({ ...place, returned, given, original: values ?? {} }, write);
}

/** Calls the `after` hook of a write that saved an entity. @returns the members that it shows instead; undefined: none */
export async function afterWrite(
  set: EntitySetDefinition,
  write: "create" | "replace" | "patch",
  saved: object,
  { context }: Reader,
): Promise<object | undefined> {
  if (set.hooks?.after[write] === undefined) return undefined;
  const { entityType } = set.entitySet;
  const given = loadedCopy(set.entitySet, canonicalEntity(entityType, saved), "a hook");
  const returned = await callHook(set, "after", write, { key: keyIn(entityType, given), entity: given }, context);
  if (returned === undefined) return undefined;
  const shown = valuesToShow({ ...placeOf(set, "after", write), returned, given, original: given });
  // A member that the hook only passes on may have changed meanwhile.
  return Object.fromEntries(Object.entries(shown).filter(([field, value]) => declaredFieldOf(given, field) !== value));
}

function noteShown({ entityType }: EntitySet, stored: object, shown: object | undefined, reader: Reader): void {
  if (shown === undefined) return;
  reader.shown?.noteShown(stored, { ...canonicalEntity(entityType, stored), ...shown }, shown);
}

/**
 * Returns a saved entity as it is after its hooks, which may have changed it: read from its table, else by `getByKey`. If the user no
 * longer sees it, or nothing can read it, it is as its handler returned it.
 */
async function readAgain({ set, handler }: WritingHandler, saved: object, reader: Reader): Promise<object> {
  const { entitySet, handlers, rows, reread } = set;
  const { entityType } = entitySet;
  const { context, gate } = reader;
  const key = keyIn(entityType, saved);
  if (rows !== null && gate !== null) {
    const isSeen = handlers.getByKey !== undefined && (await findOrMissing(entitySet, key, reader)) !== null;
    if (!isSeen) return saved;
  }
  if (reread !== undefined && serviceOf(context).handlersCheckingRows.has(handler)) {
    return { ...saved, ...(await reread(key, context)) };
  }
  const found = handlers.getByKey === undefined ? null : await findOrMissing(entitySet, key, { ...reader, gate: null });
  return found === null ? saved : { ...saved, ...canonicalEntity(entityType, asEntity(found, entityType)) };
}

/** The name of a hook, for errors, and the type of its entities. */
function placeOf(
  { entitySet: { name, entityType } }: EntitySetDefinition,
  when: "before" | "after",
  write: HookedWrite,
) {
  return { hook: `${when}.${write} of ${name}`, entityType };
}

/** Calls a hook, if there is one. @throws the error that it threw or returned */
async function callHook(
  set: EntitySetDefinition,
  when: "before" | "after",
  write: HookedWrite,
  call: object,
  context: Context,
): Promise<unknown> {
  const hook = hooksFor(set, context)?.[when][write];
  if (hook === undefined) return undefined;
  const ctx = ServiceContext.ofSet(set.entitySet, context);
  // A spread would lose a member that throws when it is read.
  const given = Object.freeze(Object.defineProperties({ ctx }, Object.getOwnPropertyDescriptors(call)));
  try {
    return answeredValue(await ServiceContext.naming(context, placeOf(set, when, write).hook, () => hook(given)));
  } catch (error) {
    throw errorOfHook(context, error);
  }
}
