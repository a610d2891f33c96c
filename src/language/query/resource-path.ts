import type { EntitySet, NavigationProperty, Operation, Singleton, StructuralProperty } from "../../edm/model.ts";

/**
 * A resource path, resolved by its names. A key is the percent-decoded text between its parentheses: it is bound after the
 * request is authorized.
 * @see OData URL Conventions 4.0, section 4
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
interface ServiceRootPath {
  readonly kind: "serviceRoot";
}

/** `$metadata`. */
interface MetadataPath {
  readonly kind: "metadata";
}

/** `Set`, `Set/$count` or `Set/$ref`. */
interface EntitySetPath {
  readonly kind: "entitySet" | "entitySetCount" | "entitySetReferences";
  readonly entitySet: EntitySet;
}

/** The part of a path that leads to an entity: `Set(key)` or a singleton, and perhaps steps along navigations. */
export interface EntityAddress {
  readonly entitySet: EntitySet;
  /** Empty until the service has found it, at a singleton and behind a step. */
  readonly key: string;
  /** The singleton that is the whole address. */
  readonly singleton?: Singleton | undefined;
  /** The last step to the entity; absent for `Set(key)` and a singleton. */
  readonly step?: NavigationStep | undefined;
}

/** A step from one entity to another, which has its own set: `Nav` if it is single-valued, otherwise `Nav(key)`. */
export interface NavigationStep {
  readonly from: EntityAddress;
  readonly navigationProperty: NavigationProperty;
  /** The text in the parentheses; null for a single-valued navigation. */
  readonly relatedKey: string | null;
}

/** Returns the steps of a path, from the first one. */
export function stepsOf(path: ResourcePath): readonly NavigationStep[] {
  const steps: NavigationStep[] = [];
  let step = "step" in path ? path.step : undefined;
  for (; step !== undefined; { step } = step.from) steps.unshift(step);
  return steps;
}

/** A path to an entity or below it. */
export type AddressedPath = EntityPath | PropertyPath | NavigationPath | RelatedEntityPath | BoundOperationPath;

/** `Set(key)` or `Set(key)/$ref`. */
export interface EntityPath extends EntityAddress {
  readonly kind: "entity" | "entityReference";
}

/** `Set(key)/Property`, `Set(key)/Property/$value` or `Set(key)/Property/$count`, perhaps with a path into complex values. */
export interface PropertyPath extends EntityAddress {
  readonly kind: "property" | "propertyValue" | "propertyCount";
  /** The property of the entity. */
  readonly property: StructuralProperty;
  /** The path below it, through complex values to the addressed property; empty for the property of the entity. */
  readonly members: readonly StructuralProperty[];
  /** Entity-bound operations of the same name, unless a segment follows: another method may call one of them. */
  readonly operations: readonly Operation[];
}

/** `Set(key)/Nav`, `Set(key)/Nav/$count` or `Set(key)/Nav/$ref`. */
interface NavigationPath extends EntityAddress {
  readonly kind: "navigation" | "navigationCount" | "reference";
  readonly navigationProperty: NavigationProperty;
  /** Entity-bound operations of the same name, for `Set(key)/Nav` only: another method may call one of them. */
  readonly operations: readonly Operation[];
}

/** `Set(key)/Nav(key)`: one entity of a collection-valued navigation. */
interface RelatedEntityPath extends EntityAddress {
  readonly kind: "relatedEntity";
  readonly navigationProperty: NavigationProperty;
  readonly relatedKey: string;
}

/** `Set/Name` or `Set(key)/Name`, with or without arguments in parentheses, and with or without the namespace. */
interface BoundOperationPath {
  readonly kind: "boundOperation";
  readonly entitySet: EntitySet;
  /** As for an entity. */
  readonly singleton?: Singleton | undefined;
  /** As for an entity. */
  readonly step?: NavigationStep | undefined;
  /** Null for an operation that is bound to the collection. */
  readonly key: string | null;
  /** The operations of that name: a function, an action, or both; the method decides. Never empty. */
  readonly operations: readonly Operation[];
  /** The text in the parentheses; null without parentheses. */
  readonly arguments: string | null;
}

/** `Name` or `Name(arguments)`: an unbound operation. */
interface OperationImportPath {
  readonly kind: "operationImport";
  /** As for a bound operation. */
  readonly operations: readonly Operation[];
  readonly arguments: string | null;
}
