import type { ODataService } from "odatakit";
import { readModel } from "./read-model.ts";
import { walkSet } from "./walk-set.ts";
import { Walk, type Findings, type Send } from "./walk.ts";

/** Numbers of rows by the names of sets, as the database counts them. */
export type Counts = Readonly<Record<string, number>>;

/**
 * Walks through each set of a service, from its metadata document alone, and judges each answer: no status is a server error,
 * counts agree, pages lose and repeat nothing, what a response shows finds its entity, orders are orders, and navigations
 * lead where expansions do.
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
