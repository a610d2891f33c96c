import { keyHolderOf, keyPairsOf, reversedPairs } from "../../edm/key-holder.ts";
import { keyFields, keyIn } from "../../edm/literal.ts";
import type { EntitySet } from "../../edm/model.ts";
import { canonicalEntity } from "../../engine/entities/canonical-entity.ts";
import { identityOfKey } from "../../engine/entities/entity-key.ts";
import { definitionIn } from "../../engine/entities/reader.ts";
import { fieldOf } from "../../engine/memory/compile-property.ts";
import { asEntity } from "../../engine/memory/evaluation.ts";
import { requireLinkable } from "../../engine/rules/authorize-body.ts";
import { isSame } from "../../engine/rules/judge-properties.ts";
import { runAtomically, type WritingHandler } from "../../engine/writes/judged-write.ts";
import { readLeft } from "../../engine/writes/run-hooks.ts";
import { type BodyObject, compileFieldWriter } from "../../payload/body-members.ts";
import type { BoundLink, NamedEntity } from "../../payload/link-reading.ts";
import { MAX_NAMED_ENTITIES, tooManyNamed } from "../../payload/read-links.ts";
import { entityUrlOf, keyTextOf } from "../../payload/urls.ts";
import type { AuthorizedRequest, OwnBody } from "./authorized-request.ts";
import { queryReaderOf } from "./bind-query.ts";
import { noteNamed, writeNamed } from "./bound-links.ts";
import { checkPreconditions } from "./current-entity.ts";
import { deleteOne } from "./delete-entity.ts";
import type { SavedEntity } from "./entity-result.ts";
import type { Execution } from "./execution.ts";
import { checkNestedWrites, countNested, isJoined, isLinkedByPatch, isRequired } from "./joined-writes.ts";
import { unsupported } from "./link-reading.ts";
import {
  boundWrite,
  type BoundWrite,
  type NestedEntity,
  type NestedNavigation,
  nestedRequest,
  ofEntity,
} from "./nested-entities.ts";
import { ofNested } from "./nested-errors.ts";
import { checkAddressed, currentOf, hasValues, lookUp, ownValues, refersTo } from "./nested-reads.ts";
import { patching } from "./patch-entity.ts";
import { entityPathOf } from "./read-entity.ts";
import { checkPrecondition } from "./require-match.ts";
import { runtimeOf } from "./service-runtime.ts";

/** A change of an entity with nested entities. */
interface DeepWrite {
  readonly request: AuthorizedRequest;
  /** The key of the URL, in the application's form. */
  readonly key: unknown;
  readonly method: "PATCH" | "PUT";
  readonly nested: readonly NestedNavigation[];
  readonly write: BoundWrite;
}

/** The transaction of a change. */
interface Deep {
  /** Without rules of the addressed entity, which only its own change obeys. */
  readonly execution: Execution;
  readonly method: DeepWrite["method"];
  /** The request that is changed. */
  readonly request: AuthorizedRequest;
  /** Counts the entities that the change reads besides that of the URL. */
  readonly count: { total: number };
}

/** The saved entity around nested ones. */
interface Owner {
  readonly entitySet: EntitySet;
  readonly key: unknown;
  readonly entity: object;
  /** The handler that saved it. */
  readonly handler: object;
  readonly request: AuthorizedRequest;
  readonly links: readonly BoundLink[];
}

/**
 * Executes a change of an entity with its nested entities as one: first the entities that it refers to, then itself, then the others;
 * of a collection, first what is removed.
 * @throws ODataError as each of these writes; `NotImplemented`, before anything is written, if they cannot be one
 * @see docs/reference/deep-update.md
 */
export function saveWithNested(
  { request, key, method, nested, write }: DeepWrite,
  execution: Execution,
): Promise<SavedEntity> {
  const { service } = execution;
  const { entitySet } = entityPathOf(request.path);
  const set = definitionIn(service.definition, entitySet);
  const handler = (method === "PATCH" ? set.handlers.patch : set.handlers.replace) as object;
  const own = checkNestedWrites(service, { set, handler }, nested, method);
  const count = { total: countNested(nested) };
  noteNamed(execution, count.total);
  // A handler of the application may have effects that no second attempt repeats.
  const by: WritingHandler = { set, handler: own ?? handler, transactional: isJoined(service, { set, handler }) };
  return runAtomically(by, key, execution.reader, {}, async (reader) => {
    const inner = execution.within(reader);
    if (by.transactional !== true && nested.some(isPrincipal)) await checkAddressed(inner, request, key);
    const deep: Deep = {
      execution: inner.nested({ arrival: execution.arrival, access: { ...execution.access, pending: [] } }, reader),
      method,
      request,
      count: { ...count },
    };
    const saved = await writeEntity(deep, { write, nested, entitySet }, inner);
    const entity = await readLeft({ set, handler: saved.handler }, saved.entity, false, reader);
    return { ...saved, entity };
  });
}

