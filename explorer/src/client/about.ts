import { memberOf } from "./json-members.ts";
import type { ServiceClient } from "./service-client.ts";
import { NetworkError } from "./service-error.ts";

/** The number of rows of a set; `least`: there are more, which the database did not count. */
export interface RowEstimate {
  readonly count: number;
  readonly kind: "exact" | "estimate" | "least";
}

/** A finding of the check of the database. */
export type Warning = Readonly<Record<"code" | "place" | "message" | "fix", string>>;

/** The document of the route. */
interface Document {
  readonly title: string;
  readonly rows: Readonly<Record<string, RowEstimate>>;
  readonly warnings: readonly Warning[];
  /** Whether the statements of a request can be read. */
  readonly traces: boolean;
  /** Whether the service does not know the user. */
  readonly isAnonymous: boolean;
  /** Whether paths such as `Orders(1)/Items` accept `$expand`. */
  readonly expandsPaths?: boolean;
  /** What the user may not do, by the name of a set or an operation. */
  readonly access: Readonly<Record<string, object>>;
}

/** The facts of the route of the page about the service, besides `$metadata`. */
export interface About extends Omit<Document, "rows" | "access"> {
  readonly rows: ReadonlyMap<string, RowEstimate>;
  readonly access: ReadonlyMap<string, object>;
}

/** Reads the facts of the route of the page. @throws ServiceError, NetworkError */
export async function readAbout(client: ServiceClient, signal: AbortSignal): Promise<About> {
  const { body } = await client.get("explorer/about.json", { signal });
  if (!isDocument(body)) {
    throw new NetworkError("Something between the page and the service answers in place of the service.");
  }
  return { ...body, rows: new Map(Object.entries(body.rows)), access: new Map(Object.entries(body.access)) };
}

/** Returns the facts as long as they are unknown. */
export function withoutFacts(title: string): About {
  return { title, rows: new Map(), warnings: [], traces: false, isAnonymous: false, access: new Map() };
}

/** Tells the document from other answers. The page and its route are of one package, so that the rest is certain. */
function isDocument(body: unknown): body is Document {
  return typeof memberOf(body, "title") === "string" && typeof memberOf(body, "access") === "object";
}
