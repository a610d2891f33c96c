import { lineAt, type SourceFile } from "./source-files.ts";

/** A request to the example service, from a page. */
export interface DocumentedRequest {
  /** Page and line, such as `docs/reference/filter.md:12`. */
  readonly place: string;
  readonly method: string;
  readonly target: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Undefined where the page shows none. */
  readonly body: string | undefined;
  /** The response that the page shows; undefined if it shows none. */
  readonly answer: DocumentedAnswer | undefined;
}

/** A response on a page. */
export interface DocumentedAnswer {
  /** Undefined where the page begins with the body. */
  readonly status: number | undefined;
  /** The headers that the page shows; the response may have others. */
  readonly headers: Readonly<Record<string, string>>;
  /** A pattern for the body without white space. */
  readonly body: RegExp;
}

const FENCE = /^```http\n(?<requests>[\s\S]*?)^```[ ]*\n(?:\n```(?:json|text|http)\n(?<answer>[\s\S]*?)^```)?/gmu;
const REQUEST_LINE = /^(?<method>GET|POST|PUT|PATCH|DELETE) (?<target>\/.*)$/u;
const STATUS_LINE = /^HTTP\/1\.1 (?<status>\d{3}) .+$/u;
const HEADER_LINE = /^(?<name>[A-Za-z-]+): (?<value>.+)$/u;
const ORIGIN = "http://localhost:3000";

/**
 * Returns the requests of the ```http blocks of a page: lines that begin with a method, each followed by its headers and,
 * after an empty line, its body. A block of JSON, text or HTTP after them is the response to the last request; `…`
 * matches anything.
 */
export function requestsOf(page: SourceFile): readonly DocumentedRequest[] {
  return Array.from(page.text.matchAll(FENCE)).flatMap((match) => {
    const { requests: text = "", answer } = match.groups ?? {};
    const first = lineAt(page.text, match.index) + 1;
    const lines = text.split("\n");
    const starts = lines.flatMap((line, index) => (REQUEST_LINE.test(line) ? [index] : []));
    if (starts[0] !== 0) throw new Error(`${page.path}:${String(first)}: no request: ${lines[0] ?? ""}`);
    return starts.map((start, index) => {
      const next = starts[index + 1];
      const place = `${page.path}:${String(first + start)}`;
      const { method = "", target = "" } = REQUEST_LINE.exec(lines[start] ?? "")?.groups ?? {};
      const { headers, body } = messageOf(lines.slice(start + 1, next), place);
      const expected = next === undefined && answer !== undefined ? answerOf(answer, `${place}, answer`) : undefined;
      return { place, method, target, headers, body: body === "" ? undefined : body, answer: expected };
    });
  });
}

function answerOf(text: string, place: string): DocumentedAnswer {
  const [first = "", ...lines] = text.split("\n");
  const status = STATUS_LINE.exec(first)?.groups?.["status"];
  if (status === undefined) return { status: undefined, headers: {}, body: toPattern(text) };
  const { headers, body } = messageOf(lines, place);
  return { status: Number(status), headers, body: toPattern(body) };
}

/** Reads headers, and the body after an empty line. */
function messageOf(lines: readonly string[], place: string): { headers: Record<string, string>; body: string } {
  const end = lines.indexOf("");
  const headers: Record<string, string> = {};
  for (const line of lines.slice(0, end === -1 ? lines.length : end)) {
    const { name, value } = HEADER_LINE.exec(line)?.groups ?? {};
    if (name === undefined || value === undefined) throw new Error(`${place}: neither a request nor a header: ${line}`);
    headers[name] = value;
  }
  return { headers, body: end === -1 ? "" : lines.slice(end).join("\n").trim() };
}

/** Returns the pattern of a response. White space is removed from both. */
function toPattern(answer: string): RegExp {
  const parts = withoutSpace(answer).split("…");
  return new RegExp(
    `^${parts.map((part) => part.replaceAll(/[\\^$.*+?()[\]{}|]/gu, String.raw`\$&`)).join(".*")}$`,
    "u",
  );
}

/** Removes white space, for the comparison of responses. */
export function withoutSpace(text: string): string {
  return text.replaceAll(/\s/gu, "");
}

/** Makes the request of a page, with the address of `npm start`. */
export function toRequest({ method, target, headers, body }: DocumentedRequest): Request {
  return new Request(ORIGIN + target, { method, headers, ...(body === undefined ? {} : { body }) });
}
