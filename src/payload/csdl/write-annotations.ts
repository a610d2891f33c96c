import type {
  Annotation,
  AnnotationConstant,
  AnnotationExpression,
  AnnotationRecord,
  ModelAnnotations,
} from "../../edm/annotation.ts";
import type { StructuralProperty, ValueType } from "../../edm/model.ts";
import type { StreamTraits } from "../../edm/stream-property.ts";
import { element, textElement, type XmlElement } from "./xml.ts";

/** The URLs of the vocabularies in use. Terms are written with their full names. */
const VOCABULARIES: Readonly<Record<string, string>> = {
  "Org.OData.Core.V1": "https://oasis-tcs.github.io/odata-vocabularies/vocabularies/Org.OData.Core.V1.xml",
  "Org.OData.Capabilities.V1":
    "https://oasis-tcs.github.io/odata-vocabularies/vocabularies/Org.OData.Capabilities.V1.xml",
};

/** The vocabulary of the facets without an attribute; referred to by documents that use it. */
const VALIDATION = "Org.OData.Validation.V1";

/** The vocabulary of `$apply`; referred to by documents with sets that support it. */
const AGGREGATION = "Org.OData.Aggregation.V1";

/**
 * Returns the vocabularies that a document refers to.
 * @param hasLimits whether a facet of the model is an annotation
 * @param aggregates whether a set supports `$apply`
 */
export function vocabulariesOf(hasLimits: boolean, aggregates: boolean): Readonly<Record<string, string>> {
  const further = [...(hasLimits ? [VALIDATION] : []), ...(aggregates ? [AGGREGATION] : [])];
  const uriOf = (name: string): string => `https://oasis-tcs.github.io/odata-vocabularies/vocabularies/${name}.xml`;
  return { ...VOCABULARIES, ...Object.fromEntries(further.map((name) => [name, uriOf(name)])) };
}

/** The terms of the Core vocabulary in use. */
type CoreTerm =
  | "AcceptableMediaTypes"
  | "MediaType"
  | "Description"
  | "Computed"
  | "ComputedDefaultValue"
  | "Immutable"
  | "OptimisticConcurrency"
  | "OptionalParameter";

/** The terms of the Capabilities vocabulary in use. */
type CapabilitiesTerm =
  | "BatchSupport"
  | "ComputeSupported"
  | "CountRestrictions"
  | "DeepUpdateSupport"
  | "DeleteRestrictions"
  | "ExpandRestrictions"
  | "FilterFunctions"
  | "FilterRestrictions"
  | "IndexableByKey"
  | "InsertRestrictions"
  | "NavigationRestrictions"
  | "QuerySegmentSupported"
  | "ReadRestrictions"
  | "SearchRestrictions"
  | "SelectSupport"
  | "SkipSupported"
  | "SortRestrictions"
  | "TopSupported"
  | "UpdateRestrictions";

/** Returns the full name of a Core term. */
export function coreTerm(name: CoreTerm): string {
  return `Org.OData.Core.V1.${name}`;
}

/** Returns the full name of a Capabilities term. */
export function capabilitiesTerm(name: CapabilitiesTerm): string {
  return `Org.OData.Capabilities.V1.${name}`;
}

/** Returns the full name of a term or type of the Aggregation vocabulary. */
export function aggregationTerm(name: "ApplySupported"): string {
  return `${AGGREGATION}.${name}`;
}

/** Makes a Boolean annotation. */
export function booleanAnnotation(term: string, value: boolean): XmlElement {
  return element("Annotation", { Term: term, Bool: String(value) });
}

/** Makes an annotation with a record. */
export function recordAnnotation(term: string, properties: readonly XmlElement[]): XmlElement {
  return element("Annotation", { Term: term }, [element("Record", {}, properties)]);
}

/** Makes an annotation with a collection, such as of `PropertyPath` or `String`. */
export function collectionAnnotation(term: string, itemName: string, items: readonly string[]): XmlElement {
  return element("Annotation", { Term: term }, [collection(itemName, items)]);
}

