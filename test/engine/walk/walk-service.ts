import type { ODataService } from "odatakit";
import { readModel } from "./read-model.ts";
import { walkSet } from "./walk-set.ts";
import { Walk, type Findings, type Send } from "./walk.ts";

/** Numbers of rows by the names of sets, as the database counts them. */
export type Counts = Readonly<Record<string, number>>;

/**
 * Walks through each set of a service, from its metadata document alone, and checks each response: no status is 5xx, counts
 * agree, pages lose and repeat no entity, a shown value finds its entity, `$orderby` sorts, and navigations return the same
 * entities as expansions.
 */
export async function walkService(service: ODataService, root: string, counts: Counts = {}): Promise<Findings> {
  const send: Send = (path, pageSize) => {
    const preference = pageSize === undefined ? {} : { Prefer: `odata.maxpagesize=${String(pageSize)}` };
    const headers = { Accept: "application/json;IEEE754Compatible=true", ...preference };
    return service.fetch(new Request(new URL(path, root), { headers }));
  };
  const walk = new Walk(send);
  const xml = await service.fetch(new Request(new URL("$metadata", root)));
  for (const set of readModel(await xml.text())) await walkSet(walk, set, counts[set.name]);
  return walk.findings;
}
