import { resolve } from "node:path";
import process from "node:process";
import type { DatabaseReport } from "odatakit/check";
import type { Command, CommandOption, Invocation } from "../command.ts";
import type { ExitReason } from "../exit-codes.ts";
import { missingPackage } from "../missing-package.ts";
import { checkFile } from "../open-database.ts";
import { FINDING_STYLES, paint } from "../paint.ts";
import { isProblem, unavailable, usageProblem, type Problem } from "../problem.ts";
import { printable, redact } from "../redact.ts";
import { reportProblems } from "../report-problems.ts";
import { parseTarget } from "../target.ts";
import { baselineKey, readBaseline, writeBaseline } from "./baseline.ts";
import { annotationOf, counted, countOf, describeFindings } from "./findings.ts";
import { findModule, loadCheck, loadService } from "./load-service.ts";

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
  if (target.kind === "sqlite") {
    process.env["DATABASE_FILE"] = target.file;
    return checkFile(resolve(folder, target.file), target.file);
  }
  if (target.kind === "pglite") process.env["DATABASE_FOLDER"] = target.folder;
  return undefined;
}

function maxWarningsOf(given: Invocation["options"][string]): number | Problem {
  if (given === undefined) return Infinity;
  if (typeof given === "string" && /^\d{1,9}$/.test(given)) return Number(given);
  return usageProblem(
    `--max-warnings is ${JSON.stringify(given)}, which is no whole number.`,
    "Give a number, such as --max-warnings 0.",
  );
}

/** Faults of declarations differ from faults of the module: they have a code of their own. */
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
