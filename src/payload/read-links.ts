import { nearestName } from "../base/errors/nearest-name.ts";
import type { ODataError } from "../base/errors/odata-error.ts";
import { isJsonObject, type JsonObject, type JsonValue, namesOf } from "../base/json/write-json.ts";
import { BIND, keyHolderOf, keyPairsOf } from "../edm/key-holder.ts";
import type { EntitySet, EntityType, NavigationProperty, StructuralProperty } from "../edm/model.ts";
import { describeValue } from "../edm/value-codec.ts";
import { type BodyObject, type BodyPlace, goOn, invalidMember, nullNotAllowed, pathWithin } from "./body-members.ts";
import type { BoundLink } from "./link-reading.ts";

/** The most entities that the bodies of one request, or of a batch, may name besides their own: each of them is read. */
export const MAX_NAMED_ENTITIES = 1000;

/** Reads the links that entities of a type state by `Nav@odata.bind`. */
export interface LinkReader {
  /** Whether a link in the body determines the value of a property, so that the value may be absent. */
  readonly determines: (property: StructuralProperty, body: JsonObject, place: BodyPlace) => boolean;
  /** @throws ODataError `InvalidBody`, `NullNotAllowed`, target the annotation; the error of a reference in a batch */
  readonly read: (body: JsonObject, place: BodyPlace, entity: BodyObject) => void;
}

/**
 * Makes the reader of the links in the bodies of an entity. It adds them to the links of the place; without a reader of
 * links there it does nothing.
 * @param entitySet null if no set is declared: such entities have no links
 * @param inherited the properties whose values follow from the entity around it
 * @see OData JSON Format 4.0, section 8.5; docs/reference/writing.md, Links to existing entities
 */
export function compileLinkReader(
  entitySet: EntitySet | null,
  { qualifiedName }: EntityType,
  inherited: readonly StructuralProperty[] = [],
): LinkReader {
  if (entitySet === null) return { determines: () => false, read: noLinks };
  const annotations = new Map<StructuralProperty, readonly string[]>();
  for (const navigation of entitySet.navigationProperties.values()) {
    for (const property of foreignKeyOf(entitySet, navigation)) {
      annotations.set(property, [...(annotations.get(property) ?? []), navigation.name]);
    }
  }
  const names = [...entitySet.navigationProperties.keys()];
  const fields = new Set(inherited.map(({ field }) => field));
  return {
    determines: (property, body, { links, parent }) => {
      if (links === null) return false;
      const isNested = (name: string): boolean => parent === null && links.nested.has(name);
      return annotations.get(property)?.some((name) => body[name + BIND] !== undefined || isNested(name)) === true;
    },
    read: (body, place, entity) => {
      const { links } = place;
      if (links === null) return;
      for (const name of namesOf(body)) {
        if (!name.endsWith(BIND)) continue;
        try {
          const named = name.slice(0, -BIND.length);
          const navigation = entitySet.navigationProperties.get(named);
          if (navigation === undefined) throw unknownNavigation(qualifiedName, { name, named }, names, place);
          const link = { entitySet, navigation, entity, inherited: fields };
          links.found.push(readLink(link, { body, name, place }));
        } catch (error) {
          goOn(error, place);
        }
      }
    },
  };
}

function noLinks(): void {
  // Nothing resolves the URLs of entities without a set.
}

/** Returns the properties of an entity that a link along a navigation writes. */
function foreignKeyOf(entitySet: EntitySet, navigation: NavigationProperty): readonly StructuralProperty[] {
  if (keyHolderOf(entitySet, navigation) !== "parent") return [];
  return keyPairsOf(entitySet, navigation).map(({ property }) => property);
}

function unknownNavigation(
  typeName: string,
  { name, named }: { readonly name: string; readonly named: string },
  known: readonly string[],
  place: BodyPlace,
): ODataError {
  const near = nearestName(named, known);
  const advice = near === null ? "look up the names in $metadata." : `did you mean ${near}${BIND}?`;
  return invalidMember(`${typeName} has no navigation property of this name: ${advice}`, place, name);
}

/** An annotation in a body. */
interface Annotation {
  readonly body: JsonObject;
  readonly name: string;
  readonly place: BodyPlace;
}

function readLink(
  link: Pick<BoundLink, "entitySet" | "navigation" | "entity" | "inherited">,
  { body, name, place }: Annotation,
): BoundLink {
  const { entitySet, navigation, inherited } = link;
  const fail = (problem: string): ODataError => invalidMember(problem, place, name);
  const { isCollection } = navigation;
  if (!isCollection && isJsonObject(body[navigation.name] ?? null)) {
    throw fail(`The body also has an entity for '${navigation.name}': bind an existing entity, or nest a new one.`);
  }
  const own = foreignKeyOf(entitySet, navigation);
  if (own.length > 0 && own.every(({ field }) => inherited.has(field))) {
    throw fail("The link follows from the entity around it: leave it out.");
  }
  const texts = textsOf(body[name] ?? null, isCollection, fail);
  if (texts === null && !navigation.nullable) throw nullNotAllowed(place, name, "bind an entity");
  const { links } = place;
  const earlier = (links?.earlier ?? 0) + countOf(links?.found ?? []);
  if ((texts?.length ?? 0) + earlier > MAX_NAMED_ENTITIES) throw tooManyNamed(fail);
  const named = texts?.map((text, index) => {
    const failAt = (problem: string): ODataError => fail(isCollection ? `Item ${String(index)}: ${problem}` : problem);
    if (links !== null) return links.resolve(text, link, failAt);
    throw failAt("Nothing resolves URLs here.");
  });
  return { ...link, named: named ?? null, place: placeOf(place), target: pathWithin(place, name), fail };
}

/** Returns the URLs of an annotation; null for a link that is removed. */
function textsOf(value: JsonValue, isCollection: boolean, fail: BoundLink["fail"]): readonly string[] | null {
  if (!isCollection && value === null) return null;
  const items: readonly JsonValue[] = isCollection && Array.isArray(value) ? (value as readonly JsonValue[]) : [value];
  if (isCollection === Array.isArray(value) && items.every((item) => typeof item === "string")) return items;
  const wanted = isCollection ? "an array of URLs, such as" : "the URL of an entity, such as";
  const example = isCollection ? '["Customers(5)"]' : '"Customers(5)"';
  const shown = isCollection && Array.isArray(value) ? items.find((item) => typeof item !== "string") : value;
  throw fail(`${describeValue(shown ?? null)} is not ${wanted} ${example}.`);
}

/** Makes the error for more entities than a request may name. */
export function tooManyNamed(fail: BoundLink["fail"]): ODataError {
  const most = String(MAX_NAMED_ENTITIES);
  return fail(`A request, or a batch, links to, nests and removes at most ${most} entities: send several.`);
}

/** Returns the number of entities that links name. */
export function countOf(found: readonly BoundLink[]): number {
  return found.reduce((count, { named }) => count + Math.max(named?.length ?? 0, 1), 0);
}

/** Returns the path of the entity of a place, with a trailing slash. */
function placeOf(place: BodyPlace): string {
  const segments: string[] = [];
  for (let at: BodyPlace | null = place; at !== null && at.parent !== null; at = at.parent) {
    segments.push(`${String(at.segment)}/`);
  }
  return segments.toReversed().join("");
}
