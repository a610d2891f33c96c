import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { resolve } from "node:path";
import process from "node:process";
import { pathToFileURL } from "node:url";
import type { ODataService } from "odatakit";
import type { DatabaseReport, DatabaseFinding } from "odatakit/check";
import type { Command, CommandOption, Invocation, ExitReason } from "../command.ts";
import { databaseOf } from "../databases/find.ts";
import { missingPackage } from "../missing-package.ts";
import { FINDING_STYLES, paint } from "../paint.ts";
import { isProblem, unavailable, usageProblem, type Problem, reportProblems } from "../problem.ts";
import { printable, redact } from "../redact.ts";
import { parseTarget } from "../target.ts";

const flag = (summary: string): CommandOption => ({
  type: "boolean",
  value: null,
  summary,
  default: null,
  inFile: false,
});
const valued = (value: string, summary: string): CommandOption => ({ ...flag(summary), type: "string", value });

/** The command `odatakit check`. */
export const checkCommand: Command = {
  name: "check",
  summary: "compare the declarations of a service with its database",
  positionals: "[module]",
  maxPositionals: 1,
  options: {
    url: valued("<db>", "the database, as DATABASE_URL or DATABASE_FILE for the module"),
    json: flag("print the findings as JSON"),
    github: flag("print the findings as annotations of GitHub"),
    "max-warnings": valued("<n>", "exit with 1 for more warnings"),
    new: flag("report tables and views that no set declares"),
    baseline: valued("<file>", "accept the findings in this file; written if it does not exist"),
  },
  examples: [
    ["odatakit check src/service.ts", "compare the service that the module exports"],
    ["odatakit check --max-warnings 0 --github", "fail a workflow for any warning"],
    ["odatakit check --baseline odatakit-check.json", "accept the findings of today, report new ones"],
  ],
  run: async (invocation) => {
    const result = await checkModule(invocation);
    return isProblem(result) ? reportProblems([result], invocation.terminal) : result.reason;
  },
};

interface Done {
  readonly reason: ExitReason;
}

async function checkModule(invocation: Invocation): Promise<Done | Problem> {
  const { positionals, options, folder } = invocation;
  const maxWarnings = maxWarningsOf(options["max-warnings"]);
  if (typeof maxWarnings === "object") return maxWarnings;
  const path = findModule(positionals[0], folder);
  if (typeof path === "object") return path;
  const { url } = options;
  const problem = typeof url === "string" ? giveDatabase(url, folder) : undefined;
  if (problem !== undefined) return problem;
  const service = await loadService(path).catch((error: unknown) => declarationProblem(path, error));
  if (isProblem(service)) return service;
  const { checkDatabase } = await loadCheck(path);
  const start = performance.now();
  const report = await checkDatabase(service, { undeclared: options["new"] === true }).catch((error: unknown) =>
    unavailable(messageOf(error), "Start the database, or correct its address."),
  );
  if (isProblem(report)) return report;
  return conclude(report, Math.round(performance.now() - start), maxWarnings, invocation);
}

/** Sets the variables that the module reads when it is imported. Pulled modules read that of their kind of database. */
function giveDatabase(given: string, folder: string): Problem | undefined {
  const target = parseTarget(given, {});
  if (isProblem(target)) return target;
  process.env["DATABASE_URL"] = given;
  const database = databaseOf(target.kind);
  Object.assign(process.env, database.variables(target));
  return database.check(target, folder);
}

function maxWarningsOf(given: Invocation["options"][string]): number | Problem {
  if (given === undefined) return Infinity;
  if (typeof given === "string" && /^\d{1,9}$/.test(given)) return Number(given);
  return usageProblem(
    `--max-warnings is ${JSON.stringify(given)}, but must be a whole number from 0 to 999999999.`,
    "Give a number, such as --max-warnings 0.",
  );
}

/** Distinguishes faults of declarations, which have their own code, from faults of the module. */
function declarationProblem(path: string, error: unknown): Problem {
  if (error instanceof Error && error.name === "ConfigurationError") {
    return { reason: "declarations", message: error.message, fix: "Correct the declarations." };
  }
  const message = `The module ${path} cannot be imported: ${messageOf(error)}.`.replace(/\.+$/, ".");
  const name = missingPackage(error);
  return name === undefined
    ? usageProblem(message, "Correct the module.")
    : unavailable(message, `Install it in the project: npm install ${name}`);
}

