import type { DeltaOf, InputOf, NewEntityOf } from "./entity-values.ts";
import type { EntityTypeDeclaration } from "./value-type.ts";

/** The traits of a property. */
type TraitOf<E extends EntityTypeDeclaration, F extends keyof E["properties"]> = E["properties"][F]["_types"]["trait"];

/** The computed properties with the values that hooks and trusted code may give them. */
export type ComputedOf<E extends EntityTypeDeclaration> = {
  readonly [
    F in keyof E["properties"] as "computed" extends TraitOf<E, F>
      ? "ignored" extends TraitOf<E, F>
        ? never
        : F
      : never
  ]?: InputOf<E["properties"][F]> | undefined;
} & unknown;

/** The properties that the `set` of a set names, `S`: a trusted call of `ctx.sets` may give them. */
export type ServerSetOf<E extends EntityTypeDeclaration, S extends string> = string extends S
  ? unknown
  : { readonly [F in S & keyof E["properties"]]?: InputOf<E["properties"][F]> | undefined };

/** The changes for `patch` of `ctx.sets`: those of `DeltaOf`, and values as `create` accepts them. */
export type ChangesOf<E extends EntityTypeDeclaration> = {
  readonly [F in keyof DeltaOf<E>]?: DeltaOf<E>[F] | InputOf<E["properties"][F & keyof E["properties"]]>;
};

/** The computed properties, which only a trusted call of `ctx.sets` gives: `Trusted` is not false. */
type TrustedOf<E extends EntityTypeDeclaration, Trusted extends boolean> = [Trusted] extends [false]
  ? unknown
  : ComputedOf<E>;

/** The values for `patch` of `ctx.sets` beyond those of `ChangesOf`. */
export type FurtherOf<E extends EntityTypeDeclaration, S extends string, Trusted extends boolean> = ServerSetOf<E, S> &
  TrustedOf<E, Trusted>;

/** The entity for `create` of a set whose `set` names the properties `S`. */
export type NewEntityIn<E extends EntityTypeDeclaration, S extends string, Trusted extends boolean = false> = ([
  S,
] extends [never]
  ? NewEntityOf<E>
  : Omit<NewEntityOf<E>, string extends S ? never : S> & ServerSetOf<E, S>) &
  TrustedOf<E, Trusted>;
