import type { DeltaOf, InputOf, NewEntityOf } from "./edm-builders.ts";
import type { EntityTypeDeclaration } from "./value-type.ts";

/** The properties that the `set` of a set names, `S`: a trusted call of `ctx.sets` may give them. */
export type ServerSetOf<E extends EntityTypeDeclaration, S extends string> = string extends S
  ? unknown
  : { readonly [F in S & keyof E["properties"]]?: InputOf<E["properties"][F]> | undefined };

/** The changes for `patch` of `ctx.sets`: those of `DeltaOf`, and values as `create` accepts them. */
export type ChangesOf<E extends EntityTypeDeclaration> = {
  readonly [F in keyof DeltaOf<E>]?: DeltaOf<E>[F] | InputOf<E["properties"][F & keyof E["properties"]]>;
};

/** The entity for `create` of a set whose `set` names the properties `S`. */
export type NewEntityIn<E extends EntityTypeDeclaration, S extends string> = [S] extends [never]
  ? NewEntityOf<E>
  : Omit<NewEntityOf<E>, string extends S ? never : S> & ServerSetOf<E, S>;
