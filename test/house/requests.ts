import { lineAt, type SourceFile } from "./source-files.ts";

/** A request of a page, to the example service. */
export interface DocumentedRequest {
  /** Page and line, such as `docs/filter.md:12`. */
  readonly place: string;
  readonly target: string;
  readonly headers: Readonly<Record<string, string>>;
  /** What the page says that the answer is; undefined where it says nothing. */
  readonly answer: RegExp | undefined;
}

const FENCE = /^```http\n(?<requests>[\s\S]*?)^```[ ]*\n(?:\n```(?:json|text)\n(?<answer>[\s\S]*?)^```)?/gmu;
const ORIGIN = "http://localhost:3000";

/**
 * The requests of the ```http blocks of a page: lines that begin with GET, each followed by its headers. A block of
 * JSON or text behind them is the answer to the last one, `…` in it stands for anything.
 */
export function requestsOf(page: SourceFile): readonly DocumentedRequest[] {
  return Array.from(page.text.matchAll(FENCE)).flatMap((match) => {
    const { requests: text = "", answer } = match.groups ?? {};
    const first = lineAt(page.text, match.index) + 1;
    const requests: Array<{ place: string; target: string; headers: Record<string, string> }> = [];
    for (const [index, line] of text.split("\n").entries()) {
      const place = `${page.path}:${String(first + index)}`;
      const [method, target = ""] = line.split(/ (?=\/)/u);
      const [name = "", value] = line.split(": ");
      const last = requests.at(-1);
      if (method === "GET") requests.push({ place, target, headers: {} });
      else if (value !== undefined && last !== undefined) last.headers[name] = value;
      else if (line !== "") throw new Error(`${place}: neither GET nor a header: ${line}`);
    }
    const expected = answer === undefined ? undefined : toPattern(answer);
    return requests.map((request, index) => ({
      ...request,
      answer: index === requests.length - 1 ? expected : undefined,
    }));
  });
}

/** What an answer must match, white space left out on both sides. */
function toPattern(answer: string): RegExp {
  const parts = withoutSpace(answer).split("…");
  return new RegExp(
    `^${parts.map((part) => part.replaceAll(/[\\^$.*+?()[\]{}|]/gu, String.raw`\$&`)).join(".*")}$`,
    "u",
  );
}

/** A text without white space, as answers are compared. */
export function withoutSpace(text: string): string {
  return text.replaceAll(/\s/gu, "");
}

/** The request that a page shows, to the place where `npm start` serves. */
export function toRequest({ target, headers }: DocumentedRequest): Request {
  return new Request(ORIGIN + target, { headers });
}
