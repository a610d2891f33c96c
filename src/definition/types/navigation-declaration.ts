import type { BodyOf } from "./entity-values.ts";
import type { EntityTypeDeclaration } from "./value-type.ts";

/** The number of related entities: any number, at most one, or exactly one. */
type Cardinality = "many" | "optional" | "required";

/** The result of `hasMany`, `hasOptional` or `hasRequired`. */
export interface NavigationDeclaration<
  Source extends EntityTypeDeclaration = EntityTypeDeclaration,
  Target extends EntityTypeDeclaration = EntityTypeDeclaration,
  C extends Cardinality = Cardinality,
> {
  readonly kind: "NavigationDeclaration";
  readonly to: Thunk<Target>;
  readonly cardinality: C;
  /** The options, checked at startup. */
  readonly options: object;
  /** The text of `describe`, checked at startup. */
  readonly description?: string | undefined;
  /** Returns the navigation with a description in `$metadata` and generated API descriptions. */
  describe(text: string): NavigationDeclaration<Source, Target, C>;
  /** For the compiler only: the type that declares the navigation. */
  readonly _source?: (source: Source) => void;
}

/** A type, or a function that returns it. If two modules import each other, the type may not exist yet. */
export type Thunk<T> = T | (() => T);

/**
 * The entity that `create` receives: the body with nested entities of the declared navigations, one level deep. The
 * navigations are null unless the set has `allowDeepInsert`.
 */
export type GraphOf<E extends EntityTypeDeclaration, N> = BodyOf<E> & {
  readonly [F in keyof N]?: N[F] extends NavigationDeclaration<E, infer Target, infer C>
    ? (C extends "many" ? ReadonlyArray<BodyOf<Target>> : BodyOf<Target>) | null
    : never;
};
