import type { Context } from "../context.ts";
import type { BodyOf, KeyOf, ResultOf } from "../types/infer.ts";
import type { EntityTypeDeclaration } from "../types/value-type.ts";
import type { Entities } from "./entity-source.ts";
import type { Answer } from "./handlers.ts";
import type { NavigationDeclaration, Thunk } from "./navigation-declaration.ts";

/** The keys of an entity type. */
type FieldOf<E extends EntityTypeDeclaration> = keyof E["properties"] & string;

/** What navigations of every cardinality may declare. */
interface NavigationOptions<Source extends EntityTypeDeclaration, Target extends EntityTypeDeclaration> {
  /** Property of this type to the property of the related type that has the same value. */
  readonly on?: { readonly [F in FieldOf<Source>]?: FieldOf<Target> };
  /** The name of the entity set that the related entities belong to. */
  readonly target?: string;
  /** The navigation property of the related type that leads back. */
  readonly partner?: string;
  /**
   * `"parent"`: requests along this navigation obey the rules of the set that declares it alone, and skip those of the
   * target set. Row rules of the target set still apply.
   * @see docs/guides/authorization.md
   */
  readonly authorization?: "parent" | undefined;
  /** Removes the link to the entity with this `@odata.id`; a single-valued navigation has but one link, and no id. */
  readonly removeRef?: (key: KeyOf<Source>, id: string, context: Context) => Answer<void>;
}

/** What `hasMany` takes. */
export interface ManyOptions<
  Source extends EntityTypeDeclaration,
  Target extends EntityTypeDeclaration,
> extends NavigationOptions<Source, Target> {
  /** The related entities of one parent; null: there is no such parent. */
  readonly get?: (key: KeyOf<Source>, context: Context) => Answer<Entities<Target> | null>;
  /** The related entities of many parents by key, in one call; preferred over `get` for `$expand`. */
  readonly getBatch?: (
    keys: ReadonlyArray<KeyOf<Source>>,
    context: Context,
  ) => Answer<ReadonlyMap<KeyOf<Source>, Iterable<ResultOf<Target>>>>;
  /** Creates a related entity; null: there is no such parent. */
  readonly create?: (key: KeyOf<Source>, entity: BodyOf<Target>, context: Context) => Answer<ResultOf<Target> | null>;
  /** Adds a link to the entity with this `@odata.id`. */
  readonly addRef?: (key: KeyOf<Source>, id: string, context: Context) => Answer<void>;
  /** Many-to-many through a table of links: `from` and `to` map properties to and from its columns. SQL sets only. */
  readonly through?: {
    readonly table: string;
    readonly from: { readonly [F in FieldOf<Source>]?: string };
    readonly to: { readonly [column: string]: FieldOf<Target> };
  };
}

/** What `hasOptional` and `hasRequired` take. */
export interface OneOptions<Source extends EntityTypeDeclaration, Target extends EntityTypeDeclaration> extends Omit<
  NavigationOptions<Source, Target>,
  "removeRef"
> {
  /** The related entity of one parent; null: there is no such parent, or no related entity. */
  readonly get?: (key: KeyOf<Source>, context: Context) => Answer<ResultOf<Target> | null>;
  /** The related entities of many parents by key, in one call; preferred over `get` for `$expand`. */
  readonly getBatch?: (
    keys: ReadonlyArray<KeyOf<Source>>,
    context: Context,
  ) => Answer<ReadonlyMap<KeyOf<Source>, ResultOf<Target>>>;
  /** Sets the link to the entity with this `@odata.id`. */
  readonly setRef?: (key: KeyOf<Source>, id: string, context: Context) => Answer<void>;
  /** Removes the link. */
  readonly removeRef?: (key: KeyOf<Source>, context: Context) => Answer<void>;
}

/** Navigation properties by the application's keys. */
export interface Navigations<Source extends EntityTypeDeclaration> {
  readonly [field: string]: NavigationDeclaration<Source>;
}

/**
 * Declares a navigation to any number of entities.
 * @param to the related type, or a function that gives it where two modules import each other
 * @see specification, Navigation routes
 */
export function hasMany<Source extends EntityTypeDeclaration, Target extends EntityTypeDeclaration>(
  to: Thunk<Target>,
  options: ManyOptions<Source, Target> = {},
): NavigationDeclaration<Source, Target, "many"> {
  return Object.freeze({ kind: "NavigationDeclaration", to, cardinality: "many", options });
}

/**
 * Declares a navigation to one entity or none.
 * @param to the related type, or a function that gives it where two modules import each other
 * @see specification, Navigation routes
 */
export function hasOptional<Source extends EntityTypeDeclaration, Target extends EntityTypeDeclaration>(
  to: Thunk<Target>,
  options: OneOptions<Source, Target> = {},
): NavigationDeclaration<Source, Target, "optional"> {
  return Object.freeze({ kind: "NavigationDeclaration", to, cardinality: "optional", options });
}

/**
 * Declares a navigation to exactly one entity.
 * @param to the related type, or a function that gives it where two modules import each other
 * @see specification, Navigation routes
 */
export function hasRequired<Source extends EntityTypeDeclaration, Target extends EntityTypeDeclaration>(
  to: Thunk<Target>,
  options: OneOptions<Source, Target> = {},
): NavigationDeclaration<Source, Target, "required"> {
  return Object.freeze({ kind: "NavigationDeclaration", to, cardinality: "required", options });
}
