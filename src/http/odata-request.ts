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
  /** The bytes of the body in chunks; null when there is none. */
  readonly body: AsyncIterable<Uint8Array> | null;
}
