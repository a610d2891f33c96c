import type { BodyOf } from "../types/infer.ts";
import type { EntityTypeDeclaration } from "../types/value-type.ts";

/** How many entities a navigation leads to: any number, at most one, exactly one. */
export type Cardinality = "many" | "optional" | "required";

/** A navigation property as declared with `hasMany`, `hasOptional` or `hasRequired`. */
export interface NavigationDeclaration<
  Source extends EntityTypeDeclaration = EntityTypeDeclaration,
  Target extends EntityTypeDeclaration = EntityTypeDeclaration,
  C extends Cardinality = Cardinality,
> {
  readonly kind: "NavigationDeclaration";
  readonly to: Thunk<Target>;
  readonly cardinality: C;
  /** The options as given; checked at startup. */
  readonly options: object;
  /** For the compiler only: the type that the navigation starts from. */
  readonly _source?: (source: Source) => void;
}

/** A type, or a function that gives it: where two modules import each other the type may not exist yet. */
export type Thunk<T> = T | (() => T);

/**
 * What `create` gets: the body, and the nested values of the declared navigations one level deep. They are null
 * unless the set allows deep insert.
 */
export type GraphOf<E extends EntityTypeDeclaration, N> = BodyOf<E> & {
  readonly [F in keyof N]?: N[F] extends NavigationDeclaration<E, infer Target, infer C>
    ? (C extends "many" ? ReadonlyArray<BodyOf<Target>> : BodyOf<Target>) | null
    : never;
};
