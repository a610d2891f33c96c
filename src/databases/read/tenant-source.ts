import type { RuleContext } from "../../definition/context.ts";
import type { EntitySource } from "../../definition/handlers.ts";
import type { EntityTypeDeclaration } from "../../definition/types/value-type.ts";
import type { QueryableSource } from "../../language/query/source.ts";
import { type FindTenant, Tenants } from "./tenants.ts";

/**
 * Makes a source that represents the sources in the databases of tenants. The service opens it where a handler returns it.
 * @param open returns the source in a database
 */
export function tenantSource(
  type: EntityTypeDeclaration,
  find: FindTenant,
  open: (of: { readonly db: unknown; readonly tenants: Tenants }) => QueryableSource,
): EntitySource {
  const tenants = Tenants.of(find);
  const openIn = (context: unknown): QueryableSource =>
    // The service passes the context of the handler that returned the source.
    open({ db: tenants.at(context as RuleContext).db, tenants });
  const read = (): never => {
    throw new Error(
      `sqlSource(${type.name}, …) with a database per tenant is read only by a service: return it from a handler.`,
    );
  };
  return Object.freeze({ kind: "EntitySource", entityType: type, read, openIn });
}
