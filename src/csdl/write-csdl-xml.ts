import type { EntitySet, Model, Operation } from "../edm/model.ts";
import type { CsdlCapabilities } from "./csdl-capabilities.ts";
import { VOCABULARIES } from "./write-annotations.ts";
import { writeContainer } from "./write-container.ts";
import { writeOperation } from "./write-operations.ts";
import { writeComplexType, writeEntityType, writeEnumType } from "./write-types.ts";
import { element, printXml, type XmlElement } from "./xml.ts";

/**
 * The metadata document of a registration: CSDL as XML, one schema with types, operations and the container.
 * @param capabilitiesOf what each entity set offers; asked for every set of the model
 * @param listsEveryImport whether functions with parameters stand in the service document
 * @see OData CSDL 4.0, sections 3 and 5
 */
export function writeCsdlXml(
  model: Model,
  capabilitiesOf: (entitySet: EntitySet) => CsdlCapabilities,
  listsEveryImport = true,
): string {
  const schema = element("Schema", { xmlns: "http://docs.oasis-open.org/odata/ns/edm", Namespace: model.namespace }, [
    ...[...model.enumTypes.values()].map(writeEnumType),
    ...[...model.complexTypes.values()].map(writeComplexType),
    ...[...model.entityTypes.values()].map(writeEntityType),
    ...overloadsOf(model).map(writeOperation),
    writeContainer(model.entityContainer, capabilitiesOf, listsEveryImport),
  ]);
  const edmx = { "xmlns:edmx": "http://docs.oasis-open.org/odata/ns/edmx", Version: "4.0" };
  return printXml(element("edmx:Edmx", edmx, [...references(), element("edmx:DataServices", {}, [schema])]));
}

/**
 * The operations of a schema: what several sets of one type declare is one overload, for it is bound to the type.
 * @see OData CSDL 4.0, sections 12.1.1 and 12.2.1
 */
function overloadsOf({ operations }: Model): readonly Operation[] {
  const overloads = new Map<string, Operation>();
  for (const operation of operations) {
    const { kind, name, binding } = operation;
    const boundTo = binding === undefined ? null : [binding.entityType.name, binding.isCollection];
    const id = JSON.stringify([kind, name, boundTo]);
    if (!overloads.has(id)) overloads.set(id, operation);
  }
  return [...overloads.values()];
}

function references(): readonly XmlElement[] {
  return Object.entries(VOCABULARIES).map(([namespace, uri]) =>
    element("edmx:Reference", { Uri: uri }, [element("edmx:Include", { Namespace: namespace })]),
  );
}
