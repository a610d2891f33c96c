import { listedImports } from "../edm/listed-imports.ts";
import type { EntityContainer, EntitySet, OperationImport } from "../edm/model.ts";
import { FUNCTION_SIGNATURES } from "../query/functions.ts";
import type { CsdlCapabilities } from "./csdl-capabilities.ts";
import { capabilitiesTerm, collectionAnnotation, coreTerm } from "./write-annotations.ts";
import { writeCapabilities } from "./write-capabilities.ts";
import { element, type XmlElement } from "./xml.ts";

/**
 * The element of the entity container: sets, function imports, action imports.
 * @param capabilitiesOf what each set offers
 * @param listsEveryImport whether functions with parameters stand in the service document
 * @see OData CSDL 4.0, section 13
 */
export function writeContainer(
  container: EntityContainer,
  capabilitiesOf: (entitySet: EntitySet) => CsdlCapabilities,
  listsEveryImport: boolean,
): XmlElement {
  const listed = new Set(listedImports(container, listsEveryImport));
  const entitySets = [...container.entitySets.values()];
  const isFilterable = entitySets.map(capabilitiesOf).some(({ query, readable }) => readable && query.filterEnabled);
  const functions = collectionAnnotation(
    capabilitiesTerm("FilterFunctions"),
    "String",
    Object.keys(FUNCTION_SIGNATURES),
  );
  return element("EntityContainer", { Name: container.name }, [
    ...entitySets.map((entitySet) => writeEntitySet(entitySet, capabilitiesOf(entitySet))),
    ...[...container.functionImports.values()].map((each) => writeFunctionImport(each, listed.has(each))),
    ...[...container.actionImports.values()].map(writeActionImport),
    ...(isFilterable ? [functions] : []),
  ]);
}

function writeEntitySet(entitySet: EntitySet, capabilities: CsdlCapabilities): XmlElement {
  const { name, entityType, etag, navigationPropertyBindings } = entitySet;
  const bindings = [...navigationPropertyBindings].map(([path, target]) =>
    element("NavigationPropertyBinding", { Path: path, Target: target }),
  );
  const etagNames = etag.map((property) => property.name);
  const concurrency = collectionAnnotation(coreTerm("OptimisticConcurrency"), "PropertyPath", etagNames);
  return element("EntitySet", { Name: name, EntityType: entityType.qualifiedName }, [
    ...bindings,
    ...(etag.length === 0 ? [] : [concurrency]),
    ...writeCapabilities(entitySet, capabilities),
  ]);
}

/** CSDL takes a function import for absent from the service document where it does not say otherwise. */
function writeFunctionImport({ name, operation }: OperationImport, isListed: boolean): XmlElement {
  const attributes = { Name: name, Function: operation.qualifiedName };
  return element("FunctionImport", isListed ? { ...attributes, IncludeInServiceDocument: "true" } : attributes);
}

function writeActionImport({ name, operation }: OperationImport): XmlElement {
  return element("ActionImport", { Name: name, Action: operation.qualifiedName });
}
