import { type ODataError, protocolError } from "../../base/errors/odata-error.ts";
import { keyHolderOf, keyPairsOf } from "../../edm/key-holder.ts";
import { keyFields, keyIn } from "../../edm/literal.ts";
import type { EntitySet, JoinPair, StructuralProperty } from "../../edm/model.ts";
import { canonicalEntity } from "../../engine/entities/canonical-entity.ts";
import { definitionOf, type Reader } from "../../engine/entities/reader.ts";
import { asEntity } from "../../engine/memory/evaluation.ts";
import { isSame } from "../../engine/rules/judge-properties.ts";
import { graphOf } from "../../engine/writes/run-hooks.ts";
import { linkedPart } from "../../engine/writes/write-entity.ts";
import { type BodyObject, compileFieldWriter } from "../../payload/body-members.ts";
import type { BoundLink } from "../../payload/link-reading.ts";
import { loadKey, loadStored } from "./current-entity.ts";
import type { Execution } from "./execution.ts";
import type { LinkTarget } from "./link-reading.ts";

/** An entity that a write saves with links. */
export interface LinkedEntity {
  /** The set of the entity. */
  readonly entitySet: EntitySet;
  /** The key of the entity; undefined for a new one. */
  readonly key: unknown;
  readonly write: "create" | "replace" | "patch";
}

/** A value that a link needs, in a property that the body of the write does not change. */
export interface KeptValue {
  readonly link: BoundLink;
  readonly property: StructuralProperty;
  readonly value: unknown;
}

/**
 * Adds the foreign key of a link to the entity in the body.
 * @param missing makes the error for an entity that is missing by now
 * @param found the key of the related entity as it is stored, if it was loaded
 * @returns the values that the saved entity must have without the link, such as its tenant
 * @throws ODataError `InvalidBody` for another value in the body; `NullNotAllowed` for a link that cannot be removed
 */
export async function foreignKeyOf(
  write: LinkedEntity,
  link: BoundLink & LinkTarget,
  missing: () => ODataError,
  reader: Reader,
  found: object | null,
): Promise<readonly KeptValue[]> {
  const pairs = keyPairsOf(link.entitySet, link.navigation);
  const [named] = link.named ?? [];
  if (named === undefined) {
    clear(
      link,
      pairs.map(({ property }) => property),
    );
    return [];
  }
  const values = await valuesOf({ entitySet: link.related, key: named.key, found }, pairs, reader);
  const kept: KeptValue[] = [];
  for (const { property, related } of pairs) {
    const value = ownField(values, related.field);
    if (value === undefined) throw missing();
    if (value === null) throw link.fail("The entity cannot be linked: a value that the link needs is null.");
    const use = useOf(write, link, property);
    if (use !== "check") put(link, property, value);
    if (use !== "put") kept.push({ link, property, value });
  }
  return kept;
}

/** Returns the values of a related entity as they are stored: a URL may spell them otherwise. */
async function valuesOf(
  { entitySet, key, found }: { readonly entitySet: EntitySet; readonly key: unknown; readonly found: object | null },
  pairs: readonly JoinPair[],
  reader: Reader,
): Promise<object> {
  if (!pairs.every(({ related }) => related.isKey)) return linkedPart({ entitySet, key }, pairs, reader);
  const stored = found ?? (await loadKey({ reader }, { entitySet, key }));
  return stored === null ? {} : { ...keyFields(entitySet.entityType, key), ...stored };
}

/** Returns whether a link puts a value of a foreign key into the body, or only checks the value of the saved entity. */
function useOf({ write }: LinkedEntity, link: BoundLink, property: StructuralProperty): "put" | "check" | "both" {
  const { isKey, computed, immutable, serverSet, field } = property;
  if (computed || serverSet === true) return "check";
  if (link.inherited.has(field)) return ownField(link.entity, field) === undefined ? "check" : "put";
  if (write === "create" || !(isKey || immutable)) return "put";
  return write === "replace" ? "both" : "check";
}

function put(link: BoundLink, property: StructuralProperty, value: unknown): void {
  const stated = ownField(link.entity, property.field);
  if (stated !== undefined && !isSame(property, stated, value)) {
    throw link.fail(
      `${subject(link, property)} has another value in the body: leave it out, or write the value of the link.`,
    );
  }
  compileFieldWriter(property.field)(link.entity, value);
}

/** Puts null into the foreign key, except for values of the server, such as a tenant. */
function clear(link: BoundLink, foreignKey: readonly StructuralProperty[]): void {
  const own = foreignKey.filter(({ computed, serverSet }) => !computed && serverSet !== true);
  const fixed = own.find(({ nullable, isKey, immutable }) => !nullable || isKey || immutable);
  if (own.length === 0 || fixed !== undefined) {
    const name = fixed === undefined ? "The foreign key" : subject(link, fixed);
    const problem = `${link.target}: ${name} is never null, so the link cannot be removed: bind another entity.`;
    throw protocolError("NullNotAllowed", problem, { target: link.target });
  }
  for (const property of own) put(link, property, null);
}