/** A bound write, with the entities that are nested in its body. */
interface NestingWrite {
  readonly entitySet: EntitySet;
  readonly write: BoundWrite;
  readonly nested: readonly NestedNavigation[];
}

/** Writes an entity with its nested ones. @param adjust changes a copy of its body */
async function writeEntity(
  deep: Deep,
  { entitySet, write, nested }: NestingWrite,
  execution: Execution,
  adjust?: (body: BodyObject) => void,
): Promise<SavedEntity> {
  const links: Array<Omit<BoundLink, "entity">> = [];
  for (const each of nested) {
    if (isPrincipal(each)) links.push(...(await writePrincipal(deep, each, write.request)));
  }
  const saved = await write.save(execution, links, adjust);
  const behind = nested.filter((each) => !isPrincipal(each));
  if (behind.length === 0) return saved;
  const { entityType } = entitySet;
  const entity = canonicalEntity(entityType, asEntity(saved.entity, entityType));
  const { request } = write;
  const { handler } = saved;
  const owner = { entitySet, key: keyIn(entityType, entity), entity, handler, request, links: write.links };
  for (const each of behind) await writeRelated(deep, owner, each);
  return saved;
}

/** Whether the entity around nested ones refers to them, so that they are written before it. */
function isPrincipal({ source, navigation }: NestedNavigation): boolean {
  return keyHolderOf(source, navigation) === "parent";
}

const NONE: ReadonlySet<string> = new Set();

function linkTo(
  { source, navigation, fail }: NestedNavigation,
  named: readonly NamedEntity[] | null,
): Omit<BoundLink, "entity"> {
  const target = fail("").target ?? navigation.name;
  return { entitySet: source, navigation, place: "", target, named, inherited: NONE, fail };
}

/** Writes the entity that another refers to. @returns the link to it, which the other writes; none if it has that already */
async function writePrincipal(
  deep: Deep,
  nested: NestedNavigation,
  request: AuthorizedRequest,
): Promise<readonly Omit<BoundLink, "entity">[]> {
  const { target, entities } = nested;
  const [entity] = entities;
  if (entity === undefined) return [linkTo(nested, null)];
  const found = await lookUp(deep, nested);
  return ofNested(entity.place, async () => {
    const stored = entity.named === null ? null : await found.of(entity.named.key);
    if (stored !== null) {
      await change(deep, nested, entity, null, stored);
      if (deep.method === "PATCH" && (await refersTo(deep, nested, request, stored))) return [];
    }
    const key = stored === null ? await create(deep, nested, entity, null) : keyIn(target.entityType, stored);
    return [linkTo(nested, [{ id: entityUrlOf(request.serviceRoot, target, key), key }])];
  });
}

/** Writes the entities that refer to another one, or that a table of links relates to it. */
async function writeRelated(deep: Deep, owner: Owner, nested: NestedNavigation): Promise<void> {
  const { source, navigation, target, form, entities } = nested;
  const { entityType } = target;
  const found = await lookUp(deep, nested);
  const values = await ownValues(deep, owner, nested);
  const isHolder = keyHolderOf(source, navigation) === "related";
  const isOfOwner = (stored: object): boolean =>
    isHolder && hasValues(stored, reversedPairs(keyPairsOf(source, navigation)), values);
  const isDeleted = !isHolder && entities.some(({ removed }) => removed === "deleted");
  const current = form === "delta" && !isDeleted ? null : await currentOf(deep, owner, nested);
  const kept = new Set(keptKeys(owner, nested).map((key) => identityOfKey(entityType, key)));
  const absent = form === "delta" ? [] : [...(current ?? [])].filter(([identity]) => !kept.has(identity));
  deep.count.total += absent.length;
  if (deep.count.total > MAX_NAMED_ENTITIES) throw tooManyNamed(nested.fail);
  for (const [, key] of absent) await removeAbsent(deep, owner, nested, key);
  for (const entity of entities.filter(({ removed }) => removed !== null)) {
    await ofNested(entity.place, async () => {
      const stored = await found.of(entity.named?.key);
      if (stored === null) return;
      const key = keyIn(entityType, stored);
      const isRelated = isHolder ? isOfOwner(stored) : (current?.has(identityOfKey(entityType, key)) ?? true);
      if (isRelated) await remove(deep, owner, nested, { ...entity, key });
    });
  }
  for (const entity of entities.filter(({ removed }) => removed === null)) {
    await ofNested(entity.place, async () => {
      const stored = entity.named === null ? null : await found.of(entity.named.key);
      if (stored === null) {
        await create(deep, nested, entity, owner);
        return;
      }
      const key = keyIn(entityType, stored);
      const isRelated = isOfOwner(stored) || current?.has(identityOfKey(entityType, key)) === true;
      // A link in a foreign key changes the ETag that the body names.
      await change(deep, nested, entity, owner, stored);
      if (!isRelated) await link(deep, owner, nested, key, true);
    });
  }
}

