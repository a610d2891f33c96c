import { annotationPlace, type ModelAnnotations, overloadName } from "../../edm/annotation.ts";
import { FUNCTION_SIGNATURES } from "../../edm/canonical-functions.ts";
import {
  listedImports,
  type EntitySet,
  type Model,
  type Operation,
  type OperationImport,
  type OperationParameter,
  publishedSets,
  shownProperties,
  type Singleton,
} from "../../edm/model.ts";
import {
  booleanAnnotation,
  booleanValue,
  capabilitiesTerm,
  collectionAnnotation,
  collectionValue,
  coreTerm,
  limitAnnotations,
  recordAnnotation,
  annotationsApart,
  type StatedAnnotations,
  vocabulariesOf,
  withAnnotations,
} from "./write-annotations.ts";
import {
  type CsdlCapabilities,
  isAggregated,
  writeCapabilities,
  writeSingletonCapabilities,
} from "./write-capabilities.ts";
import { defaultText, typeAttributes, writeTypes } from "./write-types.ts";
import { element, printXml, type XmlElement } from "./xml.ts";

/**
 * Writes the metadata document of a registration: CSDL XML with one schema.
 * @param capabilitiesOf returns the capabilities of each entity set of the model
 * @param listsEveryImport whether the service document lists functions with parameters
 * @param batchFormats the media types of batches; none for a service that accepts no batches
 * @see OData CSDL 4.0, sections 3 and 5
 */
export function writeCsdlXml(
  model: Model,
  capabilitiesOf: (entitySet: EntitySet) => CsdlCapabilities,
  listsEveryImport = true,
  batchFormats: readonly string[] = [],
): string {
  return printXml(csdlDocument(model, capabilitiesOf, listsEveryImport, batchFormats));
}

/**
 * Makes the elements of the metadata document, from which both its formats are written. Parameters: see `writeCsdlXml`.
 * @param onReplaced receives each place and term at which an annotation of the application replaces one of the service
 */
export function csdlDocument(
  model: Model,
  capabilitiesOf: (entitySet: EntitySet) => CsdlCapabilities,
  listsEveryImport: boolean,
  batchFormats: readonly string[],
  onReplaced?: StatedAnnotations["onReplaced"],
): XmlElement {
  const { entityContainer } = model;
  const annotations = model.annotations === undefined ? undefined : { ...model.annotations, onReplaced };
  const elements = [
    ...writeTypes(model, annotations),
    ...overloadsOf(model).map((operation) => writeOperation(operation, model, annotations)),
    ...(isEmpty(entityContainer)
      ? []
      : [writeContainer(model, capabilitiesOf, listsEveryImport, batchFormats, annotations)]),
  ];
  const schema = element(
    "Schema",
    { xmlns: "http://docs.oasis-open.org/odata/ns/edm", Namespace: model.namespace },
    annotations?.isExternal === true ? annotationsApart(elements, model.namespace) : elements,
  );
  const edmx = { "xmlns:edmx": "http://docs.oasis-open.org/odata/ns/edmx", Version: "4.0" };
  const aggregates = [...entityContainer.entitySets.values()].some((each) => isAggregated(capabilitiesOf(each)));
  return element("edmx:Edmx", edmx, [
    ...references(model, annotations, aggregates),
    element("edmx:DataServices", {}, [schema]),
  ]);
}

/**
 * Returns the operations of a schema. An operation that several sets of one type declare is one overload, because it is
 * bound to the type.
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

/**
 * Returns the references to the vocabularies in use, one for each document. Annotations of the application use aliases.
 * @param aggregates whether a set supports `$apply`
 * @see OData CSDL 4.0, section 3.3
 */
function references(
  model: Model,
  annotations: ModelAnnotations | undefined,
  aggregates: boolean,
): readonly XmlElement[] {
  const used = annotations?.vocabularies ?? [];
  const own = Object.entries(vocabulariesOf(hasLimits(model), aggregates)).map(([namespace, uri]) => ({
    namespace,
    uri,
    alias: undefined,
  }));
  const isNew = ({ namespace }: { readonly namespace: string }): boolean =>
    used.every((vocabulary) => vocabulary.namespace !== namespace);
  const byUri = new Map<string, readonly XmlElement[]>();
  for (const { namespace, uri, alias } of [...own.filter(isNew), ...used]) {
    const include = element("edmx:Include", { Namespace: namespace, Alias: alias });
    byUri.set(uri, [...(byUri.get(uri) ?? []), include]);
  }
  return [...byUri].map(([uri, included]) => element("edmx:Reference", { Uri: uri }, included));
}

