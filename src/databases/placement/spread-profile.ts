import type { Database } from "../forms/database.ts";
import type { DialectCapabilities } from "../forms/dialect-capabilities.ts";

/** The capabilities of databases distributed over machines, such as Citus, where each part of a statement queries them all. */
const SPREAD_CAPABILITIES: DialectCapabilities = Object.freeze<DialectCapabilities>({
  topPerParent: "window",
  correlatedSubqueries: false,
  listsWhole: false,
  searchesLists: false,
  excludedRows: "sent",
  countsWithPage: false,
  joins: false,
  bindsKeys: true,
  returnsAnything: false,
  readsInWrites: false,
  locksByCondition: false,
});

/** Returns the profile of a database whose rows are distributed over machines. */
export function spreadProfile(profile: Database): Database {
  return Object.freeze<Database>({
    ...profile,
    ...profile.whenSpread,
    capabilities: SPREAD_CAPABILITIES,
    whenScanning: undefined,
  });
}
