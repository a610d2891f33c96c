import type { Facets, PrimitiveType } from "./primitive-type.ts";

/**
 * The resolved entity data model of one registration: deep-frozen after startup. Every element carries both of
 * its names: `name` as on the wire and in $metadata, `field` as the key of the application's JavaScript objects.
 * @see OData CSDL 4.0
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
}

/** The container of a model. */
export interface EntityContainer {
  readonly kind: "EntityContainer";
  readonly name: string;
  /** By name. */
  readonly entitySets: ReadonlyMap<string, EntitySet>;
  readonly functionImports: ReadonlyMap<string, OperationImport>;
  readonly actionImports: ReadonlyMap<string, OperationImport>;
}

/** An entity set of the container. */
export interface EntitySet {
  readonly kind: "EntitySet";
  readonly name: string;
  readonly entityType: EntityType;
  /** The navigation properties that this set declares (a type may have more, from another set), by wire name. */
  readonly navigationProperties: ReadonlyMap<string, NavigationProperty>;
  /** Navigation property (wire name) to the name of its declared target set. */
  readonly navigationPropertyBindings: ReadonlyMap<string, string>;
  /** How the related entities are found, by wire name of the navigation property; none where nothing is declared. */
  readonly navigationJoins: ReadonlyMap<string, NavigationJoin>;
  /** The keys of properties that the database of the set cannot compare; absent: none. */
  readonly uncomparable?: ReadonlySet<string> | undefined;
  /** The properties whose values make the ETag, empty when there is none. */
  readonly etag: readonly StructuralProperty[];
}

/** How two entities are told to be related: by values of theirs, or by a table of links between them. */
export type NavigationJoin = DirectJoin | LinkJoin;

/** Related entities have equal values; null equals nothing. Never without a pair. */
export interface DirectJoin {
  readonly kind: "direct";
  readonly pairs: readonly JoinPair[];
}

/** A property of this type, and the property of the related type that has the same value. Both may be ignored ones. */
export interface JoinPair {
  readonly property: StructuralProperty;
  readonly related: StructuralProperty;
}

/** Related entities are named together in a row of a table of links. */
export interface LinkJoin {
  readonly kind: "link";
  readonly table: string;
  /** Properties of this type, and the columns of the table that hold their values. Never empty. */
  readonly from: readonly LinkColumn[];
  /** Properties of the related type, and the columns of the table that hold their values. Never empty. */
  readonly to: readonly LinkColumn[];
}

/** A column of a table of links, and the property whose values it holds, which may be an ignored one. */
export interface LinkColumn {
  readonly property: StructuralProperty;
  readonly column: string;
  /** Whether it holds Guids in any letter case, as the column of its property does. */
  readonly isAnyCase?: true;
}

/** An entity type. */
export interface EntityType {
  readonly kind: "EntityType";
  readonly name: string;
  readonly qualifiedName: string;
  /** In order of declaration; ignored properties are not part of the model. */
  readonly properties: readonly StructuralProperty[];
  readonly key: readonly StructuralProperty[];
  /** Ignored properties, in order of declaration: executors may join by them; no client can name them. */
  readonly ignoredProperties: readonly StructuralProperty[];
  /** The union of what the sets of this type declare. */
  readonly navigationProperties: readonly NavigationProperty[];
  /** Structural and navigation properties by wire name. */
  readonly members: ReadonlyMap<string, Property>;
  /** Structural and navigation properties by lower-cased wire name. */
  readonly membersIgnoringCase: ReadonlyMap<string, Property>;
  readonly description?: string | undefined;
}

/** A complex type. */
export interface ComplexType {
  readonly kind: "ComplexType";
  readonly name: string;
  readonly qualifiedName: string;
  readonly properties: readonly StructuralProperty[];
  readonly members: ReadonlyMap<string, Property>;
  readonly membersIgnoringCase: ReadonlyMap<string, Property>;
  readonly description?: string | undefined;
}

/** An enumeration type; its values are member names, comma-separated where `isFlags`. */
export interface EnumType {
  readonly kind: "EnumType";
  readonly name: string;
  readonly qualifiedName: string;
  readonly isFlags: boolean;
  /** Member name to numeric value, in order of declaration. */
  readonly members: ReadonlyMap<string, number>;
  readonly description?: string | undefined;
}

/** The type of one value: not a collection, not an entity. */
export type ValueType = PrimitiveType | EnumType | ComplexType;

/** A property of a structured type. */
export type Property = StructuralProperty | NavigationProperty;

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
  readonly computed: boolean;
  readonly immutable: boolean;
  readonly facets: Facets;
  /** The declared default, in canonical form; undefined when none is declared. */
  readonly defaultValue?: unknown;
  readonly description?: string | undefined;
  /** Position among the properties of its type. */
  readonly index: number;
}

/** A navigation property. */
export interface NavigationProperty {
  readonly kind: "NavigationProperty";
  readonly name: string;
  readonly field: string;
  readonly entityType: EntityType;
  readonly isCollection: boolean;
  /** For a single-valued one: whether there may be no related entity. */
  readonly nullable: boolean;
  readonly partner?: string | undefined;
  readonly referentialConstraints: readonly ReferentialConstraint[];
  readonly description?: string | undefined;
}

/** A dependent property and the principal property that it repeats. */
export interface ReferentialConstraint {
  readonly property: StructuralProperty;
  readonly referencedProperty: StructuralProperty;
}

/** A function or action. */
export interface Operation {
  readonly kind: "Function" | "Action";
  readonly name: string;
  readonly qualifiedName: string;
  /** The binding: to one entity of a type, to a collection of them, or none. */
  readonly binding?:
    | { readonly entityType: EntityType; readonly isCollection: boolean; readonly entitySet: string }
    | undefined;
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
  /** The declared default, in canonical form; undefined when the parameter is required. */
  readonly defaultValue?: unknown;
}

/** What an operation returns. */
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
