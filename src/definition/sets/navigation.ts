import type { TableName } from "../../edm/table-name.ts";
import type { SetContext } from "../context.ts";
import type { Entities, Answer } from "../handlers.ts";
import { type Annotations, describe } from "../types/entity-type.ts";
import type { BodyOf, KeyOf, ResultOf } from "../types/entity-values.ts";
import type { NavigationDeclaration, Thunk } from "../types/navigation-declaration.ts";
import type { EntityTypeDeclaration } from "../types/value-type.ts";

/** The keys of an entity type. */
type FieldOf<E extends EntityTypeDeclaration> = keyof E["properties"] & string;

/** The options of navigations of every cardinality. */
interface NavigationOptions<Source extends EntityTypeDeclaration, Target extends EntityTypeDeclaration> {
  /** Maps properties of this type to the properties of the related type with the same value. */
  readonly on?: { readonly [F in FieldOf<Source>]?: FieldOf<Target> };
  /** The name of the entity set of the related entities. */
  readonly target?: string;
  /** The navigation property of the related type that leads back to this type. */
  readonly partner?: string;
  /**
   * `"parent"` skips the rules of the target set for requests along this navigation: only the rules of the set that
   * declares it apply. Row rules of the target set still apply.
   * @see docs/guides/authorization.md
   */
  readonly authorization?: "parent" | undefined;
  /** Annotations of the navigation property in `$metadata`. @see docs/reference/annotations.md */
  readonly annotations?: Annotations | undefined;
  /** Removes the link to the entity with this `@odata.id`. `undefined` switches off the handler of a table. */
  readonly removeRef?: ((key: KeyOf<Source>, id: string, context: SetContext<Source>) => Answer<void>) | undefined;
}

/** The options of `hasMany`. */
export interface ManyOptions<
  Source extends EntityTypeDeclaration,
  Target extends EntityTypeDeclaration,
> extends NavigationOptions<Source, Target> {
  /** Returns the related entities of one parent; null if the parent does not exist. */
  readonly get?: (key: KeyOf<Source>, context: SetContext<Source>) => Answer<Entities<Target> | null>;
  /** Returns the related entities of many parents by key, in one call; `$expand` prefers it to `get`. */
  readonly getBatch?: (
    keys: ReadonlyArray<KeyOf<Source>>,
    context: SetContext<Source>,
  ) => Answer<ReadonlyMap<KeyOf<Source>, Iterable<ResultOf<Target>>>>;
  /** Creates a related entity and returns it; null if the parent does not exist. */
  readonly create?: (
    key: KeyOf<Source>,
    entity: BodyOf<Target>,
    context: SetContext<Source>,
  ) => Answer<ResultOf<Target> | null>;
  /** Adds a link to the entity with this `@odata.id`. `undefined` switches off the handler of a table. */
  readonly addRef?: ((key: KeyOf<Source>, id: string, context: SetContext<Source>) => Answer<void>) | undefined;
  /**
   * A many-to-many relation through a link table, for sets over a database. `from` maps properties of this type to columns
   * of the link table; `to` maps columns of the link table to properties of the related type.
   */
  readonly through?: {
    readonly table: TableName;
    readonly from: { readonly [F in FieldOf<Source>]?: string };
    readonly to: { readonly [column: string]: FieldOf<Target> };
    /** The storage of columns that differs from the default, as in `columns` of the set: `{ tag_id: { storage: "text" } }`. */
    readonly columns?: { readonly [column: string]: { readonly storage: string | object } };
    /**
     * How a distributed database stores the link table: by one of its columns, or completely on each machine; true, or absent:
     * unknown.
     */
    readonly distributed?:
      | true
      | "reference"
      | { readonly by: string; readonly with?: TableName | undefined }
      | undefined;
  };
}

/** The options of `hasOptional` and `hasRequired`. */
export interface OneOptions<Source extends EntityTypeDeclaration, Target extends EntityTypeDeclaration> extends Omit<
  NavigationOptions<Source, Target>,
  "removeRef"
> {
  /** Returns the related entity of one parent; null if the parent or the related entity does not exist. */
  readonly get?: (key: KeyOf<Source>, context: SetContext<Source>) => Answer<ResultOf<Target> | null>;
  /** Returns the related entities of many parents by key, in one call; `$expand` prefers it to `get`. */
  readonly getBatch?: (
    keys: ReadonlyArray<KeyOf<Source>>,
    context: SetContext<Source>,
  ) => Answer<ReadonlyMap<KeyOf<Source>, ResultOf<Target>>>;
  /** Sets the link to the entity with this `@odata.id`. */
  readonly setRef?: (key: KeyOf<Source>, id: string, context: SetContext<Source>) => Answer<void>;
  /** Removes the link. */
  readonly removeRef?: ((key: KeyOf<Source>, context: SetContext<Source>) => Answer<void>) | undefined;
}

/** Navigation properties by key. */
export interface Navigations<Source extends EntityTypeDeclaration> {
  readonly [field: string]: NavigationDeclaration<Source>;
}

/**
 * Declares a navigation to any number of entities.
 * @param to the related type, or a function that returns it if two modules import each other
 * @see docs/reference/navigation.md
 */
export function hasMany<Source extends EntityTypeDeclaration, Target extends EntityTypeDeclaration>(
  to: Thunk<Target>,
  options: ManyOptions<Source, Target> = {},
): NavigationDeclaration<Source, Target, "many"> {
  return Object.freeze({ kind: "NavigationDeclaration", to, cardinality: "many", options, describe });
}

/**
 * Declares a navigation to at most one entity.
 * @param to the related type, or a function that returns it if two modules import each other
 * @see docs/reference/navigation.md
 */
export function hasOptional<Source extends EntityTypeDeclaration, Target extends EntityTypeDeclaration>(
  to: Thunk<Target>,
  options: OneOptions<Source, Target> = {},
): NavigationDeclaration<Source, Target, "optional"> {
  return Object.freeze({ kind: "NavigationDeclaration", to, cardinality: "optional", options, describe });
}

/**
 * Declares a navigation to exactly one entity.
 * @param to the related type, or a function that returns it if two modules import each other
 * @see docs/reference/navigation.md
 */
export function hasRequired<Source extends EntityTypeDeclaration, Target extends EntityTypeDeclaration>(
  to: Thunk<Target>,
  options: OneOptions<Source, Target> = {},
): NavigationDeclaration<Source, Target, "required"> {
  return Object.freeze({ kind: "NavigationDeclaration", to, cardinality: "required", options, describe });
}
