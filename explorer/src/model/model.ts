/** What the page knows about a service: its `$metadata`, with all names resolved. */
export interface Model {
  readonly namespace: string;
  /** The name that a reader sees: the annotation of the container, otherwise the namespace. */
  readonly title: string;
  readonly description: string | null;
  readonly sets: ReadonlyMap<string, EntitySet>;
  /** Entity types and complex types by qualified name. */
  readonly types: ReadonlyMap<string, StructuredType>;
  /** Enumeration types by qualified name. */
  readonly enums: ReadonlyMap<string, EnumType>;
  readonly operations: readonly Operation[];
}

/** An entity set. */
export interface EntitySet {
  readonly name: string;
  readonly type: StructuredType;
  /** The description of the set, otherwise of its type. */
  readonly description: string | null;
  /** The sets to which navigation properties lead, by the path of the navigation. */
  readonly bindings: ReadonlyMap<string, string>;
  readonly abilities: SetAbilities;
}

/** An entity type or complex type, with the members that it inherits. */
export interface StructuredType {
  readonly kind: "entity" | "complex";
  readonly name: string;
  readonly qualifiedName: string;
  readonly base: StructuredType | null;
  readonly key: readonly Property[];
  readonly properties: ReadonlyMap<string, Property>;
  readonly navigations: ReadonlyMap<string, Navigation>;
  readonly description: string | null;
}

/** A structural property. */
export interface Property {
  readonly name: string;
  /** The name that an annotation gives for people. */
  readonly label: string | null;
  readonly type: PropertyType;
  readonly isCollection: boolean;
  readonly isNullable: boolean;
  readonly description: string | null;
  /** Whether only the service sets the value. */
  readonly computed: boolean;
  /** Whether the service sets the value that a new entity does not state. */
  readonly hasComputedDefault: boolean;
  /** Whether the value of an entity never changes. */
  readonly immutable: boolean;
  /** Whether `Core.Permissions` forbids to write the value. */
  readonly readOnly: boolean;
  readonly defaultValue: string | null;
  readonly maxLength: number | null;
  readonly isMultiLine: boolean;
  readonly mediaType: string | null;
}

/** The type of a property, or of the items of a collection. */
export type PropertyType =
  | { readonly kind: "primitive"; /** Such as `Edm.Int32`. */ readonly name: string }
  | { readonly kind: "enum"; readonly enum: EnumType }
  | { readonly kind: "complex"; readonly type: StructuredType };

/** An enumeration type. */
export interface EnumType {
  readonly name: string;
  readonly qualifiedName: string;
  readonly isFlags: boolean;
  readonly members: readonly EnumMember[];
}

/** A member of an enumeration type. */
export interface EnumMember {
  readonly name: string;
  readonly value: string;
  readonly description: string | null;
}

/** A navigation property. */
export interface Navigation {
  readonly name: string;
  readonly target: StructuredType;
  readonly isCollection: boolean;
  readonly isNullable: boolean;
  readonly partner: string | null;
  /** Own property → property of the target. */
  readonly constraints: ReadonlyMap<string, string>;
  readonly description: string | null;
}

/** What a set permits, as its annotations say. Names are those of properties, or paths such as `Location/Latitude`. */
export interface SetAbilities {
  readonly canReadByKey: boolean;
  readonly canCreate: boolean;
  readonly canUpdate: boolean;
  /** Whether updates are PUT instead of PATCH. */
  readonly updatesByPut: boolean;
  readonly canDelete: boolean;
  readonly canSelect: boolean;
  readonly canCount: boolean;
  readonly canTop: boolean;
  readonly canSkip: boolean;
  readonly canSearch: boolean;
  readonly canFilter: boolean;
  readonly canSort: boolean;
  readonly canExpand: boolean;
  readonly canApply: boolean;
  readonly canCompute: boolean;
  readonly filterable: (property: string) => boolean;
  readonly sortable: (property: string) => boolean;
  readonly expandable: (navigation: string) => boolean;
  /** Whether paths such as `Orders(1)/Items` lead along the navigation. */
  readonly navigable: (navigation: string) => boolean;
  readonly groupable: (path: string) => boolean;
  /** The methods that can aggregate the values of a path, such as `sum`; empty if none can. */
  readonly methodsOf: (path: string) => readonly string[];
}

/** An overload of a function or action. */
export interface Operation {
  readonly name: string;
  readonly qualifiedName: string;
  /** The name at the root of the service; null for bound operations. */
  readonly importName: string | null;
  readonly kind: "function" | "action";
  readonly boundTo: StructuredType | null;
  readonly boundToCollection: boolean;
  /** Without the binding parameter. */
  readonly parameters: readonly Parameter[];
  readonly result: OperationResult | null;
  /** The set of the entities that the operation returns. */
  readonly entitySet: string | null;
  readonly description: string | null;
}

/** A parameter of an operation. Entities are values of parameters, too. */
export interface Parameter extends Pick<
  Property,
  "name" | "label" | "type" | "isCollection" | "isNullable" | "defaultValue" | "description" | "maxLength"
> {
  readonly isOptional: boolean;
}

/** What an operation returns. An entity has the kind `complex` with an entity type. */
export type OperationResult = Pick<Property, "type" | "isCollection">;
