import { hasKind } from "../option-table.ts";
import type { EntitySetDeclaration } from "../sets/entity-set.ts";
import type { OperationDeclaration } from "../sets/operation.ts";
import type { SingletonDeclaration } from "../sets/singleton.ts";
import type { NavigationDeclaration } from "../types/navigation-declaration.ts";
import type {
  AnyProperty,
  ComplexTypeDeclaration,
  EntityCollection,
  EntityTypeDeclaration,
  EnumTypeDeclaration,
} from "../types/value-type.ts";
import type { ServiceRoute } from "./service-definition.ts";

/** Every declaration by its kind. */
interface Declarations {
  readonly Property: AnyProperty;
  readonly EntityTypeDeclaration: EntityTypeDeclaration;
  readonly ComplexTypeDeclaration: ComplexTypeDeclaration;
  readonly EnumTypeDeclaration: EnumTypeDeclaration;
  readonly EntityCollection: EntityCollection;
  readonly EntitySetDeclaration: EntitySetDeclaration;
  readonly SingletonDeclaration: SingletonDeclaration;
  readonly NavigationDeclaration: NavigationDeclaration;
  readonly OperationDeclaration: OperationDeclaration;
  readonly ServiceRoute: ServiceRoute;
}

/** Returns whether a value is a declaration of a kind, such as the result of `entityType`. */
export function isDeclaration<Kind extends keyof Declarations>(
  value: unknown,
  kind: Kind,
): value is Declarations[Kind] {
  return hasKind(value, kind);
}
