import type { ModelAnnotations } from "./annotation.ts";
import type { Facets, PrimitiveType } from "./primitive-type.ts";
import type { StreamTraits } from "./stream-property.ts";
import type { TableName } from "./table-name.ts";

/**
 * The resolved entity data model of one service, deep-frozen after startup. Each property has two names: `name` on the wire
 * and in $metadata, `field` in the application's objects.
 * @see OData CSDL 4.0, section 5
 */
export interface Model {
  readonly kind: "Model";
  readonly namespace: string;
  readonly entityContainer: EntityContainer;
  /** By unqualified name. */
  readonly entityTypes: ReadonlyMap<string, EntityType>;
  readonly complexTypes: ReadonlyMap<string, ComplexType>;
  readonly enumTypes: ReadonlyMap<string, EnumType>;
  /** Bound and unbound. */
  readonly operations: readonly Operation[];
  /** The annotations of the application; undefined without any. */
  readonly annotations?: ModelAnnotations | undefined;
}

/** The container of a model. */
export interface EntityContainer {
  readonly kind: "EntityContainer";
  readonly name: string;
  /** By name. */
  readonly entitySets: ReadonlyMap<string, EntitySet>;
  readonly singletons: ReadonlyMap<string, Singleton>;
  readonly functionImports: ReadonlyMap<string, OperationImport>;
  readonly actionImports: ReadonlyMap<string, OperationImport>;
}

/** A single entity of the container with a name of its own. @see OData CSDL 4.0, section 13.3 */
export interface Singleton {
  readonly kind: "Singleton";
  readonly name: string;
  /** The set that contains its entity: a set of the container, or the set of the same name that only this singleton has. */
  readonly entitySet: EntitySet;
}

/** An entity set of the container. */
export interface EntitySet {
  readonly kind: "EntitySet";
  readonly name: string;
  /** Whether only the singleton of the same name contains its entity, so that clients see no set; absent: false. */
  readonly isOfSingleton?: true | undefined;
  /** The name of the set whose entities of one derived type this set contains, so that clients see a path; absent: none. */
  readonly castFrom?: string | undefined;
  readonly entityType: EntityType;
  /** The navigation properties that this set declares, by wire name. The type may have more, from other sets. */
  readonly navigationProperties: ReadonlyMap<string, NavigationProperty>;
  /** Navigation property (wire name) to the name of its declared target set. */
  readonly navigationPropertyBindings: ReadonlyMap<string, string>;
  /** The declared joins by wire name of the navigation property. */
  readonly navigationJoins: ReadonlyMap<string, NavigationJoin>;
  /** The fields of properties that the database of the set cannot compare; absent: none. */
  readonly uncomparable?: ReadonlySet<string> | undefined;
  /** The hierarchy of the entities; absent: none. */
  readonly hierarchy?: RecursiveHierarchy | undefined;
  readonly description?: string | undefined;
  readonly longDescription?: string | undefined;
  /** The properties of the ETag; empty without ETags. */
  readonly etag: readonly StructuralProperty[];
  /**
   * Makes the ETag of the JSON of all properties of `etag`, which are then all stored ones and not only single values; absent:
   * the ETag is made of their values.
   */
  readonly digest?: EtagDigest | undefined;
  /** Makes the same ETag as the values of `etag` from their JSON; absent: there is none, or it is a digest. */
  readonly valuesDigest?: EtagDigest | undefined;
}

/**
 * The hierarchy of the entities of a set, each of which has at most one parent in the set.
 * @see Org.OData.Aggregation.V1.RecursiveHierarchy
 */
export interface RecursiveHierarchy {
  readonly qualifier: string;
  /** The key of the parent of a node, null for a root; and the key of the nodes, which is the related property. */
  readonly pair: JoinPair;
  /** The properties of the place of a node in a result, by their names in the vocabulary. */
  readonly places: ReadonlyMap<HierarchyPlace, StructuralProperty>;
}

/** The facts of the place of a node. @see docs/guides/trees.md */
export type HierarchyPlace = "DistanceFromRoot" | "DrillState" | "LimitedDescendantCount" | "LimitedRank";

