import { memberOf, textIn } from "./json-members.ts";
import { NetworkError, ServiceError, isAbort, isRefused, messageOf } from "./service-error.ts";

/** Int64 and Decimal arrive as text, so that no digit is lost. */
const JSON_TYPE = "application/json;odata.metadata=minimal;IEEE754Compatible=true";

/** Says that there was no answer. */
export const SILENCE = "The service did not answer: is it running, and is the network there?";

/** Choices for one request. */
export interface RequestOptions {
  readonly signal?: AbortSignal;
  readonly headers?: Readonly<Record<string, string>>;
  /** The media type to ask for; JSON with exact numbers without it. */
  readonly accept?: string;
  /** Whether the body of the answer is wanted as a file: a `Blob`. */
  readonly isFile?: boolean;
}

/** Choices for all requests. */
interface ClientOptions {
  readonly onUnauthorized?: (message: string) => void;
  /** Called with the credentials of a request that the service answered without an error. */
  readonly onAccepted?: (credentials: Readonly<Record<string, string>>) => void;
  readonly withCookies?: boolean;
}

/** The answer of the service. */
export type Answer = Awaited<ReturnType<ServiceClient["send"]>>;

/** Sends requests below the root of one service. */
export class ServiceClient {
  /** Ends with a slash. */
  readonly root: string;
  readonly #credentials: () => Readonly<Record<string, string>>;
  readonly #options: ClientOptions;
  /** The root as the service knows it, which begins its links: through a proxy it may be another one. */
  #ownRoot: string | null = null;

  /** @param credentials returns the headers that identify the user */
  constructor(root: string, credentials: () => Readonly<Record<string, string>>, options: ClientOptions = {}) {
    this.root = root.endsWith("/") ? root : `${root}/`;
    this.#credentials = credentials;
    this.#options = options;
  }

  /** Reads a resource. @param path as `urlOf` takes it @throws as `send` */
  get(path: string, options: RequestOptions = {}): Promise<Answer> {
    return this.send("GET", path, undefined, options);
  }

  /** Reads the bytes of a stream. @throws as `send` */
  async getFile(path: string, signal: AbortSignal): Promise<Blob> {
    const { body } = await this.get(path, { signal, accept: "*/*", isFile: true });
    return body instanceof Blob ? body : new Blob([]);
  }

  /** Sends a body; undefined sends none. @throws ServiceError, NetworkError; DOMException `AbortError` after an abort */
  async send(method: string, path: string, body: unknown, options: RequestOptions = {}) {
    const url = this.urlOf(path);
    const start = performance.now();
    const credentials = this.#credentials();
    const init: RequestInit = {
      method,
      headers: {
        Accept: options.accept ?? JSON_TYPE,
        "OData-MaxVersion": "4.0",
        ...(body === undefined ? {} : { "Content-Type": "application/json;IEEE754Compatible=true" }),
        ...credentials,
        ...options.headers,
      },
      body: body === undefined ? null : JSON.stringify(body),
      signal: options.signal ?? null,
      credentials: this.#options.withCookies === false ? "omit" : "same-origin",
    };
    const { response, content } = await exchange(url, init, SILENCE, options.isFile);
    const { status, headers } = response;
    if (!response.ok) {
      const error = new ServiceError(status, content, headers);
      if (status === 401) this.#options.onUnauthorized?.(error.message);
      throw error;
    }
    const fault = faultOf(response, content);
    if (fault !== null) throw new NetworkError(fault);
    this.#options.onAccepted?.(credentials);
    const context = textIn(content, "@odata.context") ?? "";
    this.#ownRoot = /^[^?#]*\/(?=\$metadata\b)/u.exec(context)?.[0] ?? this.#ownRoot;
    return {
      status,
      headers,
      /** A `Blob` for a file; JSON where the answer is JSON, otherwise text; null without a body. */
      body: content,
      /** From the request to the whole answer. */
      milliseconds: performance.now() - start,
      requestId: headers.get("X-Request-Id"),
      stages: readServerTiming(headers.get("Server-Timing") ?? ""),
      url,
    };
  }

  /** Returns the URL of a path or link. @throws NetworkError if that is not below the root: only that gets credentials */
  urlOf(path: string): string {
    const own = this.#ownRoot;
    const { href } = new URL(own !== null && path.startsWith(own) ? path.slice(own.length) : path, this.root);
    if (href.startsWith(new URL(this.root).href)) return href;
    throw new NetworkError(`The link ${href} leads out of the service ${this.root}, and was not followed.`);
  }
}

/** Returns why a successful answer is not one of the service; null if it is. @see OData Protocol 4.0, section 8.2.6 */
function faultOf({ status, headers, redirected, url }: Response, content: unknown): string | null {
  const type = headers.get("Content-Type")?.replace(/;.*$/su, "") ?? "unknown content";
  const isOwn = headers.has("OData-Version") || textIn(content, "@odata.context") !== null;
  // A value may be an empty text.
  const isEmpty = content === null && (!isOwn || /json|xml/u.test(type));
  if (status === 204 || (isOwn && !isEmpty)) return null;
  const answer = `${isEmpty ? "nothing" : type} with the status ${status}${redirected ? ` from ${url}` : ""}`;
  return `Something answered in place of the service: ${answer}. It may be a proxy, or a page to sign in.`;
}

/** Reads a resource; if the service refuses its labels of related entities, without these. @throws as `send` */
export async function getAllowed(client: ServiceClient, url: string, plain: string, options: RequestOptions) {
  return client.get(url, options).catch((error: unknown) => {
    if (!isRefused(error) || plain === url) throw error;
    return client.get(plain, options);
  });
}

/** Returns the items of a collection. @throws NetworkError if the answer is no collection */
export function rowsIn(body: unknown): readonly unknown[] {
  // A function may answer with a bare array.
  const rows = Array.isArray(body) ? body : memberOf(body, "value");
  if (Array.isArray(rows)) return rows;
  throw new NetworkError("The answer of the service has no rows: it is no collection.");
}

/** Sends a request, and reads the whole answer. Errors have a sentence for people. */
export async function exchange(url: string, init: RequestInit, silence: string, isFile = false) {
  let sentence = silence;
  try {
    const response = await fetch(url, init);
    sentence = "The connection ended before the whole answer was there.";
    if (isFile && response.ok) return { response, content: (await response.blob()) as unknown };
    const text = await response.text();
    const isJson = /^application\/(?:[\w.+-]+\+)?json\b/u.test(response.headers.get("Content-Type") ?? "");
    const content: unknown = isJson && text !== "" ? JSON.parse(text) : text;
    return { response, content: content === "" ? null : content };
  } catch (error) {
    if (isAbort(error)) throw error;
    // A response that failed after its first bytes ends in the middle of its JSON.
    if (!(error instanceof SyntaxError)) throw new NetworkError(`${sentence} (${messageOf(error)})`);
    throw new NetworkError("The answer of the service broke off: an error came after its first bytes.");
  }
}

/** One stage of an answer. */
export interface Stage {
  readonly name: string;
  readonly milliseconds: number;
}

/** Reads `Server-Timing`: `db;dur=1.5, bind;desc="binding";dur=0.2`. Descriptions name stages where there are any. */
function readServerTiming(header: string): readonly Stage[] {
  return header.split(",").flatMap((entry) => {
    const [, name = ""] = /;\s*desc="?([^";]+)/u.exec(entry) ?? /^\s*([^\s;]+)/u.exec(entry) ?? [];
    const duration = /;\s*dur=([\d.]+)/u.exec(entry)?.[1];
    return name === "" || duration === undefined ? [] : [{ name, milliseconds: Number(duration) }];
  });
}
