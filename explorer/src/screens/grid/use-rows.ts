import { useEffect, useMemo, useState } from "preact/hooks";
import { memberOf } from "../../client/json-members.ts";
import type { ServiceClient } from "../../client/service-client.ts";
import { ServiceError, isAbort } from "../../client/service-error.ts";
import type { Row } from "./column.ts";
import type { GridQuery } from "./grid-query.ts";
import { PAGE_SIZE, type Page, PagedRows } from "./paged-rows.ts";

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

/** The number of all rows: null while nobody asked. */
export type Count = { readonly kind: "asking" | "unknown" } | { readonly kind: "known"; readonly count: number };

/** The rows of a query, and how many there are. */
export interface OpenRows {
  readonly rows: PagedRows;
  readonly count: Count;
  readonly askCount: () => void;
}

/** Opens the rows of a query for as long as a component shows them. */
export function useRows(client: ServiceClient, query: GridQuery): OpenRows {
  const rows = useMemo(() => new PagedRows(sourceOf(client, query)), [query]);
  const [round, setRound] = useState(0);
  const [count, setCount] = useState<Count>({ kind: query.count === null ? "unknown" : "asking" });
  useEffect(() => {
    rows.need(0, 0);
    return () => rows.stop();
  }, [rows]);
  useEffect(() => {
    if (query.count === null) return undefined;
    const controller = new AbortController();
    setCount({ kind: "asking" });
    client.get(query.count, { signal: controller.signal }).then(
      ({ body }) => {
        const found = Number(memberOf(body, "@odata.count") ?? memberOf(body, "@count") ?? Number.NaN);
        if (controller.signal.aborted) return;
        setCount(Number.isNaN(found) ? { kind: "unknown" } : { kind: "known", count: found });
        if (!Number.isNaN(found)) rows.setTotal(Math.max(0, found - query.skipped));
      },
      (error: unknown) => {
        if (!isAbort(error)) setCount({ kind: "unknown" });
      },
    );
    return () => controller.abort();
  }, [rows, round]);
  return {
    rows,
    count,
    askCount: () => setRound(round + 1),
  };
}

/** A service that refuses the labels of foreign keys is asked without them from then on. */
function sourceOf(
  client: ServiceClient,
  { first, plain, skipTo }: GridQuery,
): ConstructorParameters<typeof PagedRows>[0] {
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