/** Makes a Boolean property of a record. */
export function booleanValue(property: string, value: boolean): XmlElement {
  return element("PropertyValue", { Property: property, Bool: String(value) });
}

/** Makes a property of a record with a collection; returns nothing for an empty collection. */
export function collectionValue(property: string, itemName: string, items: readonly string[]): readonly XmlElement[] {
  return items.length === 0 ? [] : [element("PropertyValue", { Property: property }, [collection(itemName, items)])];
}

/** The attributes for constants of numeric types other than integers. */
const NUMBER_ATTRIBUTES: Readonly<Record<string, string>> = {
  "Edm.Decimal": "Decimal",
  "Edm.Double": "Float",
  "Edm.Single": "Float",
};

/**
 * Makes the annotations for the facets without an attribute. The vocabulary has no term for `minLength`.
 * @see Org.OData.Validation.V1
 */
export function limitAnnotations({ type, facets }: Pick<StructuralProperty, "type" | "facets">): readonly XmlElement[] {
  const { pattern, minimum, maximum, minItems, maxItems } = facets;
  const number = NUMBER_ATTRIBUTES[type.name] ?? "Int";
  const limits = [
    ["Minimum", number, minimum],
    ["Maximum", number, maximum],
    ["Pattern", "String", pattern?.source],
    ["MinItems", "Int", minItems],
    ["MaxItems", "Int", maxItems],
  ] as const;
  const annotations = limits.flatMap(([term, attribute, value]) =>
    value === undefined ? [] : [element("Annotation", { Term: `${VALIDATION}.${term}`, [attribute]: String(value) })],
  );
  return [...annotations, ...allowedValues(type)];
}

/** Makes the annotation with the names of an enumeration that is published as texts. */
function allowedValues(type: ValueType): readonly XmlElement[] {
  if (type.kind !== "EnumType" || type.isText !== true) return [];
  const records = Array.from(type.members.keys(), (name) =>
    element("Record", {}, [
      element("PropertyValue", { Property: "Value", String: name }),
      ...descriptionAnnotation(type.memberDescriptions?.get(name)),
    ]),
  );
  return [element("Annotation", { Term: `${VALIDATION}.AllowedValues` }, [element("Collection", {}, records)])];
}

/** Makes the annotations for the media type of bytes. */
export function mediaTypeAnnotations({ mediaType }: StructuralProperty): readonly XmlElement[] {
  if (mediaType === undefined) return [];
  const term = coreTerm("MediaType");
  if (mediaType.kind === "constant") return [element("Annotation", { Term: term, String: mediaType.type })];
  const { property, accepts } = mediaType;
  const stored = element("Annotation", { Term: term, Path: property.name });
  return accepts === null
    ? [stored]
    : [stored, collectionAnnotation(coreTerm("AcceptableMediaTypes"), "String", accepts)];
}

/** Makes the annotation for the media types that clients may store in a stream; nothing if they may store all. */
export function acceptAnnotations(stream: StreamTraits | undefined): readonly XmlElement[] {
  const accepts = stream?.accepts ?? null;
  return accepts === null ? [] : [collectionAnnotation(coreTerm("AcceptableMediaTypes"), "String", accepts)];
}

/** Makes the annotation for a description; returns nothing without a description. */
export function descriptionAnnotation(description: string | undefined): readonly XmlElement[] {
  if (description === undefined) return [];
  return [element("Annotation", { Term: coreTerm("Description"), String: description })];
}

function collection(itemName: string, items: readonly string[]): XmlElement {
  return element(
    "Collection",
    {},
    items.map((item) => textElement(itemName, item)),
  );
}

/** The annotations of a model, for the elements of a metadata document. */
export interface StatedAnnotations extends ModelAnnotations {
  /** Receives each place and term at which an annotation of the application replaces one of the service. */
  readonly onReplaced?: ((place: string, term: string) => void) | undefined;
}

/**
 * Adds the annotations of the application to the derived annotations. An annotation of the application replaces the
 * one of the service with the same term.
 * @param derived the annotations that the service writes itself
 * @see docs/reference/annotations.md
 */
