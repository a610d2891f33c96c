import { fuzzCount } from "../../cases.ts";
import type { Service } from "../executors/relations-memory.ts";
import { ORIGIN, type RowRequest } from "./row-requests.ts";
import type { NumberedUser, UserName } from "./row-rules.ts";

/** The number of pages that are followed from one request. */
const PAGES = 6;

/** The responses to one request: to the requests before it, to itself, and of the following pages. */
export type Answers = readonly string[];

/** Returns every next link in a response. */
function linksIn(body: unknown): readonly string[] {
  if (Array.isArray(body)) return body.flatMap(linksIn);
  if (typeof body !== "object" || body === null) return [];
  return Object.entries(body).flatMap(([name, value]) =>
    name.endsWith("@odata.nextLink") ? [String(value)] : linksIn(value),
  );
}

/**
 * Removes differences by chance: sealed tokens differ each time, but not in length; of expansions that are read
 * concurrently, any may exceed the limit first, and the length of the response depends on its name.
 */
function withoutChance(text: string): string {
  const [named = ""] = /(?<=With the expansion )'[^']*'(?= the response would contain more)/.exec(text) ?? [];
  return text
    .replace(/(?<=^content-length: )\d+$/m, (length) => String(Number(length) - named.length))
    .replaceAll(/(?<=skiptoken=)[^"&\n]{17,}/g, (token) => "x".repeat(token.length))
    .replace(/(?<=With the expansion )'[^']*'(?= the response would contain more)/, "");
}

/** Sends requests one after another. */
export async function answersOf(
  service: Service,
  user: UserName | NumberedUser,
  requests: readonly RowRequest[],
): Promise<readonly Answers[]> {
  const found: Answers[] = [];
  for (const request of requests) found.push(await answersTo(service, user, request));
  return found;
}

async function answersTo(service: Service, user: UserName | NumberedUser, request: RowRequest): Promise<Answers> {
  const { method, target, body, entity } = request;
  const answers: string[] = [];
  const send = async (url: string, init: RequestInit, given: Readonly<Record<string, string>>) => {
    const headers = { ...given, "x-user": user };
    const response = await service.fetch(new Request(url, { ...init, headers }));
    const text = await response.text();
    const lines = [...response.headers]
      .filter(([name]) => name !== "x-request-id")
      .map(([name, value]) => `${name}: ${value}`)
      .toSorted();
    const sent = `${init.method ?? "GET"} ${url.slice(ORIGIN.length)}`;
    answers.push(withoutChance([`${sent} by ${user}`, String(response.status), ...lines, text].join("\n")));
    return { response, text };
  };
  const headers: Record<string, string> = { ...request.headers };
  for (const [name, value] of Object.entries(headers)) {
    if (!value.includes("$etag")) continue;
    const read = entity === undefined ? null : await send(ORIGIN + entity, {}, {});
    headers[name] = value.replace("$etag", () => read?.response.headers.get("etag") ?? '"none"');
  }
  const urls = [ORIGIN + target];
  for (const url of urls) {
    const { response, text } = await send(url, { method, ...(body === undefined ? {} : { body }) }, headers);
    if (method !== "GET" || response.status !== 200 || !text.startsWith("{")) continue;
    urls.push(...linksIn(JSON.parse(text)).slice(0, PAGES - urls.length));
  }
  return answers;
}

/** The status of the answer to a request itself. */
export function statusOf(answers: Answers): number {
  return Number(answers.at(-1)?.split("\n")[1]);
}

/** Describes a request for a report. */
export function describeRequest({ method, target, headers, body }: RowRequest): string {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  return [`${method} ${decoded(target)}`, ...lines, ...(body === undefined ? [] : [body])].join("\n");
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** The number of requests that a run sends per engine. */
export const RUNS = fuzzCount(2000, "fuzz:rows");
