/** One request that could stop a server. */
export interface Attack {
  readonly name: string;
  readonly method?: "GET" | "POST" | "PUT" | "PATCH" | undefined;
  /** Not yet encoded. */
  readonly target: string;
  /** Made when it is sent, because bodies are long. */
  readonly body?: (() => string) | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** The status of a success, if it is not that of the method. */
  readonly status?: number | undefined;
  /** The status and code of a request that is always refused. */
  readonly refusal?: string | undefined;
}

/** Joins made parts of an attack. */
export function many(count: number, make: (index: number) => string, separator: string): string {
  return Array.from({ length: count }, (_, index) => make(index)).join(separator);
}