export function withAnnotations(
  annotations: StatedAnnotations | undefined,
  place: string,
  derived: readonly XmlElement[],
): readonly XmlElement[] {
  const stated = annotations?.byPlace.get(place);
  if (annotations === undefined || stated === undefined) return derived;
  const replacing = new Map(
    stated.flatMap((each) => (each.qualifier === undefined ? [[each.qualifiedTerm, each] as const] : [])),
  );
  const kept = derived.filter(({ attributes }) => {
    const replaced = replacing.get(String(attributes["Term"]));
    if (replaced === undefined) return true;
    // A description of the application may come as both.
    const isSame = replaced.value.kind === "Constant" && replaced.value.text === attributes["String"];
    if (!isSame) annotations.onReplaced?.(place, replaced.term);
    return false;
  });
  return [...kept, ...stated.map(writeAnnotation)];
}

/**
 * Returns the elements of a schema with all annotations in `Annotations` elements at their end, those of the service, too.
 * Annotations of operations stay inline, because the target would be every overload, and because clients fail on targets in
 * parameters.
 * @param namespace the namespace of the schema
 * @see OData CSDL 4.0, section 14.2
 */
export function annotationsApart(elements: readonly XmlElement[], namespace: string): readonly XmlElement[] {
  const apart = elements.map((each) => {
    const target = `${namespace}.${each.attributes["Name"] ?? ""}`;
    return OPERATIONS.has(each.name) ? { element: each, blocks: [] } : takeApart(each, target);
  });
  return [...apart.map((each) => each.element), ...apart.flatMap(({ blocks }) => blocks)];
}

const OPERATIONS: ReadonlySet<string> = new Set(["Function", "Action"]);

/** An element without annotations, and the blocks with its annotations and those of its members. */
interface TakenApart {
  readonly element: XmlElement;
  readonly blocks: readonly XmlElement[];
}

function takeApart(whole: XmlElement, target: string): TakenApart {
  const own = whole.children.filter(({ name }) => name === "Annotation");
  const members = whole.children
    .filter(({ name }) => name !== "Annotation")
    .map((each) => takeApart(each, `${target}/${each.attributes["Name"] ?? ""}`));
  const blocks = own.length === 0 ? [] : [element("Annotations", { Target: target }, own)];
  return {
    element: { ...whole, children: members.map((each) => each.element) },
    blocks: [...blocks, ...members.flatMap((each) => each.blocks)],
  };
}

/** Writes an annotation. @see OData CSDL 4.0, section 14.3 */
function writeAnnotation({ term, qualifier, value, annotations }: Annotation): XmlElement {
  return holder("Annotation", { Term: term, Qualifier: qualifier }, value, annotations);
}

/** Writes the element around a value: constants and paths become attributes, other values child elements. */
function holder(
  name: string,
  attributes: Readonly<Record<string, string | undefined>>,
  value: AnnotationExpression,
  annotations: readonly Annotation[],
): XmlElement {
  const nested = annotations.map(writeAnnotation);
  if (value.kind === "Constant" && value.isTypeStated !== true) {
    return element(name, { ...attributes, [value.type]: value.text }, nested);
  }
  return element(name, attributes, [writeExpression(value), ...nested]);
}

function writeExpression(value: AnnotationExpression): XmlElement {
  switch (value.kind) {
    case "Constant":
      return writeConstant(value);
    case "Null":
      return element("Null", {}, value.annotations.map(writeAnnotation));
    case "Collection":
      return element("Collection", {}, value.items.map(writeExpression));
    case "Record":
      return writeRecord(value);
  }
}

function writeConstant({ type, text, isTypeStated = false }: AnnotationConstant): XmlElement {
  return isTypeStated ? { ...textElement(type, text), statesType: true } : textElement(type, text);
}

function writeRecord({ type, properties, annotations }: AnnotationRecord): XmlElement {
  return element("Record", { Type: type }, [
    ...properties.map((property) =>
      holder("PropertyValue", { Property: property.name }, property.value, property.annotations),
    ),
    ...annotations.map(writeAnnotation),
  ]);
}
