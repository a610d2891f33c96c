import type { PrimitiveType } from "../../edm/primitive-type.ts";
import type { StreamOptions } from "../../edm/stream-property.ts";
import type { DeclaredFacets } from "./declared-facets.ts";

/** The modifiers of a property that its types depend on; `optional` is a default. */
export type PropertyTrait = "nullable" | "key" | "ignored" | "computed" | "optional" | "databaseDefault";

/** The media type of bytes: a constant such as `image/png`, or the value of another property. */
export type MediaTypeOption =
  | string
  | {
      /** The key of a String property of the same type: PUT of the bytes writes it, too. */
      readonly property: string;
      /** The media types that clients may send; all if absent. */
      readonly accepts?: readonly string[] | undefined;
    };

/** The declaration of a property, as plain data. */
export interface PropertyDeclaration {
  /** The type of the value, or of each item of a collection. */
  readonly type: DeclaredValueType;
  /** The declaration of the items of a collection; otherwise undefined. */
  readonly item: PropertyDeclaration | undefined;
  readonly facets: DeclaredFacets;
  readonly nullable: boolean;
  readonly key: boolean;
  readonly ignored: boolean;
  readonly computed: boolean;
  readonly immutable: boolean;
  readonly databaseDefault: boolean;
  /** Whether entities of its type always have a value, although other entities of the set have none; absent: no. */
  readonly requiredByType?: boolean | undefined;
  readonly onlyIfSelected: boolean;
  /** The media type of bytes, checked at startup; undefined without one. */
  readonly mediaType: MediaTypeOption | undefined;
  /** The options of a stream, checked at startup: the declaration is that of its stored reference, an ignored String; undefined for other properties. */
  readonly stream: StreamOptions | undefined;
  /** The wrapped default; undefined without a default. */
  readonly defaultValue: { readonly value: unknown } | undefined;
  /** The wire name, instead of the name by the naming policy. */
  readonly json: string | undefined;
  readonly description: string | undefined;
  /** The annotations in `$metadata`, checked at startup; undefined without annotations. */
  readonly annotations: object | undefined;
}

/** The type of one declared value. */
export type DeclaredValueType = PrimitiveType | EnumTypeDeclaration | ComplexTypeDeclaration;

/** A property of any type. `_types` exists for the compiler only. */
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

/** The properties of a structured type by key. */
export interface Shape {
  readonly [field: string]: AnyProperty;
}

/** The result of `entityType`. */
export interface EntityTypeDeclaration<Name extends string = string, Properties extends Shape = Shape> {
  readonly kind: "EntityTypeDeclaration";
  readonly name: Name;
  readonly properties: Properties;
  /** The options, checked at startup. */
  readonly options?: object | undefined;
  /** The type whose properties it inherits; absent without one. */
  readonly base?: EntityTypeDeclaration | undefined;
  /** The types of the entities of a set with derived types; absent in declarations of `entityType`. */
  readonly hierarchy?: DeclaredHierarchy | undefined;
  /** The text of `describe`, checked at startup. */
  readonly description?: string | undefined;
  /** Returns the type with a description in `$metadata` and generated API descriptions. Relate sets to that type. */
  describe(text: string): EntityTypeDeclaration<Name, Properties>;
}

/** The types of the entities of one set: the type of the set and the types derived from it. */
export interface DeclaredHierarchy {
  /** The type of the set first, and each base before the types derived from it. */
  readonly types: readonly EntityTypeDeclaration[];
  /** The type as which a declaration shows the entities. */
  readonly seen: EntityTypeDeclaration;
  /** The declaration that shows the entities as the type of the set. */
  readonly whole: EntityTypeDeclaration;
}

/** The result of `complexType`. */
export interface ComplexTypeDeclaration<Name extends string = string, Properties extends Shape = Shape> {
  readonly kind: "ComplexTypeDeclaration";
  readonly name: Name;
  readonly properties: Properties;
  /** The options, checked at startup. */
  readonly options?: object | undefined;
  /** The text of `describe`, checked at startup. */
  readonly description?: string | undefined;
  /** Returns the type with a description in `$metadata` and generated API descriptions. */
  describe(text: string): ComplexTypeDeclaration<Name, Properties>;
}

/** The result of `enumType`. */
export interface EnumTypeDeclaration<
  Name extends string = string,
  Member extends string = string,
  IsFlags extends boolean = boolean,
> {
  readonly kind: "EnumTypeDeclaration";
  readonly name: Name;
  readonly members: { readonly [member in Member]: number };
  readonly isFlags: IsFlags;
  /** The options, checked at startup. */
  readonly options?: object | undefined;
  /** The text of `describe`, checked at startup. */
  readonly description?: string | undefined;
  /** The texts of members, checked at startup. */
  readonly memberDescriptions?: { readonly [member in Member]?: string | undefined } | undefined;
  /**
   * Returns the type with a description in `$metadata` and generated API descriptions.
   * @param members the descriptions of members by name
   */
  describe(
    text: string,
    members?: { readonly [member in Member]?: string | undefined },
  ): EnumTypeDeclaration<Name, Member, IsFlags>;
}

/** A collection of entities, as the result of an operation. */
export interface EntityCollection<Type extends EntityTypeDeclaration = EntityTypeDeclaration> {
  readonly kind: "EntityCollection";
  readonly of: Type;
}
