import { protocolError } from "../../base/errors/odata-error.ts";
import { mergeVary, readHeaderParameter, splitHeaderList } from "../../http/headers.ts";
import type { ODataRequest } from "../../http/odata-request.ts";
import type { ODataResponse } from "../../http/odata-response.ts";
import type { Coder, SentResponse } from "./node-response.ts";

/** How `serve` compresses responses. @see docs/guides/production.md, Compression */
export interface CompressionOptions {
  /** The fewest bytes of a body that is compressed; 1024 if absent. Longer bodies of unknown length always are. */
  readonly threshold?: number | undefined;
  /** Whether responses to requests with credentials of the browser are compressed, too; false if absent. */
  readonly credentials?: boolean | undefined;
}

/** The resolved options of `compression`. */
export type CompressionSettings = Readonly<Record<"threshold", number> & Record<"credentials", boolean>>;

/** The codings of a response. `identity` is none. @see RFC 9110, section 8.4.1 */
type ContentCoding = "zstd" | "br" | "gzip" | "identity";

/** The coding of a response, and whether it must be used. */
interface ChosenCoding {
  readonly coding: ContentCoding;
  /** Whether the client refuses a response without coding, however short it is. */
  readonly isRequired: boolean;
}

type RealCoding = Exclude<ContentCoding, "identity">;

/** How one coding compresses a whole body, and a stream. */
interface Codec {
  readonly whole: (bytes: Uint8Array) => Promise<Uint8Array>;
  readonly stream: () => Coder;
}

/** Fast settings: a response is compressed once and read once. */
const GZIP = { level: 5 };
const BROTLI_QUALITY = 4;
/** The window bounds the memory of each response. */
const BROTLI_WINDOW = 19;

/** Returns the codings of this version of Node.js, the best first: zstd needs Node.js 22.15. */
function availableCodecs(): ReadonlyMap<RealCoding, Codec> {
  // @see docs/decisions/0037-fast-start.md
  const zlib = process.getBuiltinModule("node:zlib");
  const { promisify } = process.getBuiltinModule("node:util");
  const { BROTLI_PARAM_QUALITY: quality, BROTLI_PARAM_LGWIN: window } = zlib.constants;
  const options = { params: { [quality]: BROTLI_QUALITY, [window]: BROTLI_WINDOW } };
  const codecs = new Map<RealCoding, Codec>();
  if (typeof zlib.zstdCompress === "function") {
    codecs.set("zstd", { whole: promisify(zlib.zstdCompress), stream: () => zlib.createZstdCompress() });
  }
  const brotli = promisify(zlib.brotliCompress) as (bytes: Uint8Array, settings: typeof options) => Promise<Uint8Array>;
  const gzip = promisify(zlib.gzip) as (bytes: Uint8Array, options: typeof GZIP) => Promise<Uint8Array>;
  codecs.set("br", { whole: (bytes) => brotli(bytes, options), stream: () => zlib.createBrotliCompress(options) });
  codecs.set("gzip", { whole: (bytes) => gzip(bytes, GZIP), stream: () => zlib.createGzip(GZIP) });
  return codecs;
}

/** Types whose bytes become fewer. Raw binary values are mostly compressed already. */
const COMPRESSIBLE = /^(?:text\/|multipart\/mixed|application\/(?:json|xml|javascript|problem\+json)|image\/svg)/i;

/** Schemes whose credentials a browser sends by itself, also for pages of others. */
const AMBIENT = /^\s*(?:basic|digest|negotiate|ntlm)\b/i;

/** Compresses responses as their requests allow. */
export class Compression {
  readonly #settings: CompressionSettings;
  readonly #codecs: ReadonlyMap<RealCoding, Codec> = availableCodecs();

  constructor(settings: CompressionSettings) {
    this.#settings = settings;
  }