/** Whether a facet of a model is written as an annotation. */
function hasLimits({ entityTypes, complexTypes, operations }: Model): boolean {
  const limited = [
    ...[...entityTypes.values()].flatMap(shownProperties),
    ...[...complexTypes.values()].flatMap(({ properties }) => properties),
    ...operations.flatMap(({ parameters }) => parameters),
  ];
  return limited.some((each) => limitAnnotations(each).length > 0);
}

/** A container without children is not allowed, but a schema without a container is. @see OData CSDL 4.0, section 13.1 */
function isEmpty({ entitySets, functionImports, actionImports }: Model["entityContainer"]): boolean {
  return entitySets.size + functionImports.size + actionImports.size === 0;
}

/**
 * Writes the entity container: sets, function imports and action imports.
 * @param capabilitiesOf returns the capabilities of each entity set
 * @param listsEveryImport whether the service document lists functions with parameters
 * @param batchFormats the media types of batches
 * @see OData CSDL 4.0, section 13
 */
function writeContainer(
  { entityContainer: container, operations }: Model,
  capabilitiesOf: (entitySet: EntitySet) => CsdlCapabilities,
  listsEveryImport: boolean,
  batchFormats: readonly string[],
  annotations: StatedAnnotations | undefined,
): XmlElement {
  const listed = new Set(listedImports(container, listsEveryImport));
  const entitySets = publishedSets(container);
  const singletons = [...container.singletons.values()];
  const capabilities = [...entitySets, ...singletons.map(({ entitySet }) => entitySet)].map(capabilitiesOf);
  const isFilterable = capabilities.some(({ query, readable }) => readable && query.filterEnabled);
  // Requests with query options in the body exist for every path of data that clients can read.
  const isQueryable = capabilities.some(isReadable) || operations.some(({ kind }) => kind === "Function");
  const functions = collectionAnnotation(
    capabilitiesTerm("FilterFunctions"),
    "String",
    Object.keys(FUNCTION_SIGNATURES),
  );
  return element("EntityContainer", { Name: container.name }, [
    ...entitySets.map((entitySet) => writeEntitySet(entitySet, capabilitiesOf(entitySet), annotations)),
    ...singletons.map((each) => writeSingleton(each, capabilitiesOf(each.entitySet), annotations)),
    ...[...container.functionImports.values()].map((each) => writeFunctionImport(each, listed.has(each))),
    ...[...container.actionImports.values()].map(writeActionImport),
    ...withAnnotations(annotations, annotationPlace("container"), [
      ...(isFilterable ? [functions] : []),
      ...(batchFormats.length === 0 ? [] : [batchSupport(batchFormats)]),
      ...(isQueryable ? [booleanAnnotation(capabilitiesTerm("QuerySegmentSupported"), true)] : []),
    ]),
  ]);
}

function isReadable({ readable, readableByKey, navigable }: CsdlCapabilities): boolean {
  return readable || readableByKey || navigable.size > 0;
}

/** Defaults of the vocabulary are not written. @see Org.OData.Capabilities.V1.BatchSupport */
function batchSupport(formats: readonly string[]): XmlElement {
  return recordAnnotation(capabilitiesTerm("BatchSupport"), [
    booleanValue("ContinueOnErrorSupported", true),
    booleanValue("ReferencesInRequestBodiesSupported", true),
    booleanValue("ReferencesAcrossChangeSetsSupported", true),
    ...collectionValue("SupportedFormats", "String", formats),
  ]);
}

function writeEntitySet(
  entitySet: EntitySet,
  capabilities: CsdlCapabilities,
  annotations: StatedAnnotations | undefined,
): XmlElement {
  const { name, entityType, etag, digest } = entitySet;
  // An empty collection does not say how the ETag is made: it is made of properties that some users may not know, too.
  const etagNames = digest === undefined ? etag.map((property) => property.name) : [];
  const concurrency = collectionAnnotation(coreTerm("OptimisticConcurrency"), "PropertyPath", etagNames);
  return element("EntitySet", { Name: name, EntityType: entityType.qualifiedName }, [
    ...bindingsOf(entitySet),
    ...withAnnotations(annotations, annotationPlace("set", name), [
      ...(etag.length === 0 ? [] : [concurrency]),
      ...writeCapabilities(entitySet, capabilities),
    ]),
  ]);
}

