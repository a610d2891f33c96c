import { CompiledQuery } from "kysely";
import { odataService, type EntitySet, type ODataService, type TracedStatement } from "odatakit";
import type { DescribedSet } from "odatakit/introspect";
import type { Command, Invocation, ExitReason } from "../command.ts";
import { DATABASE_OPTIONS, SHARED_OPTIONS, areProblems } from "../database-options.ts";
import { databaseOf } from "../databases/find.ts";
import { isNotLoaded, loadDatabase, servableDatabase } from "../load-database.ts";
import { logLine, withoutBigint } from "../log-line.ts";
import type { OpenedDatabase } from "../open-database.ts";
import { usageProblem, reportProblems } from "../problem.ts";
import { printable } from "../redact.ts";
import { checkOwnRules, readSetRules, setOptions } from "../set-rules.ts";

const flag = { type: "boolean", value: null, default: null, inFile: false } as const;

/** `odatakit query`: one request without a server. */
export const queryCommand: Command = {
  name: "query",
  summary: "send one request to a service over a database, and print the response",
  positionals: '<db> "Orders?$top=3"',
  maxPositionals: 2,
  options: {
    sql: { ...flag, summary: "print each statement, with its rows and milliseconds" },
    plan: { ...flag, summary: "print the plan of each statement too" },
    ...DATABASE_OPTIONS,
    ...SHARED_OPTIONS,
  },
  examples: [
    [`odatakit query ./shop.db 'Orders?$top=3'`, "three orders"],
    [`odatakit query ./shop.db 'Orders?$expand=Customer' --sql --plan`, "the statements of an expansion"],
  ],
  run: runQuery,
};

const TIMEOUT = 10_000;
const ROOT = "http://localhost/odata/";

/** Runs `odatakit query`. */
async function runQuery(invocation: Invocation): Promise<ExitReason> {
  const { positionals, options, environment, terminal } = invocation;
  // With DATABASE_URL, the request may be the only argument.
  const [first, second] = positionals;
  const hasOne = second === undefined && environment["DATABASE_URL"] !== undefined;
  const path = hasOne ? first : second;
  if (path === undefined) {
    const fix = 'Write `odatakit query <db> "Orders?$top=3"`.';
    return reportProblems([usageProblem("No request is given.", fix)], terminal);
  }
  const address = path.replace(/^\/+/, "");
  const url = URL.canParse(address, ROOT) ? new URL(address, ROOT) : null;
  if (url === null || !url.href.startsWith(ROOT)) {
    return reportProblems(
      [usageProblem("The request is not relative to the service.", "Begin it with the name of an entity set.")],
      terminal,
    );
  }
  const targets = hasOne ? [] : [first ?? ""];
  const rules = readSetRules(invocation);
  if (areProblems(rules)) return reportProblems(rules, terminal);
  const loaded = await loadDatabase(
    { ...invocation, positionals: targets },
    { timeout: TIMEOUT, pool: 1, mayWrite: false },
    { settings: (set) => setOptions(set, rules) },
  );
  if (isNotLoaded(loaded)) return reportProblems(loaded, terminal);
  const { opened } = loaded;
  try {
    const unknown = checkOwnRules(rules, loaded.found.described.sets);
    if (unknown.length > 0) return reportProblems(unknown, terminal);
    const statements: TracedStatement[] = [];
    const isOwn = ownSets(url, loaded.found.described.sets);
    const make = serviceMaker(terminal, rules.maxTop, { isOwn, statements });
    const { service } = await servableDatabase(loaded, make);
    const response = await service.fetch(new Request(url));
    terminal.print(readable(await response.text()));
    if (options["sql"] === true || options["plan"] === true) {
      for (const statement of statements) await printStatement(statement, opened, invocation);
    }
    if (response.ok) return "success";
    terminal.report(`odatakit: The status is ${String(response.status)}.`);
    return "findings";
  } finally {
    await opened.close().catch(() => undefined);
  }
}

