import { useEffect, useMemo } from "preact/hooks";
import { memberOf } from "../../client/json-members.ts";
import type { ServiceClient } from "../../client/service-client.ts";
import { ServiceError } from "../../client/service-error.ts";
import { useLoaded } from "../../state/use-loaded.ts";
import type { Row } from "./column.ts";
import type { GridQuery } from "./grid-query.ts";
import { PAGE_SIZE, type Page, type PageSource, PagedRows } from "./paged-rows.ts";

/** What the rows of an answer are, and where the next ones are. */
export async function readPage(
  client: ServiceClient,
  target: string,
  signal: AbortSignal,
  pageSize = PAGE_SIZE,
): Promise<Page> {
  const { body } = await client.get(target, { signal, headers: { Prefer: `maxpagesize=${pageSize}` } });
  // A function may answer with a bare array.
  const value = Array.isArray(body) ? body : memberOf(body, "value");
  const link = memberOf(body, "@odata.nextLink") ?? memberOf(body, "@nextLink");
  const rows: readonly unknown[] = Array.isArray(value) ? value : [];
  return { rows: rows.filter(isRow), nextLink: typeof link === "string" ? link : null };
}

function isRow(value: unknown): value is Row {
  return typeof value === "object" && value !== null;
}

/** The rows of a query, and how many there are. */
export interface OpenRows {
  readonly rows: PagedRows;
  readonly isCounting: boolean;
  readonly askCount: () => void;
}

/** Opens the rows of a query for as long as a component shows them. */
export function useRows(client: ServiceClient, query: GridQuery): OpenRows {
  const { count, skipped } = query;
  const rows = useMemo(() => new PagedRows(sourceOf(client, query)), [query]);
  useEffect(() => {
    rows.need(0, 0);
    return () => rows.stop();
  }, [rows]);
  const { state, again } = useLoaded(`${count ?? ""} ${skipped}`, async (signal) => {
    if (count === null) return Number.NaN;
    const { body } = await client.get(count, { signal });
    return Number(memberOf(body, "@odata.count") ?? memberOf(body, "@count") ?? Number.NaN);
  });
  useEffect(() => {
    if (state.kind === "loaded" && !Number.isNaN(state.value)) rows.setTotal(Math.max(0, state.value - skipped));
  }, [rows, state]);
  return { rows, isCounting: state.kind === "loading", askCount: again };
}

/** A service that refuses the labels of foreign keys is asked without them from then on. */
function sourceOf(client: ServiceClient, { first, plain, skipTo }: GridQuery): PageSource {
  return {
    first,
    skipTo,
    read: async (target, signal) => {
      try {
        return await readPage(client, target, signal);
      } catch (error) {
        const isRefused = error instanceof ServiceError && (error.status === 403 || error.message.includes("$expand"));
        if (!isRefused || target !== first || plain === first) throw error;
        return readPage(client, plain, signal);
      }
    },
  };
}
