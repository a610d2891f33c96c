/** One request that could stop a server. */
export interface Attack {
  readonly name: string;
  readonly method?: "GET" | "POST" | "PUT" | "PATCH" | undefined;
  /** Not yet encoded. */
  readonly target: string;
  /** Made when it is sent, because bodies are long. */
  readonly body?: (() => string) | undefined;
  /** The bytes of the longest stored value that it reads; absent: at most 1 MiB. */
  readonly longest?: number | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** The status of a success, if it is not that of the method. */
  readonly status?: number | undefined;
  /** The status and code of a request that is always refused. */
  readonly refusal?: string | undefined;
}

const MEBIBYTE = 1 << 20;

/**
 * Returns how long a request may stop all others, in milliseconds: 50, and 10 more for each MiB of a body or value of more than
 * 1 MiB.
 * @param longest the bytes of the body, or of the longest value
 * @see docs/reference/limits.md
 */
export function pauseBudget(longest: number): number {
  return longest <= MEBIBYTE ? 50 : 50 + Math.round((10 * longest) / MEBIBYTE);
}

/** Joins made parts of an attack. */
export function many(count: number, make: (index: number) => string, separator: string): string {
  return Array.from({ length: count }, (_, index) => make(index)).join(separator);
}
