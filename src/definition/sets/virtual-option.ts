import { frozenMap } from "../../edm/frozen-map.ts";
import { type EntityType, shownProperties, type StructuralProperty } from "../../edm/model.ts";
import type { Context } from "../context.ts";
import type { Answer } from "../handlers.ts";
import { isObject } from "../option-table.ts";
import type { EntityOf, InputOf } from "../types/entity-values.ts";
import type { LiteralContext, LiteralText } from "../types/literal-context.ts";
import type { AnyProperty, EntityTypeDeclaration } from "../types/value-type.ts";

type FieldOf<E extends EntityTypeDeclaration> = keyof E["properties"] & string;

/** A property whose values the server makes for each response. @see docs/guides/virtual-properties.md */
export interface VirtualProperty<E extends EntityTypeDeclaration, Needs = FieldOf<E>, Value = unknown> {
  /** The type of the values: a builder, such as `edm.decimal()`. Absent for a property of the entity type, which keeps its type. */
  readonly type?: unknown;
  /** The properties of the entities that `read` uses, also ignored ones, and such that the user may not read. */
  readonly needs: ReadonlyArray<Needs & FieldOf<E>>;
  /** Returns the values of the entities in a response, in their order. Called only if a response shows the property. */
  readonly read: (
    entities: ReadonlyArray<Pick<EntityOf<E>, Needs & keyof EntityOf<E>>>,
    context: Context,
  ) => Answer<readonly Value[]>;
}

/** The values of a virtual property: of its own type, or of that of the stored property that it masks. */
type ResultIn<E extends EntityTypeDeclaration, F, T> = F extends keyof E["properties"]
  ? InputOf<E["properties"][F]> | LiteralText | LiteralContext
  : T extends AnyProperty
    ? InputOf<T> | LiteralText | LiteralContext
    : "Give the `type` of a property that the entity type does not have.";

/** The option `virtual`, from which the compiler infers the needs `W` and the types `T` by property. */
export type InferredVirtual<E extends EntityTypeDeclaration, W, T> = {
  readonly [F in keyof W]: VirtualProperty<E, W[F], ResultIn<E, F, F extends keyof T ? T[F] : never>>;
} & {
  readonly [F in keyof T]: {
    readonly type?: (T[F] & AnyProperty) | undefined;
    readonly needs?: unknown;
    readonly read?: unknown;
  };
};

/** A function that makes the values of a property. */
export type VirtualRead = (entities: readonly object[], context: Context) => unknown;

/** Returns the functions of the checked option `virtual` by property. */
export function virtualReads(option: unknown, type: EntityType): ReadonlyMap<StructuralProperty, VirtualRead> {
  const given = isObject(option) ? option : {};
  return frozenMap(
    shownProperties(type).flatMap((property): ReadonlyArray<readonly [StructuralProperty, VirtualRead]> => {
      const declared: unknown = Object.hasOwn(given, property.field) ? given[property.field] : undefined;
      const read = isObject(declared) ? declared["read"] : undefined;
      // The startup check found a function; `InferredVirtual` typed it.
      return typeof read === "function" ? [[property, read as VirtualRead]] : [];
    }),
  );
}
