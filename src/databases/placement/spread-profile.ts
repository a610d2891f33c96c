import type { DialectCapabilities } from "../forms/dialect-capabilities.ts";
import type { DialectProfile } from "../forms/dialect-profile.ts";

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
export function spreadProfile(profile: DialectProfile): DialectProfile {
  return Object.freeze<DialectProfile>({
    ...profile,
    ...profile.whenSpread,
    capabilities: SPREAD_CAPABILITIES,
    whenScanning: undefined,
  });
}