/** Makes services that report warnings about the sets of the request, and list their statements. */
function serviceMaker(
  { report }: Invocation["terminal"],
  maxTop: number,
  { isOwn, statements }: { readonly isOwn: (name: unknown) => boolean; readonly statements: TracedStatement[] },
): (entitySets: readonly EntitySet[]) => ODataService {
  return (entitySets) =>
    odataService({
      prefix: "/odata",
      profile: "standard",
      entitySets,
      defaults: { queryTimeout: TIMEOUT, maxTop },
      logger: {
        error: (message, fields) => report(logLine("error", message, fields)),
        warn: (message, fields) => {
          if (isOwn(fields["set"])) report(logLine("warning", message, fields));
        },
        info: () => undefined,
      },
      onStatement: (statement) => void statements.push(statement),
    });
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** Returns a test whether a request may read a set: the set of its path, and the targets of its navigations. */
function ownSets({ href }: URL, sets: readonly DescribedSet[]): (name: unknown) => boolean {
  const names = new Set(decoded(href.slice(ROOT.length)).match(/[\p{L}\p{N}_]+/gu) ?? []);
  const own = new Set(sets.filter(({ setName }) => names.has(setName)));
  // The loop also visits the sets that it adds.
  for (const { navigations } of own) {
    for (const { name, targetSet } of navigations) {
      const target = names.has(name) ? sets.find(({ setName }) => setName === targetSet) : undefined;
      if (target !== undefined) own.add(target);
    }
  }
  const owned = new Set(Array.from(own, ({ setName }) => setName));
  return (name) => typeof name !== "string" || owned.has(name);
}

function readable(body: string): string {
  try {
    JSON.parse(body);
  } catch {
    return body;
  }
  return readableJson(body);
}

async function printStatement(
  { sql, parameters, ms, rows }: TracedStatement,
  opened: OpenedDatabase,
  { options, terminal }: Invocation,
): Promise<void> {
  terminal.print(
    `\n-- ${String(rows)} ${rows === 1 ? "row" : "rows"}, ${ms.toFixed(1)} ms, parameters ${JSON.stringify(parameters, withoutBigint)}`,
  );
  for (const line of sql.split("\n")) terminal.print(printable(line));
  if (options["plan"] !== true) return;
  const { explain, planLine } = databaseOf(opened.kind);
  const query = CompiledQuery.raw(`${explain} ${sql}`, [...parameters]);
  const plan = await opened.db.withoutPlugins().executeQuery<Readonly<Record<string, unknown>>>(query);
  for (const row of plan.rows) {
    terminal.print(`--   ${printable(planLine(row))}`);
  }
}

/** Strings, punctuation, and numbers or words as they are written. */
const TOKENS = /"(?:[^"\\]|\\.)*"|[{}[\],:]|[^\s{}[\],:"]+/g;

const OPENS: ReadonlySet<string> = new Set(["{", "["]);
const CLOSES: ReadonlySet<string> = new Set(["}", "]"]);

/**
 * Indents a text of JSON. Numbers keep all their digits, because JavaScript rounds integers beyond 53 bits.
 * @param text a text that `JSON.parse` accepts
 */
export function readableJson(text: string): string {
  const tokens = text.match(TOKENS) ?? [];
  let depth = 0;
  const parts = tokens.map((token, at) => {
    if (OPENS.has(token) && !CLOSES.has(tokens[at + 1] ?? "")) {
      depth += 1;
      return `${token}${newLine(depth)}`;
    }
    if (CLOSES.has(token) && !OPENS.has(tokens[at - 1] ?? "")) {
      depth -= 1;
      return `${newLine(depth)}${token}`;
    }
    if (token === ",") return `,${newLine(depth)}`;
    return token === ":" ? ": " : token;
  });
  return parts.join("");
}

function newLine(depth: number): string {
  return `\n${"  ".repeat(depth)}`;
}
