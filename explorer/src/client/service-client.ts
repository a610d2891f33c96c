import type { Credentials } from "./credentials.ts";
import { textIn } from "./json-members.ts";
import { NetworkError, ServiceError, isAbort } from "./service-error.ts";

/** Int64 and Decimal arrive as text, so that no digit is lost. */
const JSON_TYPE = "application/json;odata.metadata=minimal;IEEE754Compatible=true";

/** Choices for one request. */
export interface RequestOptions {
  readonly signal?: AbortSignal;
  readonly headers?: Readonly<Record<string, string>>;
  /** The media type to ask for; JSON with exact numbers without it. */
  readonly accept?: string;
}

/** What the service answered. */
export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  /** JSON where the answer is JSON, otherwise text; null without a body. */
  readonly body: unknown;
  /** From the request to the whole answer. */
  readonly milliseconds: number;
  readonly requestId: string | null;
  /** The stages of `Server-Timing`, in order. */
  readonly stages: readonly Stage[];
  readonly url: string;
}

/** One stage of an answer. */
export interface Stage {
  readonly name: string;
  readonly milliseconds: number;
}

/** Choices for all requests. */
interface ClientChoices {
  /** Told of each answer that asks to sign in. */
  readonly onUnauthorized?: (error: ServiceError) => void;
  /** Without cookies, the browser shows no dialog of its own for a challenge of Basic. */
  readonly withCookies?: boolean;
}

/** Sends requests below the root of one service. */
export class ServiceClient {
  /** Ends with a slash. */
  readonly root: string;
  readonly credentials: Credentials;
  readonly #onUnauthorized: (error: ServiceError) => void;
  readonly #withCookies: boolean;
  /** The root as the service knows it, which begins its links: behind a proxy it may be another one. */
  #ownRoot: string | null = null;

  constructor(root: string, credentials: Credentials, choices: ClientChoices = {}) {
    this.root = root.endsWith("/") ? root : `${root}/`;
    this.credentials = credentials;
    this.#onUnauthorized = choices.onUnauthorized ?? ignore;
    this.#withCookies = choices.withCookies ?? true;
  }

  /**
   * Reads a resource.
   * @param path relative to the root, or a URL below it, such as a next link
   * @throws ServiceError, NetworkError; DOMException `AbortError` after an abort
   */
  get(path: string, options: RequestOptions = {}): Promise<Answer> {
    return this.#request("GET", path, undefined, options);
  }

  /**
   * Sends a body; undefined sends none.
   * @throws ServiceError, NetworkError; DOMException `AbortError` after an abort
   */
  send(
    method: "POST" | "PATCH" | "PUT" | "DELETE",
    path: string,
    body: unknown,
    options: RequestOptions = {},
  ): Promise<Answer> {
    return this.#request(method, path, body, options);
  }

  /**
   * Reads bytes, such as a picture.
   * @throws ServiceError, NetworkError; DOMException `AbortError` after an abort
   */
  async getBlob(path: string, options: RequestOptions = {}): Promise<Blob> {
    const response = await this.#fetch("GET", path, undefined, { accept: "*/*", ...options });
    return response.blob();
  }

  /**
   * Returns the URL of a path.
   * @throws NetworkError for a URL that is not below the root: the page sends credentials to its service only
   */
  urlOf(path: string): string {
    const isOwn = this.#ownRoot !== null && path.startsWith(this.#ownRoot);
    const url = new URL(isOwn ? path.slice(this.#ownRoot?.length) : path, this.root);
    const root = new URL(this.root);
    if (url.origin !== root.origin || !url.pathname.startsWith(root.pathname)) {
      throw new NetworkError(`The link ${url.href} leads out of the service ${this.root}, and was not followed.`);
    }
    return url.href;
  }

  async #request(method: string, path: string, body: unknown, options: RequestOptions): Promise<Answer> {
    const start = performance.now();
    const response = await this.#fetch(method, path, body, options);
    const content = await readBody(response);
    this.#ownRoot = /^[^?#]*\/(?=\$metadata\b)/u.exec(textIn(content, "@odata.context") ?? "")?.[0] ?? this.#ownRoot;
    return {
      status: response.status,
      headers: response.headers,
      body: content,
      milliseconds: performance.now() - start,
      requestId: response.headers.get("X-Request-Id"),
      stages: readServerTiming(response.headers.get("Server-Timing") ?? ""),
      url: response.url,
    };
  }

  async #fetch(method: string, path: string, body: unknown, options: RequestOptions): Promise<Response> {
    const url = this.urlOf(path);
    const response = await sendRequest(url, {
      method,
      headers: {
        Accept: options.accept ?? JSON_TYPE,
        "OData-MaxVersion": "4.0",
        ...(body === undefined ? {} : { "Content-Type": "application/json;IEEE754Compatible=true" }),
        ...this.credentials.headers,
        ...options.headers,
      },
      body: body === undefined ? null : JSON.stringify(body),
      signal: options.signal ?? null,
      credentials: this.#withCookies ? "same-origin" : "omit",
    });
    if (response.ok) return response;
    const error = new ServiceError(response.status, await readBody(response), response.headers);
    if (error.status === 401) this.#onUnauthorized(error);
    throw error;
  }
}

function ignore(): void {
  // Nobody asked to be told.
}

async function sendRequest(url: string, request: RequestInit): Promise<Response> {
  try {
    return await fetch(url, request);
  } catch (error) {
    if (isAbort(error)) throw error;
    const reason = error instanceof Error ? error.message : String(error);
    throw new NetworkError(`The service did not answer: is it running, and is the network there? (${reason})`);
  }
}

async function readBody(response: Response): Promise<unknown> {
  const text = await readText(response);
  if (text === "") return null;
  if (!/^application\/(?:[\w.+-]+\+)?json\b/u.test(response.headers.get("Content-Type") ?? "")) return text;
  try {
    const body: unknown = JSON.parse(text);
    return body;
  } catch {
    // A response that failed after its first bytes ends in the middle of its JSON.
    throw new NetworkError("The answer of the service broke off: an error came after its first bytes.");
  }
}

async function readText(response: Response): Promise<string> {
  try {
    return await response.text();
  } catch (error) {
    if (isAbort(error)) throw error;
    throw new NetworkError("The connection ended before the whole answer was there.");
  }
}

/** Reads `Server-Timing`: `db;dur=1.5, bind;dur=0.2`. Descriptions name stages where there are any. */
export function readServerTiming(header: string): readonly Stage[] {
  return header.split(",").flatMap((entry) => {
    const [name = "", ...parameters] = entry.split(";").map((part) => part.trim());
    const valueOf = (key: string): string | undefined =>
      parameters
        .find((each) => each.startsWith(`${key}=`))
        ?.slice(key.length + 1)
        .replaceAll('"', "");
    const milliseconds = Number(valueOf("dur") ?? "none");
    return name === "" || Number.isNaN(milliseconds) ? [] : [{ name: valueOf("desc") ?? name, milliseconds }];
  });
}
