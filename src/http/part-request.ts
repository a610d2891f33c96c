import { withoutQuerySegment } from "./fetch-request.ts";
import type { ODataRequest } from "./odata-request.ts";
import { payloadTooLarge } from "./read-json-body.ts";

/** Headers that belong to one operation: those of the batch do not apply to it. */
const OWN = /^(?:accept|accept-.+|content-.+|if-.+|isolation|odata-.+|prefer)$/;
const LANGUAGE = "accept-language";
/** The characters that the values of `Headers` may contain. */
const LATIN_1 = /^[\t\u0020-\u007e\u0080-\u00ff]*$/;
const READS: ReadonlySet<string> = new Set(["GET", "HEAD"]);
/** The delimiter decides where a body ends. */
const IGNORED: ReadonlySet<string> = new Set(["content-length", "content-id", "content-transfer-encoding"]);

function isRead(method: string, target: string): boolean {
  const [path = ""] = target.split("?", 1);
  return READS.has(method) || withoutQuerySegment(path) !== null;
}

/** An operation of a batch, or of a body with nested entities. */
interface PartOperation {
  readonly method: string;
  /** By lower-case name. */
  readonly headers: ReadonlyMap<string, string>;
  readonly body: Uint8Array;
}

/** The time of a batch. */
interface PartTime {
  readonly signal: AbortSignal;
}

/**
 * An operation of another request as a request. It belongs to the client and the connection of the other, so only headers about its
 * representation, its preconditions and its preferences are its own: an operation cannot have another user, host or proxy.
 * @see OData Protocol 4.0, section 11.7.1
 */
export class PartRequest implements ODataRequest {
  readonly method: string;
  readonly target: string;
  readonly scheme: string;
  readonly host: string;
  readonly mountPath: string;
  readonly #batch: ODataRequest;
  readonly #operation: PartOperation;
  readonly #time: PartTime | undefined;
  #headers: Headers | undefined;

  /**
   * @param target the path and query within the service
   * @param time the time of the batch, whose end cancels a read; a write that has begun is completed
   */
  constructor(batch: ODataRequest, operation: PartOperation, target: string, time?: PartTime) {
    this.method = operation.method;
    this.target = target;
    this.scheme = batch.scheme;
    this.host = batch.host;
    this.mountPath = batch.mountPath ?? "";
    this.#batch = batch;
    this.#operation = operation;
    this.#time = isRead(operation.method, target) ? time : undefined;
  }

  header(name: string): string | undefined {
    if (!OWN.test(name)) return this.#batch.header(name);
    const value = IGNORED.has(name) ? undefined : this.#operation.headers.get(name);
    if (value !== undefined && LATIN_1.test(value)) return value;
    // The language belongs to the user, and not to the form of an operation.
    return name === LANGUAGE ? this.#batch.header(name) : undefined;
  }

  get headers(): Headers {
    return (this.#headers ??= this.#mergeHeaders());
  }

  get remoteAddress(): string | undefined {
    return this.#batch.remoteAddress;
  }

  get hostRequest(): unknown {
    return this.#batch.hostRequest;
  }

  get signal(): AbortSignal {
    return this.#time?.signal ?? this.#batch.signal;
  }

  get isAborted(): boolean {
    return this.#batch.isAborted ?? this.#batch.signal.aborted;
  }

  get hasBody(): boolean {
    return this.#operation.body.length > 0;
  }

  /** @throws ODataError `PayloadTooLarge` for a body above the limit */
  readBody(maxBytes: number | null): Uint8Array {
    const { body } = this.#operation;
    if (maxBytes !== null && body.length > maxBytes) throw payloadTooLarge(maxBytes);
    return body;
  }

  #mergeHeaders(): Headers {
    const merged = new Headers();
    for (const [name, value] of this.#batch.headers) {
      if (!OWN.test(name) || name === LANGUAGE) merged.append(name, value);
    }
    for (const name of this.#operation.headers.keys()) {
      const value = OWN.test(name) ? this.header(name) : undefined;
      if (value !== undefined) merged.set(name, value);
    }
    return merged;
  }
}
