/**
 * A request as the service reads it. Adapters create it without copying more than necessary, and parse nothing.
 */
export interface ODataRequest {
  /** Upper-case HTTP method. */
  readonly method: string;
  /** The raw path and query as on the request line, such as `/odata/Orders(1)?$select=Id`; never percent-decoded. */
  readonly target: string;
  /** Scheme of the connection: `http` or `https`. */
  readonly scheme: string;
  /** The Host header or `:authority`; empty if absent. */
  readonly host: string;
  /**
   * The path below which the host has mounted the service, such as `/api`: URLs of responses begin with it, and `target` is
   * without it. Starts with a slash and does not end with one; empty or absent for none.
   */
  readonly mountPath?: string;
  /** The address at the other end of the connection; absent if the adapter does not know it. */
  readonly remoteAddress?: string | undefined;
  /** The request as the host knows it, for `ctx.host`; undefined if the adapter has none. */
  readonly hostRequest?: unknown;
  /** Returns the value of a header by its lower-case name. Repeated headers are joined by `, `. */
  header(name: string): string | undefined;
  /** All headers, created on first use. */
  readonly headers: Headers;
  /** Aborted when the client disconnects. Created on first use. */
  readonly signal: AbortSignal;
  /** Whether the client has disconnected, if that is known without the signal, which is expensive to create. */
  readonly isAborted?: boolean;
  /** Whether the headers announce a body. It may still be empty. */
  readonly hasBody: boolean;
  /**
   * Reads the body, once.
   * @param maxBytes the most bytes to accept; null for no limit
   * @returns the bytes, or a promise if they have not all arrived
   * @throws ODataError `PayloadTooLarge` at the first byte above the limit; `InvalidBody` if the body is cut off; Error if
   * other code has already read the body
   */
  readBody(maxBytes: number | null): Uint8Array | Promise<Uint8Array>;
  /**
   * Returns the body as a stream, which is read as fast as its reader takes it, in place of `readBody`. Absent: the body is whole
   * already. It fails with `InvalidBody` if the body is cut off.
   * @throws Error if other code has already read the body
   */
  streamBody?(): ReadableStream<Uint8Array>;
}
