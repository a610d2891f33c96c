/**
 * An annotation of an element of the model, with all names resolved.
 * @see OData CSDL 4.0, section 14.3
 */
export interface Annotation {
  /** The term with the alias of its vocabulary, such as `UI.LineItem`. */
  readonly term: string;
  /** The term with the namespace of its vocabulary. */
  readonly qualifiedTerm: string;
  readonly qualifier: string | undefined;
  readonly value: AnnotationExpression;
  /** The annotations of this annotation. */
  readonly annotations: readonly Annotation[];
}

/** The value of an annotation, or a part of it. @see OData CSDL 4.0, sections 14.4 and 14.5 */
export type AnnotationExpression =
  | AnnotationConstant
  | {
      readonly kind: "Null";
      readonly annotations: readonly Annotation[];
    }
  | { readonly kind: "Collection"; readonly items: readonly AnnotationExpression[] }
  | AnnotationRecord;

/** A constant or a path: the text of one XML attribute or element. */
export interface AnnotationConstant {
  readonly kind: "Constant";
  readonly type: AnnotationConstantType;
  readonly text: string;
  /** Whether the annotation states the type of a member of an enumeration, because its term does not declare it. */
  readonly isTypeStated?: boolean;
}

/** The XML attributes and elements of constants and paths. */
export type AnnotationConstantType =
  | "Binary"
  | "Bool"
  | "Date"
  | "DateTimeOffset"
  | "Decimal"
  | "Duration"
  | "EnumMember"
  | "Float"
  | "Guid"
  | "Int"
  | "String"
  | "TimeOfDay"
  | "AnnotationPath"
  | "NavigationPropertyPath"
  | "Path"
  | "PropertyPath";

/** A record: a value of a complex type of a vocabulary. */
export interface AnnotationRecord {
  readonly kind: "Record";
  /** The type with the alias of its vocabulary; undefined if it is the declared type. */
  readonly type: string | undefined;
  readonly properties: readonly AnnotationRecordProperty[];
  readonly annotations: readonly Annotation[];
}

/** One property of a record. */
export interface AnnotationRecordProperty {
  readonly name: string;
  readonly value: AnnotationExpression;
  readonly annotations: readonly Annotation[];
}

/** The namespace of the vocabulary that has the severity of messages. */
export const COMMON = "com.sap.vocabularies.Common.v1";

/** A vocabulary that annotations of a service use. */
export interface UsedVocabulary {
  /** Undefined if names of the service have the same prefix: names of the vocabulary are written in full. */
  readonly alias: string | undefined;
  readonly namespace: string;
  readonly uri: string;
}

/** The annotations of a model. */
export interface ModelAnnotations {
  /** By place: see `annotationPlace` for the places. */
  readonly byPlace: ReadonlyMap<string, readonly Annotation[]>;
  readonly vocabularies: readonly UsedVocabulary[];
  /** Whether `$metadata` lists them apart from their elements. */
  readonly isExternal: boolean;
}

/**
 * Returns the place of an element in `ModelAnnotations`: the container, a set, a type or member, an operation or parameter.
 * @param names the unqualified names that lead to the element
 */
export function annotationPlace(kind: "container" | "set" | "type" | "operation", ...names: readonly string[]): string {
  return [kind, ...names].join(" ");
}

/** Returns the name of an operation in its place: overloads with different bindings are different elements. */
export function overloadName(name: string, boundTo: string | undefined, isCollection: boolean): string {
  return boundTo === undefined ? name : `${name}(${isCollection ? `Collection(${boundTo})` : boundTo})`;
}

/** The texts that API descriptions show. */
export interface DescribedElement {
  readonly description?: string | undefined;
  readonly longDescription?: string | undefined;
}

/** Returns the constant texts of `Core.Description` and `Core.LongDescription` at a place. */
export function describedAt(annotations: ModelAnnotations, place: string): DescribedElement {
  const stated = annotations.byPlace.get(place) ?? [];
  const textOf = (term: string): string | undefined => {
    const value = stated.find((each) => each.qualifiedTerm === term && each.qualifier === undefined)?.value;
    return value?.kind === "Constant" && value.type === "String" ? value.text : undefined;
  };
  const description = textOf("Org.OData.Core.V1.Description");
  const longDescription = textOf("Org.OData.Core.V1.LongDescription");
  return {
    ...(description === undefined ? {} : { description }),
    ...(longDescription === undefined ? {} : { longDescription }),
  };
}

/** Returns the description of an element with its long description as a second paragraph; undefined without either. */
export function fullDescription({ description, longDescription }: DescribedElement): string | undefined {
  if (description === undefined) return longDescription;
  return longDescription === undefined ? description : `${description}\n\n${longDescription}`;
}
