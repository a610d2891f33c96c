import type {
  AnyProperty,
  ComplexTypeDeclaration,
  EntityTypeDeclaration,
  EnumTypeDeclaration,
  PropertyTrait,
  Shape,
} from "./value-type.ts";

/*
 * `& unknown` changes no type, but takes the alias off it: editors then show the members of an entity, not
 * `EntityOf<EntityTypeDeclaration<…>>` with the whole declaration inside. Keys are chosen by `as`, which keeps the
 * order of declaration.
 */

/** The key of a property that has one of the traits, else never. */
type With<S extends Shape, F extends keyof S, Trait extends PropertyTrait> = Trait &
  S[F]["_types"]["trait"] extends never
  ? never
  : F;

/** The key of a property that has none of the traits, else never. */
type Without<S extends Shape, F extends keyof S, Trait extends PropertyTrait> = Trait &
  S[F]["_types"]["trait"] extends never
  ? F
  : never;

/** The members of a type, joined where it is an intersection. */
type Flat<T> = { [F in keyof T]: T[F] } & unknown;

/** The canonical value of a property, null included where it may be. */
export type ValueOf<P extends AnyProperty> = "nullable" extends P["_types"]["trait"]
  ? P["_types"]["value"] | null
  : P["_types"]["value"];

/** What a handler may return for a property. */
export type InputOf<P extends AnyProperty> = "nullable" extends P["_types"]["trait"]
  ? P["_types"]["input"] | null
  : P["_types"]["input"];

/** Every property with its canonical value. */
type ShapeValue<S extends Shape> = { -readonly [F in keyof S]: ValueOf<S[F]> } & unknown;

/** Every property with what a handler may return for it; ignored and nullable ones may be absent. */
type ShapeInput<S extends Shape> = Flat<
  { readonly [F in keyof S as Without<S, F, "ignored" | "nullable">]: InputOf<S[F]> } & {
    readonly [F in keyof S as With<S, F, "ignored" | "nullable">]?: InputOf<S[F]> | undefined;
  }
>;

/** The properties that the client may send. */
type ShapeBody<S extends Shape> = {
  -readonly [F in keyof S as Without<S, F, "ignored" | "computed">]: ValueOf<S[F]>;
} & unknown;

/** What a change says of a property: of a complex value the members that change, null included where it may be. */
type ChangeOf<P extends AnyProperty> = "nullable" extends P["_types"]["trait"]
  ? P["_types"]["change"] | null
  : P["_types"]["change"];

/** The properties that the client may change. */
type ShapeDelta<S extends Shape> = {
  readonly [F in keyof S as Without<S, F, "ignored" | "computed" | "key">]?: ChangeOf<S[F]>;
} & unknown;

/** Every property with its canonical value; ignored ones are there as far as handlers return them. */
type ShapeRead<S extends Shape> = Flat<
  { readonly [F in keyof S as Without<S, F, "ignored">]: ValueOf<S[F]> } & {
    readonly [F in keyof S as With<S, F, "ignored">]?: ValueOf<S[F]> | undefined;
  }
>;

/** The properties of a new entity: nullable and defaulted ones may be absent. */
type ShapeNew<S extends Shape> = Flat<
  {
    readonly [F in keyof S as Without<S, F, "ignored" | "computed" | "nullable" | "optional">]: InputOf<S[F]>;
  } & {
    readonly [F in keyof S as Without<S, F, "ignored" | "computed"> & With<S, F, "nullable" | "optional">]?:
      | InputOf<S[F]>
      | undefined;
  }
>;

/** The key properties. */
type ShapeKey<S extends Shape> = { readonly [F in keyof S as With<S, F, "key">]: S[F]["_types"]["value"] } & unknown;

/** The canonical value of a complex type. */
export type ComplexValueOf<C extends ComplexTypeDeclaration> = ShapeValue<C["properties"]>;

/** What a handler may return for a value of a complex type. */
export type ComplexInputOf<C extends ComplexTypeDeclaration> = ShapeInput<C["properties"]>;

/** What a delta says of a value of a complex type: the members that change, at every depth. */
export type ComplexDeltaOf<C extends ComplexTypeDeclaration> = ShapeDelta<C["properties"]>;

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
export type BodyOf<E extends EntityTypeDeclaration> = ShapeBody<E["properties"]>;

/**
 * What `patch` gets: the members that are present, at every depth of complex values, and never a key, computed or ignored
 * one.
 */
export type DeltaOf<E extends EntityTypeDeclaration> = ShapeDelta<E["properties"]>;

/** An entity as `ctx.sets` returns it: canonical values; ignored members as far as handlers return them. */
export type ReadEntityOf<E extends EntityTypeDeclaration> = ShapeRead<E["properties"]>;

/** What `ctx.sets` creates: no computed and no ignored member; nullable and defaulted members may be absent. */
export type NewEntityOf<E extends EntityTypeDeclaration> = ShapeNew<E["properties"]>;

/** Whether a type is a union of two members or more. */
type IsUnion<T, U = T> = T extends unknown ? ([U] extends [T] ? false : true) : never;

/** The key of an entity: the value of the one key property, or an object with the values of several. */
export type KeyOf<E extends EntityTypeDeclaration> =
  true extends IsUnion<keyof ShapeKey<E["properties"]>>
    ? ShapeKey<E["properties"]>
    : ShapeKey<E["properties"]>[keyof ShapeKey<E["properties"]>];
