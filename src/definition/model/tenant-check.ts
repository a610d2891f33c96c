import type { SchemaFinding } from "../../base/errors/schema-finding.ts";
import type { Maybe } from "../../base/maybe.ts";
import type { RuleContext } from "../context.ts";

/** The database of a tenant, and its comparison with the declarations of a service. */
export interface TenantCheck {
  /** The name of the tenant. */
  readonly id: string;
  /** Identifies the database. */
  readonly database: object;
  /** Identifies the function that found it. Each function has its own sets. */
  readonly home: object;
  /** Returns the names of the sets over it. */
  readonly sets: () => readonly string[];
  readonly run: () => Maybe<readonly SchemaFinding[]>;
}

/**
 * Compares the database of a tenant with the declarations of a service, before its first use.
 * @throws ODataError for this tenant alone: 500 for a difference, `ServiceUnavailable` without a connection
 */
export type AdmitTenant = (tenant: TenantCheck, context: Pick<RuleContext, "request">) => Maybe<undefined>;
