import { itemsIn, memberOf, textIn } from "./json-members.ts";

/** One of several faults of a request, such as of one property. */
interface ErrorDetail {
  readonly message: string;
  readonly target: string | null;
}

/** An answer of the service with an error. */
export class ServiceError extends Error {
  override readonly name = "ServiceError";
  readonly status: number;
  readonly code: string;
  readonly target: string | null;
  readonly details: readonly ErrorDetail[];
  readonly headers: Headers;

  constructor(status: number, body: unknown, headers: Headers) {
    const error = memberOf(body, "error");
    super(textIn(error, "message") ?? `The service answered with the status ${status}.`);
    this.status = status;
    this.code = textIn(error, "code") ?? String(status);
    this.target = textIn(error, "target");
    this.details = itemsIn(error, "details").map((detail) => ({
      message: textIn(detail, "message") ?? "",
      target: textIn(detail, "target"),
    }));
    this.headers = headers;
  }

  get requestId(): string | null {
    return this.headers.get("X-Request-Id");
  }
}

/** The service did not answer, or answered with something that is not of it. */
export class NetworkError extends Error {
  override readonly name = "NetworkError";
}

/** Returns whether the service may permit a request that reads no labels of related entities. */
export function isRefused(error: unknown): boolean {
  return error instanceof ServiceError && (error.status === 403 || error.message.includes("$expand"));
}

/** Returns whether a request was ended by the reader. The page does not show it as an error. */
export function isAbort(error: unknown): boolean {
  return error instanceof DOMException && error.name === "AbortError";
}

/** Returns the message of an error. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
