import { itemsIn, memberOf, textIn } from "./json-members.ts";
import type { ServiceClient } from "./service-client.ts";
import { ServiceError } from "./service-error.ts";

/** What the route of the page says about the service, beside `$metadata`. */
export interface About {
  readonly title: string | null;
  readonly rows: ReadonlyMap<string, RowEstimate>;
  readonly warnings: readonly Warning[];
  /** Whether the statements of a request can be read. */
  readonly traces: boolean;
  /** Where files that open Excel and Power BI are; null if the service writes none. */
  readonly connectionFiles: { readonly excel: string; readonly powerBi: string } | null;
}

/** How many rows a set has. */
export interface RowEstimate {
  readonly count: number;
  /** `least`: there are more, and nobody counted them. */
  readonly kind: "exact" | "estimate" | "least";
}

/** A finding of the check of the database. */
export interface Warning {
  readonly code: string;
  readonly place: string;
  readonly message: string;
  readonly fix: string;
}

/**
 * Reads what the route of the page says. A service may leave it out: then nothing of it is known.
 * @throws ServiceError, NetworkError
 */
export async function readAbout(client: ServiceClient, signal: AbortSignal): Promise<About> {
  try {
    const { body } = await client.get("explorer/about.json", { signal, accept: "application/json" });
    return toAbout(body);
  } catch (error) {
    if (error instanceof ServiceError && error.status === 404) return toAbout(null);
    throw error;
  }
}

const KINDS = ["exact", "estimate", "least"] as const;

/** Reads the document. What it does not state is unknown. */
export function toAbout(body: unknown): About {
  const files = memberOf(body, "connectionFiles");
  const [excel, powerBi] = [textIn(files, "excel"), textIn(files, "powerBi")];
  return {
    title: textIn(body, "title"),
    rows: new Map(
      Object.entries(memberOf(body, "rows") ?? {}).flatMap(([set, row]: [string, unknown]) => {
        const count = memberOf(row, "count");
        const kind = KINDS.find((each) => each === memberOf(row, "kind"));
        return typeof count === "number" && kind !== undefined ? [[set, { count, kind }]] : [];
      }),
    ),
    warnings: itemsIn(body, "warnings").map((warning) => ({
      code: textIn(warning, "code") ?? "",
      place: textIn(warning, "place") ?? "",
      message: textIn(warning, "message") ?? "",
      fix: textIn(warning, "fix") ?? "",
    })),
    traces: memberOf(body, "traces") === true,
    connectionFiles: excel === null || powerBi === null ? null : { excel, powerBi },
  };
}