/** Makes the ETags of entities from their JSON, without quotes. The secret that it is made with stays inside. */
export interface EtagDigest {
  /** The number of its characters, which are ASCII. */
  readonly length: number;
  readonly ofText: (text: string) => string;
  /**
   * Writes the digest of a part of a page.
   * @param place where it is written, outside of the part
   */
  readonly write: (page: DataView, start: number, end: number, place: number) => void;
}

/** The ways to make ETags from JSON. */
export interface EtagDigests {
  /** For entities that everyone may read and write: fast. */
  readonly plain: EtagDigest;
  /** For entities that everyone may read and some may write: fast, from a seed that is made of the secret if there is one. */
  readonly seeded: EtagDigest;
  /** For entities with values that some may not know. */
  readonly keyed: EtagDigest;
  /** For entities whose ETag is made of the values of some properties. */
  readonly ofValues: (entityType: EntityType, etag: readonly StructuralProperty[]) => EtagDigest;
}

/** The number of characters of a digest of all properties: 128 bits or more, which do not collide by chance. */
export const ETAG_DIGEST_LENGTH = 22;

/** The join of two entity sets: by equal values, or by a table of links. */
export type NavigationJoin = DirectJoin | LinkJoin;

/** Related entities have equal values. Null never matches. There is at least one pair. */
export interface DirectJoin {
  readonly kind: "direct";
  readonly pairs: readonly JoinPair[];
}

/** A property of this type and the equal property of the related type. Both may be ignored properties. */
export interface JoinPair {
  readonly property: StructuralProperty;
  readonly related: StructuralProperty;
}

/** A row of a table of links relates two entities. */
export interface LinkJoin {
  readonly kind: "link";
  readonly table: TableName;
  /** Properties of this type, with the columns of their values in the table. Never empty. */
  readonly from: readonly LinkColumn[];
  /** Properties of the related type, with the columns of their values in the table. Never empty. */
  readonly to: readonly LinkColumn[];
  /** Where the rows of the table are, if not all are on one machine; undefined if that is unknown. */
  readonly placement?: LinkPlacement | undefined;
}

/**
 * Each machine has all rows of a link table, or the value of a column decides on the machine of a row: as in a table, or as in
 * all tables that name the link table.
 */
export type LinkPlacement =
  | { readonly kind: "reference" }
  | { readonly kind: "column"; readonly column: string; readonly with: TableName | undefined };

/** A column of a table of links, with the property of its values, which may be an ignored property. */
export interface LinkColumn {
  readonly property: StructuralProperty;
  readonly column: string;
  /** Whether it contains Guids in any letter case, like the column of its property. */
  readonly isAnyCase?: true;
  /** How it stores the values, as the database of the table knows; undefined for the default of the type. */
  readonly storage?: unknown;
}

/** An entity type. */
export interface EntityType {
  readonly kind: "EntityType";
  readonly name: string;
  readonly qualifiedName: string;
  /** In order of declaration; ignored properties are not part of the model. */
  readonly properties: readonly StructuralProperty[];
  readonly key: readonly StructuralProperty[];
  /** Ignored properties, in order of declaration. Joins may use them, but clients cannot. */
  readonly ignoredProperties: readonly StructuralProperty[];
  /** The properties that entities do not have, in order of declaration: clients read them; absent: none. */
  readonly virtualProperties?: readonly StructuralProperty[] | undefined;
  /** The stream of media entities, which is no property for clients; absent: the entities are none. */
  readonly media?: StructuralProperty | undefined;
  /** Its place among the types of the same entities; absent: entities have this one type. */
  readonly hierarchy?: TypeHierarchy | undefined;
  /** The navigation properties that any set of this type declares. */
  readonly navigationProperties: readonly NavigationProperty[];
  /** Structural and navigation properties by wire name. */
  readonly members: ReadonlyMap<string, ModelProperty>;
  /** Structural and navigation properties by lower-cased wire name. */
  readonly membersIgnoringCase: ReadonlyMap<string, ModelProperty>;
  readonly description?: string | undefined;
  readonly longDescription?: string | undefined;
}