  /**
   * Chooses the coding of the response to a request, before the request is executed.
   * @throws ODataError `NotAcceptable` if the client refuses every form of a response
   */
  choose(request: ODataRequest): ChosenCoding {
    const mayCompress = this.#settings.credentials || !hasAmbientCredentials(request);
    const available = mayCompress ? [...this.#codecs.keys()] : [];
    const chosen = chooseCoding(request.header("accept-encoding"), available);
    if (chosen !== null) return chosen;
    const message = `Accept-Encoding excludes all available codings: ${[...available, "identity"].join(", ")}.`;
    throw protocolError("NotAcceptable", message, { target: "Accept-Encoding" });
  }

  /** Compresses a response. */
  apply({ coding, isRequired }: ChosenCoding, response: ODataResponse): SentResponse | Promise<SentResponse> {
    const { status, headers, body } = response;
    if (!variesByCoding(response)) return response;
    const varied = { ...headers, Vary: mergeVary(headers["Vary"] ?? "", "Accept-Encoding") };
    const codec = coding === "identity" ? undefined : this.#codecs.get(coding);
    if (codec === undefined) return { status, headers: varied, body };
    if (body === null) return { status, headers: this.#withoutBody(status, varied, { coding, isRequired }), body };
    const coded = { ...withWeakETag(varied), "Content-Encoding": coding };
    if (typeof body !== "string" && !(body instanceof Uint8Array)) {
      return { status, headers: coded, body, coder: codec.stream };
    }
    const bytes = typeof body === "string" ? Buffer.from(body) : body;
    if (this.#isShort(bytes.byteLength, isRequired) || status === 413) return { status, headers: varied, body };
    return codec.whole(bytes).then((compressed) => ({ status, headers: coded, body: compressed }));
  }

  #isShort(length: number, isRequired: boolean): boolean {
    return length < this.#settings.threshold && !isRequired;
  }

  /**
   * Returns the headers of a response to HEAD, or of a 304: those of the response to GET. Its length is unknown, because
   * nothing is compressed.
   * @see RFC 9110, sections 8.6 and 9.3.2
   */
  #withoutBody(
    status: number,
    headers: ODataResponse["headers"],
    { coding, isRequired }: ChosenCoding,
  ): ODataResponse["headers"] {
    if (status === 304) return withWeakETag(headers);
    const { "Content-Length": length, ...others } = headers;
    if (length !== undefined && this.#isShort(Number(length), isRequired)) return headers;
    return { ...withWeakETag(others), "Content-Encoding": coding };
  }
}

/** Returns whether a page of others could make a browser send a request as its user. @see docs/guides/production.md */
function hasAmbientCredentials(request: ODataRequest): boolean {
  return request.header("cookie") !== undefined || AMBIENT.test(request.header("authorization") ?? "");
}

/** Returns whether a response depends on Accept-Encoding. A 304 has the headers of the response that it confirms. */
function variesByCoding({ status, headers }: ODataResponse): boolean {
  // Ranges and ETags of streams are those of the stored bytes.
  if (headers["Content-Encoding"] !== undefined || headers["Accept-Ranges"] !== undefined) return false;
  return status === 304 || COMPRESSIBLE.test(headers["Content-Type"] ?? "");
}

/**
 * Makes the ETag weak: it names the entity, and not these bytes. The service compares entity tags without `W/`, so clients
 * can send it back in If-Match and If-None-Match.
 * @see RFC 9110, sections 8.8.3.3 and 13.1.2
 */
function withWeakETag(headers: ODataResponse["headers"]): Record<string, string> {
  const { ETag: etag } = headers;
  return { ...headers, ...(etag?.startsWith('"') === true ? { ETag: `W/${etag}` } : {}) };
}

/** More codings than any client sends. The rest is ignored, to bound the work. */
const MAX_CODINGS = 32;
const QUALITY = /^(?:0(?:\.\d{0,3})?|1(?:\.0{0,3})?)$/;

/**
 * Chooses the coding of a response: the one with the highest quality, and of several the first available. Without the
 * header, no coding. A coding without `q` is better than none.
 * @param available the codings of the server without `identity`, the best first
 * @returns null if the client accepts none of them, and refuses a response without coding
 * @see RFC 9110, section 12.5.3
 */
export function chooseCoding(header: string | undefined, available: readonly ContentCoding[]): ChosenCoding | null {
  if (header === undefined) return { coding: "identity", isRequired: false };
  const stated = readQualities(header);
  const others = stated.get("*");
  const identity = stated.get("identity") ?? others;
  const isRequired = identity === 0;
  let best: ContentCoding = "identity";
  // Without a statement, identity is acceptable, but worse than every coding that the client names.
  let quality = identity ?? 0;
  for (const coding of available) {
    const each = stated.get(coding) ?? others ?? 0;
    if (each > quality || (each > 0 && each === quality && best === "identity")) [best, quality] = [coding, each];
  }
  return best === "identity" && isRequired ? null : { coding: best, isRequired };
}

/** Returns the qualities of the codings of a header, by name. The names of RFC 1952 and HTTP/1.0 mean the same. */
function readQualities(header: string): ReadonlyMap<string, number> {
  const qualities = new Map<string, number>();
  for (const item of splitHeaderList(header).slice(0, MAX_CODINGS)) {
    const [name = "", ...parameters] = splitHeaderList(item, ";");
    const coding = name.toLowerCase();
    const { value = "1" } = parameters.map(readHeaderParameter).find((each) => each.name === "q") ?? {};
    if (QUALITY.test(value)) qualities.set(coding === "x-gzip" ? "gzip" : coding, Number(value));
  }
  return qualities;
}
