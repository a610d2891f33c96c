import { itemsIn, memberOf, textIn } from "./json-members.ts";

/** An answer of the service that says what is wrong. */
export class ServiceError extends Error {
  readonly status: number;
  readonly code: string;
  readonly target: string | null;
  readonly details: readonly ErrorDetail[];
  /** Where in the text of the option the fault is, in UTF-16 units from 0; null if the message names no place. */
  readonly position: number | null;
  readonly requestId: string | null;
  readonly headers: Headers;

  constructor(status: number, body: unknown, headers: Headers) {
    const error = memberOf(body, "error");
    const message = textIn(error, "message") ?? sentenceOf(status, body);
    super(message);
    this.name = "ServiceError";
    this.status = status;
    this.code = textIn(error, "code") ?? String(status);
    this.target = textIn(error, "target");
    this.position = positionIn(message);
    this.requestId = headers.get("X-Request-Id");
    this.headers = headers;
    this.details = itemsIn(error, "details").map((detail) => ({
      code: textIn(detail, "code") ?? "",
      message: textIn(detail, "message") ?? "",
      target: textIn(detail, "target"),
    }));
  }
}

/** One of several faults of a request, such as of one property. */
export interface ErrorDetail {
  readonly code: string;
  readonly message: string;
  readonly target: string | null;
}

/** The service did not answer, or answered with something that is not of it. */
export class NetworkError extends Error {
  override readonly name = "NetworkError";
}

/** Returns whether a request was ended by the reader. Such an end is no error to show. */
export function isAbort(error: unknown): boolean {
  return error instanceof DOMException && error.name === "AbortError";
}

/** Returns what an error says. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** Services write `$filter at position 14: …`. */
function positionIn(message: string): number | null {
  const position = /^\$\w+ at position (\d+):/u.exec(message)?.[1];
  return position === undefined ? null : Number(position);
}

function sentenceOf(status: number, body: unknown): string {
  const text = typeof body === "string" ? body.trim().slice(0, 200) : "";
  const isHtml = text.startsWith("<");
  return `The service answered with the status ${status}${text === "" || isHtml ? "." : `: ${text}`}`;
}