/** The place of a type in a hierarchy. The properties of all entity types of a hierarchy are the same ones: those of every type. */
export interface TypeHierarchy {
  /** The property that names the type of an entity. */
  readonly discriminator: StructuralProperty;
  /** Absent for the type of the set. */
  readonly base?: EntityType | undefined;
  /** Whether no entity has this very type. */
  readonly isAbstract: boolean;
  /** The properties that the type adds to those of its base. */
  readonly own: readonly StructuralProperty[];
  /** The properties of entities of this very type, inherited ones first. */
  readonly properties: readonly StructuralProperty[];
  /** The type and the types derived from it, by the values of the discriminator. */
  readonly types: ReadonlyMap<string, EntityType>;
}

/** Returns the entity sets that clients see: those with names of their own. */
export function publishedSets({ entitySets }: Pick<EntityContainer, "entitySets">): readonly EntitySet[] {
  return [...entitySets.values()].filter(isPublished);
}

/** Returns whether clients see an entity set: not that of a singleton, nor that of a cast. */
export function isPublished({ isOfSingleton, castFrom }: EntitySet): boolean {
  return isOfSingleton !== true && castFrom === undefined;
}

/** Returns the structural properties that responses show: those of the entities, then those that only responses have. */
export function shownProperties({
  properties,
  virtualProperties,
}: Pick<EntityType, "properties" | "virtualProperties">): readonly StructuralProperty[] {
  return virtualProperties === undefined ? properties : [...properties, ...virtualProperties];
}

/** A complex type. */
export interface ComplexType {
  readonly kind: "ComplexType";
  readonly name: string;
  readonly qualifiedName: string;
  readonly properties: readonly StructuralProperty[];
  /** Ignored members, in order of declaration: rules receive members that handlers return, and clients receive none. */
  readonly ignoredProperties: readonly StructuralProperty[];
  readonly members: ReadonlyMap<string, ModelProperty>;
  readonly membersIgnoringCase: ReadonlyMap<string, ModelProperty>;
  readonly description?: string | undefined;
  readonly longDescription?: string | undefined;
}

/** An enumeration type. Its values are member names, or comma-separated lists of them if `isFlags`. */
export interface EnumType {
  readonly kind: "EnumType";
  readonly name: string;
  readonly qualifiedName: string;
  readonly isFlags: boolean;
  /** Whether clients see Edm.String with the names as allowed values, by which values are sorted and compared; absent: no. */
  readonly isText?: boolean | undefined;
  /** Member name to numeric value, in order of declaration. */
  readonly members: ReadonlyMap<string, number>;
  /** The texts of members by name; absent if no member has one. */
  readonly memberDescriptions?: ReadonlyMap<string, string> | undefined;
  readonly description?: string | undefined;
  readonly longDescription?: string | undefined;
}

/** The type of a value other than an entity. */
export type ValueType = PrimitiveType | EnumType | ComplexType;

/** A property of a structured type. */
export type ModelProperty = StructuralProperty | NavigationProperty;

/** A structural property. */
export interface StructuralProperty {
  readonly kind: "StructuralProperty";
  /** Name on the wire, in URLs and in $metadata. */
  readonly name: string;
  /** Key in the application's objects. */
  readonly field: string;
  /** Type of the value, or of each item when `isCollection`. */
  readonly type: ValueType;
  readonly isCollection: boolean;
  /** Whether the value may be null; for a collection, whether its items may. */
  readonly nullable: boolean;
  readonly isKey: boolean;
  /** Whether clients send no value, because the database, a handler or the option `set` supplies it. */
  readonly computed: boolean;
  /** Whether the option `set` supplies the value, so that it is known before the write; absent: false. */
  readonly serverSet?: boolean | undefined;
  readonly immutable: boolean;
  readonly facets: Facets;
  /** Whether the database supplies the value of a new entity that lacks it; absent: false. */
  readonly databaseDefault?: boolean | undefined;
  /** Whether entities of the derived types that declare it always have a value; other entities have none. Absent: no. */
  readonly requiredByType?: boolean | undefined;
  /** The media type of its bytes; absent: none is declared. */
  readonly mediaType?: MediaType | undefined;
  /** The stream that it stands for: its type is that of the stored reference; absent: it is no stream. */
  readonly stream?: StreamTraits | undefined;
  /** Whether responses contain it only if `$select` names it; absent: false. */
  readonly onlyIfSelected?: boolean | undefined;
  /** The declared default, in canonical form; undefined when none is declared. */
  readonly defaultValue?: unknown;
  readonly description?: string | undefined;
  readonly longDescription?: string | undefined;
  /** Position among the properties of its type. */
  readonly index: number;
  /** How a function of the application makes the values that responses show; absent: they show those of the entity. */
  readonly virtual?: VirtualValues | undefined;
}