/** Returns the message of an error, without the passwords of addresses in it. */
function messageOf(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error);
  return text.replaceAll(/[a-z][a-z0-9+.-]*:\/\/\S+/gi, redact);
}

function conclude(
  { findings: all, sets, columns }: DatabaseReport,
  milliseconds: number,
  maxWarnings: number,
  { options, folder, terminal, environment }: Invocation,
): Done | Problem {
  const baseline = typeof options["baseline"] === "string" ? resolve(folder, options["baseline"]) : null;
  const known = baseline === null ? null : readBaseline(baseline);
  if (known !== null && isProblem(known)) return known;
  if (baseline !== null && known === null) {
    if (environment["CI"] !== undefined && environment["CI"] !== "") {
      return usageProblem(
        `The baseline ${baseline} does not exist.`,
        "Run the command outside of CI, and commit the file.",
      );
    }
    writeBaseline(baseline, all);
    terminal.report(`Accepted ${counted(all.length, "finding")} in ${baseline}.`);
    return { reason: "success" };
  }
  const accepted = known?.accepted ?? new Set<string>();
  const findings = all.filter((each) => !accepted.has(baselineKey(each)));
  const [errors, warnings] = [countOf(findings, "error"), countOf(findings, "warning")];
  const summary = `${counted(errors, "error")}, ${counted(warnings, "warning")}`;
  if (options["json"] === true) terminal.print(JSON.stringify({ sets, columns, errors, warnings, findings }, null, 2));
  else if (options["github"] === true) for (const each of findings) terminal.print(annotationOf(each));
  else for (const line of describeFindings(findings)) terminal.print(paint(line, FINDING_STYLES, terminal));
  const rest = all.length === findings.length ? "" : `, ${String(all.length - findings.length)} accepted`;
  if (options["json"] !== true) {
    terminal.print(
      `  ${counted(sets, "set")}, ${counted(columns, "column")} checked in ${String(milliseconds)} ms: ${summary}${rest}`,
    );
  }
  const present = new Set(all.map(baselineKey));
  for (const key of accepted) {
    if (!present.has(key)) terminal.report(`Remove "${printable(key)}" from the baseline: it is no finding any more.`);
  }
  return { reason: errors > 0 || warnings > maxWarnings ? "findings" : "success" };
}

/** The accepted findings of a project, as its file contains them. */
interface Baseline {
  readonly accepted: ReadonlySet<string>;
}

/** Identifies a finding in a baseline. A finding that becomes more severe is a new one. */
function baselineKey({ severity, code, subject, table, column }: DatabaseFinding): string {
  const place = [table, column].filter((part) => part !== undefined).join(".");
  return [severity, code, subject, place].filter((part) => part !== "").join(" ");
}

/** Reads a baseline; null if the file does not exist. */
function readBaseline(path: string): Baseline | Problem | null {
  if (!existsSync(path)) return null;
  const fix = "Correct the file, or remove it and run `odatakit check` again.";
  let content: unknown;
  try {
    content = JSON.parse(readFileSync(path, "utf8"));
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    return usageProblem(`The baseline ${path} cannot be read: ${reason}`, fix);
  }
  const accepted = typeof content === "object" && content !== null && "accepted" in content ? content.accepted : null;
  if (Array.isArray(accepted) && accepted.every((key): key is string => typeof key === "string")) {
    return { accepted: new Set(accepted) };
  }
  return usageProblem(`The baseline ${path} has no list \`accepted\`.`, fix);
}

/** Writes the findings of today. Equal findings make equal files. */
function writeBaseline(path: string, findings: readonly DatabaseFinding[]): void {
  const accepted = [...new Set(findings.map(baselineKey))].toSorted();
  writeFileSync(path, `${JSON.stringify({ accepted }, null, 2)}\n`);
}

/** How a finding counts. */
type Severity = DatabaseFinding["severity"];

const SHORT: Readonly<Record<Severity, string>> = { error: "error", warning: "warn", info: "info" };

/** Returns the lines for a reader: two for each finding, or for the missing indexes of each table. */
function describeFindings(all: readonly DatabaseFinding[]): readonly string[] {
  const findings = withTableAdvice(all);
  const width = Math.max(0, ...findings.map(({ subject }) => subject.length));
  return findings.flatMap(({ severity, code, subject, message, fix }) => [
    `  ${SHORT[severity].padEnd(5)}  ${code}  ${subject.padEnd(width)}  ${printable(message)}`,
    `              → ${printable(fix)}`,
  ]);
}

