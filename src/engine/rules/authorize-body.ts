import { BIND, keyHolderOf, keyPairsOf } from "../../edm/key-holder.ts";
import type { EntitySet, NavigationProperty } from "../../edm/model.ts";
import type { EntityOwner } from "../../language/query/capabilities.ts";
import { hasPropertyRules, refusalOfProperty, refusedProperties, type RuledUser } from "./property-access.ts";
import { targetOf } from "./unwritten-values.ts";

/** A new entity as the client sent it, by the names in JSON. */
type SentEntity = Readonly<Record<string, unknown>>;

/** The navigation of a link. */
interface LinkedEntity {
  readonly entitySet: EntitySet;
  readonly navigation: NavigationProperty;
}

/**
 * Requires that a user may give every property in the body of a new entity, and in the entities nested in it. A nested entity,
 * and the URL of a navigation, also give the foreign key of the link.
 * @param owner the set of the new entity; its type if no set is declared
 * @param body the parsed body, which matches the model
 * @param nests whether nested entities are created
 * @throws ODataError `Unauthorized`, `Forbidden`, target the path of the property in the body
 * @see docs/guides/authorization.md
 */
export function requireCreatable(
  ruled: RuledUser,
  owner: EntityOwner,
  body: unknown,
  { nests = false, along }: { readonly nests?: boolean; readonly along?: LinkedEntity } = {},
): void {
  if (!hasPropertyRules(ruled.definition)) return;
  if (along !== undefined) requireLink(ruled, "create", along);
  requireMembers(ruled, owner, body as SentEntity, { path: "", nests });
}

/**
 * Requires that a user may change the foreign key that a link writes.
 * @param target the target of the error; absent: the navigation
 * @throws ODataError `Unauthorized`, `Forbidden`
 * @see docs/guides/authorization.md
 */
export function requireLinkable(
  ruled: RuledUser,
  entitySet: EntitySet,
  navigation: NavigationProperty,
  target?: string,
): void {
  requireLink(ruled, "update", { entitySet, navigation }, target);
}

/** The place of an entity in a body. */
interface SentPlace {
  /** With a trailing slash; empty for the body itself. */
  readonly path: string;
  readonly nests: boolean;
}

function requireMembers(ruled: RuledUser, owner: EntityOwner, body: SentEntity, { path, nests }: SentPlace): void {
  const sent = [...refusedProperties(ruled, owner, "create")].find(({ name }) => body[name] !== undefined);
  if (sent !== undefined) {
    throw refusalOfProperty(ruled, "create", { property: sent, owner, target: path + sent.name });
  }
  if (owner.kind !== "EntitySet") return;
  for (const navigation of owner.navigationProperties.values()) {
    if (body[navigation.name + BIND] === undefined) continue;
    const isOwn = keyHolderOf(owner, navigation) === "parent";
    requireLink(ruled, isOwn ? "create" : "update", { entitySet: owner, navigation }, path + navigation.name + BIND);
  }
  if (!nests) return;
  for (const navigation of owner.navigationProperties.values()) {
    const items = itemsOf(body[navigation.name]);
    if (items.length === 0) continue;
    const target = path + navigation.name;
    const related = targetOf(ruled, owner, navigation);
    requireLink(ruled, "create", { entitySet: owner, navigation }, target);
    for (const [index, item] of items.entries()) {
      const here = navigation.isCollection ? `${target}/${String(index)}/` : `${target}/`;
      requireMembers(ruled, related, item, { path: here, nests });
    }
  }
}

/** Requires that a user may write the foreign key of a link, in whichever of the two entities it is. */
function requireLink(
  ruled: RuledUser,
  act: "create" | "update",
  { entitySet, navigation }: LinkedEntity,
  target: string = navigation.name,
): void {
  const holder = keyHolderOf(entitySet, navigation);
  if (holder !== "parent" && holder !== "related") return;
  const owner = holder === "parent" ? entitySet : targetOf(ruled, entitySet, navigation);
  const refused = refusedProperties(ruled, owner, act);
  const written = keyPairsOf(entitySet, navigation).map((pair) => (holder === "parent" ? pair.property : pair.related));
  const property = written.find((each) => refused.has(each));
  if (property !== undefined) throw refusalOfProperty(ruled, act, { property, owner, target });
}

function itemsOf(value: unknown): readonly SentEntity[] {
  const items: readonly unknown[] = Array.isArray(value) ? value : [value];
  // The body matches the model, so related entities are objects.
  return items.filter((item): item is SentEntity => typeof item === "object" && item !== null);
}
