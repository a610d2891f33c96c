/** The type of a term or property: `Edm.String` if `$Type` is absent. @see OData CSDL JSON 4.01, section 7.1 */
export interface TypeUse {
  readonly $Type?: string;
  /** Whether the values are collections of the type. */
  readonly $Collection?: boolean;
}

/** @see OData CSDL JSON 4.01, section 14.1 */
export interface TermElement extends TypeUse {
  readonly $Kind: "Term";
}

/** The members without a dollar sign are its properties. @see OData CSDL JSON 4.01, section 9 */
export interface ComplexTypeElement {
  readonly $Kind: "ComplexType";
  readonly $BaseType?: string;
  readonly $Abstract?: boolean;
  readonly $OpenType?: boolean;
  readonly [property: string]: TypeUse | string | boolean | undefined;
}

/** The members without a dollar sign are those of the enumeration. @see OData CSDL JSON 4.01, section 10 */
export interface EnumTypeElement {
  readonly $Kind: "EnumType";
  readonly $IsFlags?: boolean;
  readonly [member: string]: number | string | boolean | undefined;
}

/** @see OData CSDL JSON 4.01, section 11 */
export interface TypeDefinitionElement {
  readonly $Kind: "TypeDefinition";
  readonly $UnderlyingType: string;
}

/** The terms and types of a vocabulary by name. Types have the alias of their vocabulary, such as `Core.Tag`. */
export interface VocabularyElements {
  readonly [name: string]: TermElement | ComplexTypeElement | EnumTypeElement | TypeDefinitionElement;
}

/** The vocabularies by alias. Each call parses the JSON of the vocabulary. */
export declare const vocabularies: Readonly<
  Record<
    | "Aggregation"
    | "Analytics"
    | "Authorization"
    | "Capabilities"
    | "CodeList"
    | "Common"
    | "Communication"
    | "Core"
    | "Hierarchy"
    | "Measures"
    | "PersonalData"
    | "UI"
    | "Validation",
    () => VocabularyElements
  >
>;
