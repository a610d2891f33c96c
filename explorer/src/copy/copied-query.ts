import { toRequestTarget } from "../query/option-text.ts";

/** The query that a snippet repeats. */
export interface CopiedQuery {
  /** The absolute URL of the service. */
  readonly root: string;
  readonly path: string;
  readonly options: ReadonlyMap<string, string>;
  /** Of the request, its credentials included: snippets have placeholders instead of these. */
  readonly headers: Readonly<Record<string, string>>;
}

/** Headers without secrets. The value of every other header becomes a placeholder. */
const PUBLIC_HEADERS: ReadonlySet<string> = new Set([
  "accept",
  "accept-language",
  "content-type",
  "if-match",
  "if-none-match",
  "odata-maxversion",
  "odata-version",
  "prefer",
]);

/** Returns the absolute URL of a query. */
export function copiedUrl({ root, path, options }: CopiedQuery): string {
  return serviceRoot(root) + toRequestTarget({ path, options });
}

/** Returns the URL of the service with a slash at its end. */
export function serviceRoot(root: string): string {
  return root.endsWith("/") ? root : `${root}/`;
}

/** Returns the headers of a query, with placeholders for credentials. */
export function copiedHeaders({ headers }: CopiedQuery): readonly (readonly [name: string, value: string])[] {
  return Object.entries(headers).map(([name, value]) => {
    if (PUBLIC_HEADERS.has(name.toLowerCase())) return [name, value.replaceAll(/[\r\n]+/gu, " ")];
    const [, scheme] = name.toLowerCase() === "authorization" ? (/^(\w+) /u.exec(value) ?? []) : [];
    return [name, scheme === undefined ? "YOUR_SECRET" : `${scheme} YOUR_SECRET`];
  });
}

/** Returns whether a query reads a text, such as a number of entities, instead of JSON. */
export function readsText({ path }: CopiedQuery): boolean {
  return /\/\$(?:count|value)$/u.test(path);
}
