import { nearestName } from "../../base/errors/nearest-name.ts";
import type { ODataError } from "../../base/errors/odata-error.ts";
import { isJsonObject, type JsonObject, type JsonValue, namesOf } from "../../base/json/write-json.ts";
import { BIND, keyHolderOf } from "../../edm/key-holder.ts";
import type { EntitySet, NavigationProperty } from "../../edm/model.ts";
import { bodyRoot, invalidMember, nullNotAllowed } from "../../payload/body-members.ts";
import { DELTAS, notAnEntity } from "../../payload/read-entity.ts";

/** The related entities that a body nests under one navigation property. */
export interface NestedMember {
  readonly navigation: NavigationProperty;
  /** `one`: the entity of a single-valued navigation, or none. `all`: the whole collection. `delta`: its changes. */
  readonly form: "one" | "all" | "delta";
  readonly entities: readonly JsonObject[];
  /** Makes the error `InvalidBody` of the member. @param problem the fault and its correction, as sentences */
  readonly fail: (problem: string) => ODataError;
}

/** A body without its nested entities, and these. */
export interface SplitBody {
  readonly own: JsonValue;
  readonly members: readonly NestedMember[];
}

/** The names of the annotation of an entity that is removed. @see OData JSON Format 4.01, section 15.3 */
const REMOVED = ["@odata.removed", "@removed"] as const;
const ROOT = bodyRoot(false);

/**
 * Separates the nested entities of a body from its own members.
 * @throws ODataError `InvalidBody`, `NullNotAllowed` for a member of the wrong form, with its name as target
 * @see OData Protocol 4.01, section 11.4.3.1; docs/reference/deep-update.md
 */
export function splitBody(entitySet: EntitySet, body: JsonValue): SplitBody {
  if (!isJsonObject(body)) return { own: body, members: [] };
  const own: Array<readonly [string, JsonValue]> = [];
  const members = new Map<NavigationProperty, NestedMember>();
  for (const name of namesOf(body)) {
    const value = body[name] ?? null;
    const member = memberOf(entitySet, body, name, value);
    if (member === null) own.push([name, value]);
    else if (!members.has(member.navigation)) members.set(member.navigation, member);
    else throw member.fail("The body has this collection twice: as a whole, and its changes. Send one of them.");
  }
  // Null-prototype objects have no names of their own.
  const rest = Object.assign(Object.create(null), Object.fromEntries(own)) as JsonObject;
  return members.size === 0 ? { own: body, members: [] } : { own: rest, members: [...members.values()] };
}

function memberOf(entitySet: EntitySet, body: JsonObject, name: string, value: JsonValue): NestedMember | null {
  const delta = DELTAS.find((end) => name.endsWith(end));
  const own = delta === undefined ? name : name.slice(0, -delta.length);
  const navigation = entitySet.navigationProperties.get(own);
  const fail = (problem: string): ODataError => invalidMember(problem, ROOT, name);
  if (navigation === undefined) {
    if (delta === undefined || own === "") return null;
    const near = nearestName(own, [...entitySet.navigationProperties.keys()]);
    const advice = near === null ? "look up the names in $metadata." : `did you mean ${near}${delta}?`;
    throw fail(`${entitySet.entityType.qualifiedName} has no navigation property of this name: ${advice}`);
  }
  if (navigation.isCollection) {
    return collectionMember(navigation, { body, name, isDelta: delta !== undefined, fail });
  }
  if (delta !== undefined) throw fail("The navigation leads to a single entity: nest the entity itself.");
  if (body[name + BIND] !== undefined) {
    throw fail("The body also links to an existing entity: bind an existing entity, or nest one.");
  }
  if (value === null) {
    if (!navigation.nullable) throw nullNotAllowed(ROOT, name, "nest an entity, or leave it out");
    return { navigation, form: "one", entities: [], fail };
  }
  if (!isJsonObject(value)) throw notAnEntity(value, navigation.entityType.qualifiedName, ROOT, name);
  if (removalOf(value, fail) !== null) throw fail("Only the changes of a collection contain removed entities.");
  return { navigation, form: "one", entities: [value], fail };
}

/** The ends of the annotations of a page, which does not contain the whole collection. */
const NEXT_LINKS = ["@odata.nextLink", "@nextLink"] as const;

/** A member of a body that contains a collection, or its changes. */
interface CollectionMember extends Pick<NestedMember, "fail"> {
  readonly body: JsonObject;
  readonly name: string;
  readonly isDelta: boolean;
}

function collectionMember(
  navigation: NavigationProperty,
  { body, name, isDelta, fail }: CollectionMember,
): NestedMember {
  const value = body[name] ?? null;
  if (value === null) throw nullNotAllowed(ROOT, name, "write [] for no related entities");
  const { qualifiedName } = navigation.entityType;
  if (!Array.isArray(value)) throw fail(`Send an array of entities of ${qualifiedName}.`);
  if (!isDelta && NEXT_LINKS.some((end) => body[name + end] !== undefined)) {
    throw fail(
      `The array is one page of ${navigation.name}: send the whole collection, or ${navigation.name}@odata.delta.`,
    );
  }
  const items: readonly JsonValue[] = value;
  const entities = items.map((item, index) => {
    if (!isJsonObject(item)) throw notAnEntity(item, qualifiedName, ROOT, `${name}/${String(index)}`);
    if (!isDelta && removalOf(item, fail) !== null) {
      throw fail(
        `An array is the whole collection: leave removed entities out, or send ${navigation.name}@odata.delta.`,
      );
    }
    return item;
  });
  return { navigation, form: isDelta ? "delta" : "all", entities, fail };
}

/** Returns the navigation properties whose nested entity determines a foreign key of the entity around it. */
export function determinedBy(entitySet: EntitySet, { members }: SplitBody): ReadonlySet<string> {
  const own = members.filter(
    ({ navigation, entities }) => entities.length > 0 && keyHolderOf(entitySet, navigation) === "parent",
  );
  return new Set(own.map(({ navigation }) => navigation.name));
}

/**
 * Returns the reason why an entity is removed from a collection; null if it is not.
 * @throws ODataError as `fail` makes it, for another reason than those of the standard
 */
export function removalOf(entity: JsonObject, fail: NestedMember["fail"]): "changed" | "deleted" | null {
  const name = REMOVED.find((each) => entity[each] !== undefined);
  if (name === undefined) return null;
  const value = entity[name] ?? null;
  const reason = isJsonObject(value) ? value["reason"] : undefined;
  if (reason === "changed" || reason === "deleted") return reason;
  throw fail(
    `${name} needs a reason: write {"reason":"deleted"} to delete the entity, or "changed" to remove its link.`,
  );
}

/** Returns the text of an annotation of a nested entity; undefined without it. @throws ODataError for another value */
export function annotationOf(entity: JsonObject, name: "id" | "etag", fail: NestedMember["fail"]): string | undefined {
  const value = entity[`@odata.${name}`] ?? entity[`@${name}`];
  if (value === undefined || value === null || typeof value === "string") return value ?? undefined;
  throw fail(`The annotation '${name}' of an entity is a text.`);
}