/** Returns the keys of the entities that a collection keeps: nested ones, and those to which the body links. */
function keptKeys({ links }: Owner, { navigation, entities }: NestedNavigation): readonly unknown[] {
  const bound = links.filter((each) => each.place === "" && each.navigation === navigation);
  return [...entities, ...bound.flatMap(({ named }) => (named ?? []).map((each) => ({ named: each })))].flatMap(
    ({ named }) => (named === null ? [] : [named.key]),
  );
}

function removeAbsent(deep: Deep, owner: Owner, nested: NestedNavigation, key: unknown): Promise<void> {
  const removed = isRequired(nested) ? "deleted" : "changed";
  return ofNested(nested.navigation.name, () => remove(deep, owner, nested, { key, removed, etag: undefined }));
}

/** Deletes a related entity, or removes its link. */
async function remove(deep: Deep, owner: Owner, nested: NestedNavigation, removed: RemovedEntity): Promise<void> {
  if (removed.removed === "deleted") return removeByDelete(deep, owner, nested, removed);
  const { key, etag } = removed;
  if (etag !== undefined) await checkState(deep, nested, key, etag);
  return link(deep, owner, nested, key, false);
}

interface RemovedEntity extends Pick<NestedEntity, "removed" | "etag"> {
  readonly key: unknown;
}

async function removeByDelete(
  { execution }: Deep,
  owner: Owner,
  nested: NestedNavigation,
  { key, etag }: RemovedEntity,
): Promise<void> {
  const { target: entitySet } = nested;
  const { handlers, settings } = runtimeOf(execution.service, entitySet);
  if (handlers.delete === undefined) {
    throw unsupported(`${entitySet.name} has no DELETE, so its entities stay.`, ofEntity);
  }
  const keyText = keyTextOf(entitySet.entityType, key);
  const path = { kind: "entity", entitySet, key: keyText } as const;
  const request = nestedRequest(owner.request, nested, { path, method: "DELETE", category: "delete", etag, own: null });
  if (settings.requireIfMatch) checkPrecondition(request);
  await deleteOne(execution.nested(request, execution.reader), { entitySet, keyText, key });
}

/** Checks the ETag of an entity that its own write does not check. @throws ODataError `PreconditionFailed` */
async function checkState(
  { execution, request }: Deep,
  nested: NestedNavigation,
  key: unknown,
  etag: string,
): Promise<void> {
  const { target: entitySet } = nested;
  const path = { kind: "entity", entitySet, key: keyTextOf(entitySet.entityType, key) } as const;
  const inner = nestedRequest(request, nested, { path, method: "PATCH", category: "read", etag, own: null });
  await checkPreconditions(execution.nested(inner, execution.reader), { entitySet, key });
}

/** Adds or removes the link between two entities, by its handler, else by the foreign key in a PATCH of the related one. */
async function link(
  deep: Pick<Deep, "execution">,
  owner: Owner,
  nested: NestedNavigation,
  key: unknown,
  isAdded: boolean,
): Promise<void> {
  const { execution } = deep;
  const { entitySet, handler } = owner;
  const { navigation, target } = nested;
  if (isLinkedByPatch(execution.service, nested, isAdded)) {
    await patchLink(deep, owner, nested, key, isAdded);
    return;
  }
  const set = definitionIn(execution.service.definition, entitySet);
  const write = { set, handler, entitySet, key: owner.key, write: "patch", links: [] } as const;
  const named = { id: entityUrlOf(owner.request.serviceRoot, target, key), key };
  const isCleared = !isAdded && !navigation.isCollection;
  const made = { ...linkTo(nested, isCleared ? null : [named]), entity: {}, fail: ofEntity, target: "" };
  return writeNamed(
    execution,
    write,
    made,
    { ...owner.entity, ...keyFields(entitySet.entityType, owner.key) },
    isAdded,
  );
}

