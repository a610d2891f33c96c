import type {
  AnyProperty,
  ComplexTypeDeclaration,
  EntityTypeDeclaration,
  EnumTypeDeclaration,
  PropertyTrait,
  Shape,
} from "./value-type.ts";

/** Whether a property has a trait. */
type Has<P extends AnyProperty, Trait extends PropertyTrait> = Trait extends P["_types"]["trait"] ? true : false;

/** The keys of the properties that have one of the traits. */
type FieldsWith<S extends Shape, Trait extends PropertyTrait> = {
  [F in keyof S]: Trait & S[F]["_types"]["trait"] extends never ? never : F;
}[keyof S];

/** The keys of the properties that have none of the traits. */
type FieldsWithout<S extends Shape, Trait extends PropertyTrait> = Exclude<keyof S, FieldsWith<S, Trait>>;

/** Joins the members of an intersection, for readable hovers. */
type Flat<T> = { [F in keyof T]: T[F] };

/** The canonical value of a property, null included where it may be. */
export type ValueOf<P extends AnyProperty> =
  Has<P, "nullable"> extends true ? P["_types"]["value"] | null : P["_types"]["value"];

/** What a handler may return for a property. */
export type InputOf<P extends AnyProperty> =
  Has<P, "nullable"> extends true ? P["_types"]["input"] | null : P["_types"]["input"];

/** Every property with its canonical value. */
type ShapeValue<S extends Shape> = { -readonly [F in keyof S]: ValueOf<S[F]> };

/** Every property with what a handler may return for it; ignored and nullable ones may be absent. */
type ShapeInput<S extends Shape> = Flat<
  { readonly [F in FieldsWithout<S, "ignored" | "nullable">]: InputOf<S[F]> } & {
    readonly [F in FieldsWith<S, "ignored" | "nullable">]?: InputOf<S[F]> | undefined;
  }
>;

/** The canonical value of a complex type. */
export type ComplexValueOf<C extends ComplexTypeDeclaration> = ShapeValue<C["properties"]>;

/** What a handler may return for a value of a complex type. */
export type ComplexInputOf<C extends ComplexTypeDeclaration> = ShapeInput<C["properties"]>;

/** The values of an enumeration: its member names, or several of them separated by commas where it is one of flags. */
export type EnumValueOf<E extends EnumTypeDeclaration> = E["isFlags"] extends true
  ? (keyof E["members"] & string) | `${keyof E["members"] & string},${string}`
  : keyof E["members"] & string;

/** An entity as the application works with it: every property, canonical values. */
export type EntityOf<E extends EntityTypeDeclaration> = ShapeValue<E["properties"]>;

/**
 * What a handler may return for an entity: ignored and nullable members may be absent; Date, number and bigint stand
 * for canonical strings where that is unambiguous.
 */
export type ResultOf<E extends EntityTypeDeclaration> = ShapeInput<E["properties"]>;

/**
 * What `create` and `replace` get: no computed and no ignored member; nullable and defaulted members are filled in.
 */
export type BodyOf<E extends EntityTypeDeclaration> = {
  -readonly [F in FieldsWithout<E["properties"], "ignored" | "computed">]: ValueOf<E["properties"][F]>;
};

/** What `patch` gets: the members that are present, and never a key, computed or ignored one. */
export type DeltaOf<E extends EntityTypeDeclaration> = {
  readonly [F in FieldsWithout<E["properties"], "ignored" | "computed" | "key">]?: ValueOf<E["properties"][F]>;
};

/** The keys of the key properties. */
type KeyFields<E extends EntityTypeDeclaration> = FieldsWith<E["properties"], "key">;

/** Whether a type is a union of two members or more. */
type IsUnion<T, U = T> = T extends unknown ? ([U] extends [T] ? false : true) : never;

/** The key of an entity: the value of the one key property, or an object with the values of several. */
export type KeyOf<E extends EntityTypeDeclaration> =
  true extends IsUnion<KeyFields<E>>
    ? { readonly [F in KeyFields<E>]: E["properties"][F]["_types"]["value"] }
    : E["properties"][KeyFields<E>]["_types"]["value"];
