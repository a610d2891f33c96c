import type { Credentials } from "./credentials.ts";
import { textIn } from "./json-members.ts";
import { NetworkError, ServiceError, isAbort, messageOf } from "./service-error.ts";

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
  readonly #choices: ClientChoices;
  /** The root as the service knows it, which begins its links: behind a proxy it may be another one. */
  #ownRoot: string | null = null;

  constructor(root: string, credentials: Credentials, choices: ClientChoices = {}) {
    this.root = root.endsWith("/") ? root : `${root}/`;
    this.credentials = credentials;
    this.#choices = choices;
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
    const url = this.urlOf(path);
    const start = performance.now();
    const response = await duringRequest(
      "The service did not answer: is it running, and is the network there?",
      fetch(url, {
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
        credentials: this.#choices.withCookies === false ? "omit" : "same-origin",
      }),
    );
    const { status, headers, ok } = response;
    const content = await readBody(response);
    if (ok) {
      const context = textIn(content, "@odata.context") ?? "";
      this.#ownRoot = /^[^?#]*\/(?=\$metadata\b)/u.exec(context)?.[0] ?? this.#ownRoot;
      const requestId = headers.get("X-Request-Id");
      const stages = readServerTiming(headers.get("Server-Timing") ?? "");
      return { status, headers, body: content, milliseconds: performance.now() - start, requestId, stages, url };
    }
    const error = new ServiceError(status, content, headers);
    if (status === 401) this.#choices.onUnauthorized?.(error);
    throw error;
  }
}

/** Waits for a part of a request; what goes wrong is told in a sentence for people. */
async function duringRequest<Part>(sentence: string, part: Promise<Part>): Promise<Part> {
  try {
    return await part;
  } catch (error) {
    if (isAbort(error)) throw error;
    throw new NetworkError(`${sentence} (${messageOf(error)})`);
  }
}

async function readBody(response: Response): Promise<unknown> {
  const text = await duringRequest("The connection ended before the whole answer was there.", response.text());
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

/** Reads `Server-Timing`: `db;dur=1.5, bind;dur=0.2`. Descriptions name stages where there are any. */
export function readServerTiming(header: string): readonly Stage[] {
  return header.split(",").flatMap((entry) => {
    const [name = "", ...parameters] = entry.split(";").map((part) => part.trim());
    const values = new Map(
      parameters.map((each) => each.split("=")).map(([key, value = ""]) => [key, value.replaceAll('"', "")]),
    );
    const milliseconds = Number(values.get("dur") ?? "none");
    return name === "" || Number.isNaN(milliseconds) ? [] : [{ name: values.get("desc") ?? name, milliseconds }];
  });
}