/** Describes a property in an error. Clients must not know ignored ones. */
function subject({ entitySet: { entityType } }: BoundLink, property: StructuralProperty): string {
  return entityType.properties.includes(property) ? property.name : "The foreign key";
}

/** Copies the foreign keys of links from the entity to which they were added to another reading of its body. */
export function copyForeignKeys(links: readonly BoundLink[], copy: object): void {
  for (const { entitySet, navigation, entity } of links) {
    if (keyHolderOf(entitySet, navigation) !== "parent") continue;
    for (const { property } of keyPairsOf(entitySet, navigation)) {
      const value = ownField(entity, property.field);
      if (value !== undefined) compileFieldWriter(property.field)(copy as BodyObject, value);
    }
  }
}

/** The entities that a write has saved, by their places in its body. */
export class SavedEntities {
  readonly #root: LinkedEntity;
  readonly #saved: object;
  readonly #reader: Reader;
  #nested: ReadonlyMap<string, object> | undefined;

  constructor(root: LinkedEntity, saved: unknown, reader: Reader) {
    this.#root = root;
    this.#saved = asEntity(saved, root.entitySet.entityType);
    this.#reader = reader;
  }

  /** @throws TypeError if the handler did not return a nested entity */
  at(place: string): { readonly entity: object } {
    const { entitySet, key } = this.#root;
    if (place === "") {
      const { entityType } = entitySet;
      // The handler of a change may return another form of the key.
      const known = key === undefined ? {} : keyFields(entityType, key);
      return { entity: { ...canonicalEntity(entityType, this.#saved), ...known } };
    }
    this.#nested ??= this.#graph();
    const entity = this.#nested.get(place);
    if (entity !== undefined) return { entity };
    throw new TypeError(
      `The create handler of ${entitySet.name} did not return the nested entity ${place.slice(0, -1)}, which a link of the body needs. Return the entity with its nested entities.`,
    );
  }

  #graph(): ReadonlyMap<string, object> {
    const set = definitionOf(this.#root.entitySet, this.#reader.context);
    return new Map(graphOf(set, this.#saved, this.#reader.context).map(({ place, entity }) => [place, entity]));
  }
}

/** @throws ODataError `InvalidBody` if the saved entity has another value than a link needs */
export async function checkKept(
  { link, property, value }: KeptValue,
  entities: SavedEntities,
  execution: Execution,
): Promise<void> {
  const { entitySet, place } = link;
  const { entity } = entities.at(place);
  const known = ownField(entity, property.field);
  const stored = known === undefined ? await storedValue(execution, entitySet, entity, property) : known;
  if (isSame(property, stored, value)) return;
  throw changesKept(link, property);
}

/**
 * Checks the values that a link needs before a handler writes that no failure undoes.
 * @param unsupported makes the error for a value that only the written entity shows
 * @throws ODataError `InvalidBody` if the stored entity has another value; that of `unsupported`
 */
export async function checkStored(
  { entitySet, key }: LinkedEntity,
  kept: readonly KeptValue[],
  execution: Execution,
  unsupported: (problem: string, fail: BoundLink["fail"]) => ODataError,
): Promise<void> {
  const { getByKey } = definitionOf(entitySet, execution.reader.context).handlers;
  for (const { link, property, value } of kept) {
    const isOfServer = property.computed || property.serverSet === true;
    if (isOfServer || key === undefined || getByKey === undefined) {
      const problem = `The link needs ${subject(link, property)}, which is known only after the handler of ${entitySet.name} has written, and its writes are not undone.`;
      throw unsupported(problem, link.fail);
    }
    const stored = await loadStored(execution, { entitySet, key });
    const isKept = stored === null || isSame(property, ownField(stored, property.field), value);
    if (!isKept) throw changesKept(link, property);
  }
}

function changesKept(link: BoundLink, property: StructuralProperty): ODataError {
  return link.fail(`The link would change ${subject(link, property)}, which this write cannot: bind another entity.`);
}

async function storedValue(
  execution: Execution,
  entitySet: EntitySet,
  saved: object,
  { field }: StructuralProperty,
): Promise<unknown> {
  const { getByKey } = definitionOf(entitySet, execution.reader.context).handlers;
  if (getByKey === undefined) return undefined;
  const found = await loadStored(execution, { entitySet, key: keyIn(entitySet.entityType, saved) });
  return found === null ? undefined : ownField(found, field);
}

function ownField(entity: object, field: string): unknown {
  return Object.hasOwn(entity, field) ? (entity as Readonly<Record<string, unknown>>)[field] : undefined;
}
