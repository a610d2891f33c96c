import { annotationReader, resolveAlias } from "./annotations.ts";
import type { EntitySet, Model } from "./model.ts";
import { readOperations } from "./read-operations.ts";
import { type Schemas, type Types, descriptionOf, labelOf, readTypes } from "./read-types.ts";
import { setAbilities } from "./set-abilities.ts";
import { type XmlElement, childrenOf } from "./xml-element.ts";

/**
 * Reads a `$metadata` document: types with the members that they inherit, sets with what they permit, operations.
 * @param document the root element, `edmx:Edmx`
 * @throws Error if it holds no schema
 * @see OData CSDL 4.0
 */
export function readMetadata(document: XmlElement): Model {
  const schemas = readSchemas(document);
  const types = readTypes(schemas);
  const home = schemas.elements.find((schema) => childrenOf(schema, "EntityContainer").length > 0);
  const schema = home ?? schemas.elements[0];
  if (schema === undefined) throw new Error("The metadata of the service contains no schema.");
  const namespace = schema.attributes["Namespace"] ?? "";
  const [container] = childrenOf(schema, "EntityContainer");
  const place = `${namespace}.${container?.attributes["Name"] ?? ""}`;
  const stated = container === undefined ? new Map() : schemas.annotations.of(container, place);
  const sets = container === undefined ? [] : childrenOf(container, "EntitySet");
  return {
    namespace,
    title: labelOf(stated) ?? namespace,
    description: descriptionOf(stated) ?? descriptionOf(schemas.annotations.of(schema, namespace)),
    sets: new Map(sets.flatMap((each) => readSet(each, place, schemas, types)).map((set) => [set.name, set])),
    types: types.structured,
    enums: types.enums,
    operations: readOperations(container, schemas, types),
  };
}

function readSchemas(document: XmlElement): Schemas {
  const elements = childrenOf(document, "DataServices").flatMap((services) => childrenOf(services, "Schema"));
  const includes = childrenOf(document, "Reference").flatMap((reference) => childrenOf(reference, "Include"));
  const aliases = new Map(
    [...includes, ...elements].flatMap(({ attributes }) => {
      const { Alias: alias, Namespace: namespace } = attributes;
      return alias === undefined || namespace === undefined ? [] : [[alias, namespace] as const];
    }),
  );
  return { elements, aliases, annotations: annotationReader(elements, aliases) };
}

/** A set of an unknown type cannot be shown, and is left out. */
function readSet(element: XmlElement, container: string, schemas: Schemas, types: Types): readonly EntitySet[] {
  const name = element.attributes["Name"] ?? "";
  const type = types.structured.get(resolveAlias(element.attributes["EntityType"] ?? "", schemas.aliases));
  if (type === undefined) return [];
  const annotations = schemas.annotations.of(element, `${container}/${name}`);
  const bindings = childrenOf(element, "NavigationPropertyBinding").map(
    ({ attributes }) => [attributes["Path"] ?? "", lastSegment(attributes["Target"] ?? "")] as const,
  );
  return [
    {
      name,
      type,
      description: descriptionOf(annotations) ?? type.description,
      bindings: new Map(bindings),
      abilities: setAbilities(annotations),
    },
  ];
}

/** A target may begin with its container. */
function lastSegment(target: string): string {
  return target.slice(target.lastIndexOf("/") + 1);
}
