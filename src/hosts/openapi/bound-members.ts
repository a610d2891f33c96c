import type { EntitySetDefinition } from "../../definition/model/service-definition.ts";
import { BIND, keyHolderOf, keyPairsOf } from "../../edm/key-holder.ts";
import type { NavigationProperty } from "../../edm/model.ts";
import type { DocumentObject } from "./open-api-document.ts";
import { isRequired, type SchemaRegistry } from "./value-schemas.ts";

/** Returns the navigation properties along which bodies of a set link to existing entities. */
function boundNavigations({ entitySet, settings }: EntitySetDefinition): readonly NavigationProperty[] {
  if (!settings.bindEnabled) return [];
  const { navigationProperties, navigationPropertyBindings } = entitySet;
  return [...navigationProperties.values()].filter(({ name }) => navigationPropertyBindings.has(name));
}

/** Returns the names of the required properties of a new entity that may be absent, because a link determines their values. */
export function linkedNames(set: EntitySetDefinition): ReadonlySet<string> {
  const own = boundNavigations(set).filter((navigation) => keyHolderOf(set.entitySet, navigation) === "parent");
  const linked = own.flatMap((each) => keyPairsOf(set.entitySet, each).map(({ property }) => property));
  return new Set(linked.filter(isRequired).map(({ name }) => name));
}

/**
 * Adds the links to existing entities to the schema of a body.
 * @see docs/reference/writing.md, Links to existing entities
 */
export function withLinks(set: EntitySetDefinition, body: DocumentObject, schemas: SchemaRegistry): DocumentObject {
  const navigations = boundNavigations(set);
  if (navigations.length === 0) return body;
  const make = (): DocumentObject => ({
    type: "object",
    description: `Links of an entity of ${set.entitySet.name} to existing entities.`,
    properties: Object.fromEntries(navigations.map((each) => [each.name + BIND, linkSchema(each)])),
  });
  return { allOf: [body, schemas.reference(`${set.entitySet.name}.links`, make)] };
}

function linkSchema({ isCollection, nullable, name }: NavigationProperty): DocumentObject {
  if (isCollection) {
    return { type: "array", items: { type: "string" }, description: `The URLs of entities to add to ${name}.` };
  }
  return { type: nullable ? ["string", "null"] : "string", description: `The URL of the entity for ${name}.` };
}
