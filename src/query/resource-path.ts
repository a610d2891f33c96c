import type { EntitySet, NavigationProperty, Operation, StructuralProperty } from "../edm/model.ts";

/**
 * What a resource path addresses, resolved by names alone. A key is the text between its parentheses, percent-decoded
 * and otherwise unread: it is bound only after the request is authorized.
 * @see OData URL Conventions 4.0, section 4; specification, Route table
 */
export type ResourcePath =
  | ServiceRootPath
  | MetadataPath
  | EntitySetPath
  | EntityPath
  | PropertyPath
  | NavigationPath
  | RelatedEntityPath
  | BoundOperationPath
  | OperationImportPath;

/** The root of the service: its service document. */
export interface ServiceRootPath {
  readonly kind: "serviceRoot";
}

/** `$metadata`. */
export interface MetadataPath {
  readonly kind: "metadata";
}

/** `Set` or `Set/$count`. */
export interface EntitySetPath {
  readonly kind: "entitySet" | "entitySetCount";
  readonly entitySet: EntitySet;
}

/** `Set(key)`. */
export interface EntityPath {
  readonly kind: "entity";
  readonly entitySet: EntitySet;
  readonly key: string;
}

/** `Set(key)/Property` or `Set(key)/Property/$value`. */
export interface PropertyPath {
  readonly kind: "property" | "propertyValue";
  readonly entitySet: EntitySet;
  readonly key: string;
  readonly property: StructuralProperty;
  /** Entity-bound operations of the same name, without `$value` behind it: another verb may mean one of them. */
  readonly operations: readonly Operation[];
}

/** `Set(key)/Nav`, `Set(key)/Nav/$count` or `Set(key)/Nav/$ref`. */
export interface NavigationPath {
  readonly kind: "navigation" | "navigationCount" | "reference";
  readonly entitySet: EntitySet;
  readonly key: string;
  readonly navigationProperty: NavigationProperty;
  /** Entity-bound operations of the same name, for `Set(key)/Nav` alone: another verb may mean one of them. */
  readonly operations: readonly Operation[];
}

/** `Set(key)/Nav(key)`: one entity of a collection-valued navigation. */
export interface RelatedEntityPath {
  readonly kind: "relatedEntity";
  readonly entitySet: EntitySet;
  readonly key: string;
  readonly navigationProperty: NavigationProperty;
  readonly relatedKey: string;
}

/** `Set/Name`, `Set(key)/Name`, each with or without arguments in parentheses, and with or without the namespace. */
export interface BoundOperationPath {
  readonly kind: "boundOperation";
  readonly entitySet: EntitySet;
  /** Null for an operation on the collection. */
  readonly key: string | null;
  /** The operations of that name: a function, an action, or one of each; the verb decides. Never empty. */
  readonly operations: readonly Operation[];
  /** The text in the parentheses; null without them. */
  readonly arguments: string | null;
}

/** `Name` or `Name(arguments)`: an unbound operation. */
export interface OperationImportPath {
  readonly kind: "operationImport";
  /** As for a bound operation. */
  readonly operations: readonly Operation[];
  readonly arguments: string | null;
}
