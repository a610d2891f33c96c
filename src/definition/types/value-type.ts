import type { Facets, PrimitiveType } from "../../edm/primitive-type.ts";

/** What a modifier has added to a property, as far as types depend on it; `optional` stands for a default. */
export type PropertyTrait = "nullable" | "key" | "ignored" | "computed" | "optional";

/** A property as declared: plain data, read at startup. */
export interface PropertyDeclaration {
  /** The type of the value, or of each item of a collection. */
  readonly type: DeclaredValueType;
  /** The declaration of the items; undefined when the property is no collection. */
  readonly item: PropertyDeclaration | undefined;
  readonly facets: Facets;
  readonly nullable: boolean;
  readonly key: boolean;
  readonly ignored: boolean;
  readonly computed: boolean;
  readonly immutable: boolean;
  /** The default, wrapped; undefined when none is declared. */
  readonly defaultValue: { readonly value: unknown } | undefined;
  /** The wire name that overrides the naming policy. */
  readonly json: string | undefined;
  readonly description: string | undefined;
}

/** The type of one declared value. */
export type DeclaredValueType = PrimitiveType | EnumTypeDeclaration | ComplexTypeDeclaration;

/** Any property, whatever its types. `_types` exists for the compiler only. */
export interface AnyProperty {
  readonly kind: "Property";
  readonly declared: PropertyDeclaration;
  readonly _types: {
    readonly value: unknown;
    readonly input: unknown;
    readonly trait: PropertyTrait;
    readonly change: unknown;
  };
}

/** The properties of a structured type by the application's keys. */
export interface Shape {
  readonly [field: string]: AnyProperty;
}

/** An entity type as declared with `entityType`. */
export interface EntityTypeDeclaration<Name extends string = string, Properties extends Shape = Shape> {
  readonly kind: "EntityTypeDeclaration";
  readonly name: Name;
  readonly properties: Properties;
}

/** A complex type as declared with `complexType`. */
export interface ComplexTypeDeclaration<Name extends string = string, Properties extends Shape = Shape> {
  readonly kind: "ComplexTypeDeclaration";
  readonly name: Name;
  readonly properties: Properties;
}

/** An enumeration type as declared with `enumType`. */
export interface EnumTypeDeclaration<
  Name extends string = string,
  Member extends string = string,
  IsFlags extends boolean = boolean,
> {
  readonly kind: "EnumTypeDeclaration";
  readonly name: Name;
  readonly members: { readonly [member in Member]: number };
  readonly isFlags: IsFlags;
  /** The options as given; checked at startup. */
  readonly options?: object | undefined;
}

/** Collection of entities: what an operation may return. */
export interface EntityCollection<Type extends EntityTypeDeclaration = EntityTypeDeclaration> {
  readonly kind: "EntityCollection";
  readonly of: Type;
}