async function patchLink(
  { execution }: Pick<Deep, "execution">,
  owner: Owner,
  nested: NestedNavigation,
  key: unknown,
  isAdded: boolean,
): Promise<void> {
  const { source, navigation, target } = nested;
  requireLinkable(queryReaderOf(execution), source, navigation, "");
  const values = await ownValues({ execution }, owner, nested);
  const path = { kind: "entity", entitySet: target, key: keyTextOf(target.entityType, key) } as const;
  const own: OwnBody = { open: () => ({ read: (bind) => bind({}, false) }), nested: () => NONE };
  const request = nestedRequest(owner.request, nested, {
    path,
    method: "PATCH",
    category: "update",
    etag: undefined,
    own,
  });
  const adjust = (body: BodyObject): void => {
    for (const { property, related } of reversedPairs(keyPairsOf(source, navigation))) {
      if (property.serverSet === true) continue;
      compileFieldWriter(property.field)(body, isAdded ? fieldOf(values, related.field) : null);
    }
  };
  await boundWrite(patching, request).save(execution.nested(request, execution.reader), [], adjust);
}

/** Changes an existing entity, with its nested entities. @param owner the entity to which it refers; null: it refers to none */
async function change(
  deep: Deep,
  nested: NestedNavigation,
  { change: write, nested: below, etag, named }: NestedEntity,
  owner: Owner | null,
  stored: object,
): Promise<void> {
  const { execution } = deep;
  const { target: entitySet } = nested;
  const key = keyIn(entitySet.entityType, stored);
  if (write !== null) {
    const values = owner === null ? null : await ownValues(deep, owner, nested);
    const adjust = (body: BodyObject): void => keepLink(deep, nested, body, values);
    await writeEntity(
      deep,
      { entitySet, write, nested: below },
      execution.nested(write.request, execution.reader),
      adjust,
    );
    return;
  }
  if (etag !== undefined && named !== null) await checkState(deep, nested, key, etag);
}

/** Keeps the foreign key of a nested entity that refers to the one around it. @throws ODataError for another value in its body */
function keepLink(
  { method }: Deep,
  { source, navigation }: NestedNavigation,
  body: BodyObject,
  values: object | null,
): void {
  if (values === null || keyHolderOf(source, navigation) !== "related") return;
  for (const { property, related } of reversedPairs(keyPairsOf(source, navigation))) {
    const { field, isKey, serverSet, computed, immutable } = property;
    if (isKey || serverSet === true || computed || !Object.hasOwn(body, field)) continue;
    const [own, value] = [body[field], fieldOf(values, related.field)];
    if (own !== null && !isSame(property, own, value)) {
      throw ofEntity(`'${property.name}' differs from the value of the entity around it: leave it out.`);
    }
    if (own === null && method === "PATCH") throw ofEntity(`'${property.name}' would remove the entity: leave it out.`);
    if (!immutable) compileFieldWriter(field)(body, value);
  }
}

/** Creates an entity with its nested entities, and relates it. @returns its key */
async function create(
  deep: Deep,
  nested: NestedNavigation,
  { creation, named, etag, nested: below }: NestedEntity,
  owner: Owner | null,
): Promise<unknown> {
  const { target: entitySet } = nested;
  const { entityType } = entitySet;
  // A client that names a state means an entity that has been deleted, and creates none.
  if (etag !== undefined && named !== null) await checkState(deep, nested, named.key, etag);
  if (named !== null && entityType.key.some(({ computed }) => computed)) {
    throw ofEntity(`${entitySet.name} has no entity with this key: leave the key out to create one.`);
  }
  const write = creation(owner?.key);
  const { execution } = deep;
  const saved = await writeEntity(
    deep,
    { entitySet, write, nested: below },
    execution.nested(write.request, execution.reader),
  );
  const key = keyIn(entityType, canonicalEntity(entityType, asEntity(saved.entity, entityType)));
  const isAlone = write.request.path.kind === "entitySet";
  if (owner !== null && isAlone) await link(deep, owner, nested, key, true);
  return key;
}
