/**
 * A request as the service reads it: made by an adapter without copying more than it must. Nothing here is parsed.
 */
export interface ODataRequest {
  /** Upper-case HTTP method. */
  readonly method: string;
  /** The raw path and query as on the request line, such as `/odata/Orders(1)?$select=Id`; never percent-decoded. */
  readonly target: string;
  /** Scheme of the connection: `http` or `https`. */
  readonly scheme: string;
  /** The Host header (or `:authority`), empty when there is none. */
  readonly host: string;
  /** The value of a header by lower-case name; several of one name joined by `, `; undefined when absent. */
  header(name: string): string | undefined;
  /** All headers as Fetch `Headers`: made when first asked for. */
  readonly headers: Headers;
  /** Aborted when the client disconnects: made when first asked for. */
  readonly signal: AbortSignal;
  /** Whether the client has disconnected, where that is known without the signal, which is dear to make. */
  readonly isAborted?: boolean;
  /** Whether a body is announced, which may turn out to be empty. */
  readonly hasBody: boolean;
  /**
   * Reads the body, once.
   * @param maxBytes most bytes that are taken; null for no limit
   * @returns the bytes, none without a body: at once where all of them are there already, else a promise
   * @throws ODataError `PayloadTooLarge` with the first byte above the limit; `InvalidBody` when the body is cut off;
   * Error when something else has read the body before
   */
  readBody(maxBytes: number | null): Uint8Array | Promise<Uint8Array>;
}