function bindingsOf({ navigationPropertyBindings }: EntitySet): readonly XmlElement[] {
  return [...navigationPropertyBindings].map(([path, target]) =>
    element("NavigationPropertyBinding", { Path: path, Target: target }),
  );
}

/** Writes a singleton. @see OData CSDL 4.0, section 13.3 */
function writeSingleton(
  { name, entitySet }: Singleton,
  capabilities: CsdlCapabilities,
  annotations: StatedAnnotations | undefined,
): XmlElement {
  const own = writeSingletonCapabilities(entitySet, capabilities);
  return element("Singleton", { Name: name, Type: entitySet.entityType.qualifiedName }, [
    ...bindingsOf(entitySet),
    // Only the set of a singleton with handlers of its own has the same name.
    ...withAnnotations(annotations, annotationPlace("set", name), own),
  ]);
}

/** By default of CSDL, the service document does not list a function import. */
function writeFunctionImport({ name, operation }: OperationImport, isListed: boolean): XmlElement {
  const attributes = { Name: name, Function: operation.qualifiedName };
  return element("FunctionImport", isListed ? { ...attributes, IncludeInServiceDocument: "true" } : attributes);
}

function writeActionImport({ name, operation }: OperationImport): XmlElement {
  return element("ActionImport", { Name: name, Action: operation.qualifiedName });
}

/** The name of the binding parameter of bound operations. */
const BINDING_PARAMETER = "bindingParameter";

/** Writes a function or action, with the binding parameter first. @see OData CSDL 4.0, section 12 */
function writeOperation(operation: Operation, model: Model, annotations?: StatedAnnotations): XmlElement {
  const { binding, parameters, returnType } = operation;
  const isOfSet = model.entityContainer.entitySets.get(binding?.entitySet ?? "")?.isOfSingleton !== true;
  const returnsBoundType = isOfSet && binding !== undefined && returnType?.type === binding.entityType;
  const attributes = {
    Name: operation.name,
    IsBound: binding === undefined ? undefined : "true",
    // A result of the type of the binding parameter belongs to the same set.
    EntitySetPath: returnsBoundType ? BINDING_PARAMETER : undefined,
    IsComposable: operation.isComposable && operation.kind === "Function" ? "true" : undefined,
  };
  const overload = overloadName(operation.name, binding?.entityType.name, binding?.isCollection === true);
  const write = (parameter: OperationParameter): XmlElement =>
    element("Parameter", { Name: parameter.name, ...typeAttributes(parameter) }, [
      ...withAnnotations(annotations, annotationPlace("operation", overload, parameter.name), [
        ...(isOptional(parameter) ? [optionalParameter(parameter)] : []),
        ...limitAnnotations(parameter),
      ]),
    ]);
  return element(operation.kind, attributes, [
    ...(binding === undefined ? [] : [writeBindingParameter(binding)]),
    // The vocabulary requires optional parameters to come last. Calls name parameters, so the order does not matter.
    ...parameters.filter((parameter) => !isOptional(parameter)).map(write),
    ...parameters.filter(isOptional).map(write),
    ...(returnType === undefined ? [] : [element("ReturnType", typeAttributes(returnType))]),
    ...withAnnotations(annotations, annotationPlace("operation", overload), []),
  ]);
}

function writeBindingParameter({ entityType, isCollection }: NonNullable<Operation["binding"]>): XmlElement {
  const reference = { type: entityType, isCollection, nullable: false, facets: {} };
  return element("Parameter", { Name: BINDING_PARAMETER, ...typeAttributes(reference) });
}

function isOptional({ defaultValue }: OperationParameter): boolean {
  return defaultValue !== undefined;
}

/** Nested in the parameter: clients fail on annotations that target a parameter. */
function optionalParameter(parameter: OperationParameter): XmlElement {
  const text = defaultText(parameter, parameter.defaultValue);
  const value = text === undefined ? [] : [element("PropertyValue", { Property: "DefaultValue", String: text })];
  return recordAnnotation(coreTerm("OptionalParameter"), value);
}