/** Joins the missing indexes of each table: which of them pay depends on the requests of its clients. */
function withTableAdvice(findings: readonly DatabaseFinding[]): readonly DatabaseFinding[] {
  return findings.flatMap((each) => {
    const { code, set, table = "" } = each;
    if (code !== "C11") return [each];
    const group = findings.filter((other) => other.code === code && other.set === set && other.table === table);
    if (group.length === 1) return [each];
    if (group[0] !== each) return [];
    const columns = group.map(({ column = "" }) => `\`${column}\``).join(", ");
    const message = `Clients may filter or sort by ${columns}, but no index of the large table \`${table}\` begins with one of them.`;
    const fix =
      "Create indexes for those that clients use (`--json` has the statements), or limit `filterProperties` and `orderByProperties`.";
    return [{ ...each, subject: set, message, fix }];
  });
}

/** Counts findings of one severity. */
function countOf(findings: readonly DatabaseFinding[], severity: Severity): number {
  return findings.filter((each) => each.severity === severity).length;
}

/** Returns a number with a noun. */
function counted(count: number, noun: string): string {
  return `${String(count)} ${noun}${count === 1 ? "" : "s"}`;
}

const LEVELS: Readonly<Record<Severity, string>> = { error: "error", warning: "warning", info: "notice" };

/**
 * Returns a finding as an annotation of a workflow of GitHub.
 * @see https://docs.github.com/en/actions/reference/workflow-commands-for-github-actions
 */
export function annotationOf({ severity, code, subject, message, fix }: DatabaseFinding): string {
  return `::${LEVELS[severity]} title=${escapeProperty(`${code} ${subject}`)}::${escapeData(`${message} → ${fix}`)}`;
}

function escapeData(text: string): string {
  return text.replaceAll("%", "%25").replaceAll("\r", "%0D").replaceAll("\n", "%0A");
}

function escapeProperty(text: string): string {
  return escapeData(text).replaceAll(":", "%3A").replaceAll(",", "%2C");
}

/** Where `odatakit pull` and `npm create odatakit` write services. */
const CANDIDATES = [
  "src/service.ts",
  "src/model/service.ts",
  "src/service.js",
  "src/model/service.js",
  "service.ts",
  "service.js",
];

const EXPORT_IT = "Export the result of `odataService` as `service`: export const service = odataService({ … }).";

/** Returns the path of the module of a service. @param given as an argument; undefined for the usual places */
function findModule(given: string | undefined, folder: string): string | Problem {
  const path = given ?? CANDIDATES.find((each) => existsSync(resolve(folder, each)));
  if (path === undefined) {
    return usageProblem(
      `No module of a service was found: ${CANDIDATES.join(", ")} do not exist.`,
      "Name the module: odatakit check src/service.ts.",
    );
  }
  const absolute = resolve(folder, path);
  if (!existsSync(absolute)) return usageProblem(`The module ${path} does not exist.`, "Correct the path.");
  if (/\.[cm]?ts$/.test(path) && process.features.typescript === false) {
    return usageProblem(
      `Node.js ${process.versions.node} cannot import ${path}, because it is TypeScript.`,
      "Use Node.js 22.18 or later, or name the compiled module.",
    );
  }
  return absolute;
}

/** Imports the service of a module. @throws the error of the module */
async function loadService(path: string): Promise<ODataService | Problem> {
  const module = (await import(/* @vite-ignore */ pathToFileURL(path).href)) as Readonly<Record<string, unknown>>;
  // A service that waits for its database is a promise.
  const service: unknown = await (module["service"] ?? module["default"]);
  if (isService(service)) return service;
  const names = Object.keys(module).join(", ");
  const problem = names === "" ? "exports nothing" : `exports no service as \`service\` or by default, only ${names}`;
  return usageProblem(`The module ${path} ${problem}.`, EXPORT_IT);
}

function isService(value: unknown): value is ODataService {
  if (typeof value !== "object" || value === null || !("handle" in value) || !("ready" in value)) return false;
  return typeof value.handle === "function" && typeof value.ready === "function";
}

/** Imports `odatakit/check` as the project does: another copy of the package would not know its services. */
async function loadCheck(path: string): Promise<typeof import("odatakit/check")> {
  let own: string;
  try {
    own = createRequire(path).resolve("odatakit/check");
  } catch {
    return import("odatakit/check");
  }
  return import(/* @vite-ignore */ pathToFileURL(own).href) as Promise<typeof import("odatakit/check")>;
}
