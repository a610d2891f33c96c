import type {
  AnyProperty,
  ComplexTypeDeclaration,
  EntityTypeDeclaration,
  EnumTypeDeclaration,
  PropertyTrait,
  Shape,
} from "./value-type.ts";

/*
 * `& unknown` changes no type, but removes its alias: editors then show the members of an entity, not
 * `EntityOf<EntityTypeDeclaration<…>>` with the whole declaration inside. `as` filters keys in the order of declaration.
 */

/** Whether a property has one of the traits. The compiler answers once for all sets with equal properties. */
type Has<P extends AnyProperty, Trait extends PropertyTrait> = Trait & P["_types"]["trait"] extends never
  ? false
  : true;

/** The key of a property that has one of the traits, otherwise never. */
type With<S extends Shape, F extends keyof S, Trait extends PropertyTrait> = Has<S[F], Trait> extends true ? F : never;

/** The key of a property that has none of the traits, otherwise never. */
type Without<S extends Shape, F extends keyof S, Trait extends PropertyTrait> =
  Has<S[F], Trait> extends true ? never : F;

/** The members of a type, with intersections joined. */
type Flat<T> = { [F in keyof T]: T[F] } & unknown;

/** The canonical value of a property, including null if it is nullable. */
export type ValueOf<P extends AnyProperty> = "nullable" extends P["_types"]["trait"]
  ? P["_types"]["value"] | null
  : P["_types"]["value"];

/** The values that a handler may return for a property. */
export type InputOf<P extends AnyProperty> = "nullable" extends P["_types"]["trait"]
  ? P["_types"]["input"] | null
  : P["_types"]["input"];

/** Every property with its canonical value. */
type ShapeValue<S extends Shape> = { -readonly [F in keyof S]: ValueOf<S[F]> } & unknown;

/** Every property with the values that a handler may return; ignored and nullable properties may be absent. */
type ShapeInput<S extends Shape> = Flat<
  { readonly [F in keyof S as Without<S, F, "ignored" | "nullable">]: InputOf<S[F]> } & {
    readonly [F in keyof S as With<S, F, "ignored" | "nullable">]?: InputOf<S[F]> | undefined;
  }
>;

/** The properties that clients may send; absent are those whose default the database knows. */
type ShapeBody<S extends Shape> = "databaseDefault" extends S[keyof S]["_types"]["trait"]
  ? Flat<
      { -readonly [F in keyof S as Without<S, F, "ignored" | "computed" | "databaseDefault">]: ValueOf<S[F]> } & {
        -readonly [F in keyof S as Without<S, F, "ignored" | "computed"> & With<S, F, "databaseDefault">]?: ValueOf<
          S[F]
        >;
      }
    >
  : SentProperties<S>;

/** The properties that clients send where the database knows no default: the compiler needs fewer steps for them. */
type SentProperties<S extends Shape> = {
  -readonly [F in keyof S as Without<S, F, "ignored" | "computed">]: ValueOf<S[F]>;
} & unknown;

/** The change of a property: for a complex value, the changed members; including null if it is nullable. */
type ChangeOf<P extends AnyProperty> = "nullable" extends P["_types"]["trait"]
  ? P["_types"]["change"] | null
  : P["_types"]["change"];

/** The properties that clients may change. */
type ShapeDelta<S extends Shape> = {
  readonly [F in keyof S as Without<S, F, "ignored" | "computed" | "key">]?: ChangeOf<S[F]>;
} & unknown;

/** Every property with its canonical value, for reading. */
type ShapeRead<S extends Shape> = { readonly [F in keyof S]: ValueOf<S[F]> } & unknown;

/** The traits of properties that a new entity may lack. */
type OptionalTrait = "nullable" | "optional" | "databaseDefault";

