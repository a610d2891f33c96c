import type { EntitySet, Model } from "./model.ts";
import { readOperations } from "./read-operations.ts";
import { readSchemas } from "./read-schemas.ts";
import { type Types, declared, descriptionOf, labelOf, readTypes } from "./read-types.ts";
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
  const [container] = declared(schemas, "EntityContainer");
  const home = schemas.elements.find(({ children }) => children.some((each) => each === container?.element));
  const schema = home ?? schemas.elements[0];
  if (schema === undefined) throw new Error("The metadata of the service contains no schema.");
  const namespace = schema.attributes["Namespace"] ?? "";
  const stated = container === undefined ? {} : schemas.annotationsOf(container.element, container.name);
  const sets = container === undefined ? [] : childrenOf(container.element, "EntitySet");
  return {
    namespace,
    title: labelOf(stated) ?? namespace,
    description: descriptionOf(stated) ?? descriptionOf(schemas.annotationsOf(schema, namespace)),
    sets: new Map(sets.flatMap((each) => readSet(each, container?.name ?? "", types)).map((set) => [set.name, set])),
    types: types.structured,
    enums: types.enums,
    operations: readOperations(container?.element, types),
  };
}

/** A set of an unknown type cannot be shown, and is left out. */
function readSet(element: XmlElement, container: string, { schemas, structured }: Types): readonly EntitySet[] {
  const { Name: name = "", EntityType: typeName = "" } = element.attributes;
  const type = structured.get(typeName);
  if (type === undefined) return [];
  const annotations = schemas.annotationsOf(element, `${container}/${name}`);
  // A target may begin with its container.
  const bindings = childrenOf(element, "NavigationPropertyBinding").map(
    ({ attributes }) => [attributes["Path"] ?? "", (attributes["Target"] ?? "").replace(/^.*\//su, "")] as const,
  );
  const description = descriptionOf(annotations) ?? type.description;
  return [{ name, type, description, bindings: new Map(bindings), abilities: setAbilities(annotations) }];
}