/** The values of a property that a function of the application makes for each response. */
export interface VirtualValues {
  /** The fields that the function needs, ignored ones included. */
  readonly needs: readonly string[];
  /** Whether entities have a value of their own, which clients may write and do not see. */
  readonly isMask: boolean;
}

/** The media type of bytes: a constant, or the value of another property. */
export type MediaType =
  | { readonly kind: "constant"; readonly type: string }
  | {
      readonly kind: "stored";
      /** A property of the same type. */
      readonly property: StructuralProperty;
      /** The types that clients may send, in lower case; null: all. */
      readonly accepts: readonly string[] | null;
    };

/** A navigation property. */
export interface NavigationProperty {
  readonly kind: "NavigationProperty";
  readonly name: string;
  readonly field: string;
  readonly entityType: EntityType;
  readonly isCollection: boolean;
  /** For a single-valued navigation property: whether the related entity may be missing. */
  readonly nullable: boolean;
  readonly partner?: string | undefined;
  /** The declared navigation property whose entities this one leads to, under a name of the client; absent: it is declared. */
  readonly origin?: NavigationProperty | undefined;
  readonly referentialConstraints: readonly ReferentialConstraint[];
  readonly description?: string | undefined;
  readonly longDescription?: string | undefined;
}

/** A dependent property and the principal property whose value it repeats. */
export interface ReferentialConstraint {
  readonly property: StructuralProperty;
  readonly referencedProperty: StructuralProperty;
}

/** A function or action. */
export interface Operation {
  readonly kind: "Function" | "Action";
  readonly name: string;
  readonly qualifiedName: string;
  /** The binding to one entity or to a collection; absent for an unbound operation. */
  readonly binding?:
    | { readonly entityType: EntityType; readonly isCollection: boolean; readonly entitySet: string }
    | undefined;
  readonly description?: string | undefined;
  readonly longDescription?: string | undefined;
  /** Without the binding parameter. */
  readonly parameters: readonly OperationParameter[];
  readonly returnType?: ReturnType | undefined;
  readonly isComposable: boolean;
}

/** A parameter of a function or action. */
export interface OperationParameter {
  readonly name: string;
  readonly type: ValueType;
  readonly isCollection: boolean;
  readonly nullable: boolean;
  readonly facets: Facets;
  readonly description?: string | undefined;
  readonly longDescription?: string | undefined;
  /** The declared default, in canonical form; undefined when the parameter is required. */
  readonly defaultValue?: unknown;
}

/** The return type of an operation. */
export interface ReturnType {
  readonly type: ValueType | EntityType;
  readonly isCollection: boolean;
  readonly nullable: boolean;
  readonly facets: Facets;
}

/** A function or action import: an unbound operation in the container. */
export interface OperationImport {
  readonly kind: "FunctionImport" | "ActionImport";
  readonly name: string;
  readonly operation: Operation;
}

/**
 * Lists the operation imports of the service document.
 * @param listsEveryImport whether actions and functions with parameters are listed, instead of only functions without
 *   parameters
 * @see OData Protocol 4.0, section 11.1.1; OData CSDL 4.0, section 13.6
 */
export function listedImports(
  { functionImports, actionImports }: EntityContainer,
  listsEveryImport: boolean,
): readonly OperationImport[] {
  if (listsEveryImport) return [...functionImports.values(), ...actionImports.values()];
  return [...functionImports.values()].filter(({ operation }) => operation.parameters.length === 0);
}