/** The properties of a new entity: nullable properties and properties with a default may be absent. */
type ShapeNew<S extends Shape> = Flat<
  {
    readonly [F in keyof S as Without<S, F, "ignored" | "computed" | OptionalTrait>]: InputOf<S[F]>;
  } & {
    readonly [F in keyof S as Without<S, F, "ignored" | "computed"> & With<S, F, OptionalTrait>]?:
      | InputOf<S[F]>
      | undefined;
  }
>;

/** The key properties. */
type ShapeKey<S extends Shape> = { readonly [F in keyof S as With<S, F, "key">]: S[F]["_types"]["value"] } & unknown;

/**
 * The declaration of the entities of a set with derived types: the properties of each type, with its name. Types of entities,
 * bodies and changes are then unions, which the compiler narrows by `"@odata.type"`.
 */
export type WithDerived<
  E extends EntityTypeDeclaration,
  D extends readonly EntityTypeDeclaration[],
> = EntityTypeDeclaration<E["name"], NamedShape<E> | NamedShape<D[number]>>;

/** The properties of each type of a union, with the name of the type. */
type NamedShape<E extends EntityTypeDeclaration> = E extends unknown
  ? E["properties"] & { readonly "@odata.type": NameProperty<E["name"]> }
  : never;

interface NameProperty<Name extends string> extends AnyProperty {
  readonly _types: { readonly value: Name; readonly input: Name; readonly trait: never; readonly change: Name };
}

/** The canonical value of a complex type. */
export type ComplexValueOf<C extends ComplexTypeDeclaration> = ShapeValue<C["properties"]>;

/** The values that a handler may return for a complex type. */
export type ComplexInputOf<C extends ComplexTypeDeclaration> = ShapeInput<C["properties"]>;

/** The change of a value of a complex type: the changed members, at every depth. */
export type ComplexDeltaOf<C extends ComplexTypeDeclaration> = ShapeDelta<C["properties"]>;

/** The values of an enumeration: a member name; for flags, also several names separated by commas. */
export type EnumValueOf<E extends EnumTypeDeclaration> = E["isFlags"] extends true
  ? (keyof E["members"] & string) | `${keyof E["members"] & string},${string}`
  : keyof E["members"] & string;

/** An entity with every property and canonical values. */
export type EntityOf<E extends EntityTypeDeclaration> = ShapeValue<E["properties"]>;

/**
 * The entity that a handler may return: ignored and nullable members may be absent. Dates, numbers and bigints are
 * accepted instead of canonical strings if they are unambiguous.
 */
export type ResultOf<E extends EntityTypeDeclaration> = ShapeInput<E["properties"]>;

/**
 * The entity that `create` and `replace` receive: no computed or ignored members, and defaults filled in. A member with
 * `.databaseDefault()` is absent if the body lacks it.
 */
export type BodyOf<E extends EntityTypeDeclaration> = ShapeBody<E["properties"]>;

/** The changes that `patch` receives, at every depth of complex values; never keys, computed or ignored members. */
export type DeltaOf<E extends EntityTypeDeclaration> = ShapeDelta<E["properties"]>;

/** The entity that `ctx.sets` returns: every declared property, ignored ones included, with its canonical value. */
export type ReadEntityOf<E extends EntityTypeDeclaration> = ShapeRead<E["properties"]>;

/** The entity for `create` of `ctx.sets`: no computed or ignored members; nullable and defaulted members are optional. */
export type NewEntityOf<E extends EntityTypeDeclaration> = ShapeNew<E["properties"]>;

/** Whether a type is a union. */
type IsUnion<T, U = T> = T extends unknown ? ([U] extends [T] ? false : true) : never;

/** The key of an entity: the value of its key property, or an object if the key has several properties. */
export type KeyOf<E extends EntityTypeDeclaration> =
  true extends IsUnion<keyof ShapeKey<E["properties"]>>
    ? ShapeKey<E["properties"]>
    : ShapeKey<E["properties"]>[keyof ShapeKey<E["properties"]>];
