import { unavailable, type Problem } from "./problem.ts";
import { scrub } from "./redact.ts";
import { describeTarget, type Target } from "./target.ts";

/** What is wrong, by the code of a driver, and what to do. */
const FAILURES: ReadonlyArray<readonly [code: RegExp, what: string, fix: string]> = [
  [/^ECONNREFUSED$/, "refuses the connection", "Start the server, or correct the host and the port."],
  [/^(?:ENOTFOUND|EAI_AGAIN)$/, "has an unknown host", "Correct the host."],
  [/^(?:ETIMEDOUT|EHOSTUNREACH|ENETUNREACH)$/, "does not answer", "Check the host, the port and the firewall."],
  [
    /^(?:28P01|28000|ER_ACCESS_DENIED_ERROR|ER_ACCESS_DENIED_NO_PASSWORD_ERROR|1045)$/,
    "denies access",
    "Correct the user and the password.",
  ],
  [/^(?:3D000|ER_BAD_DB_ERROR|1049)$/, "has no database of this name", "Correct the name at the end of the URL."],
  [/^(?:ER_DBACCESS_DENIED_ERROR|1044|42501)$/, "denies access to the database", "Grant the user access to it."],
  [/^(?:53300|ER_CON_COUNT_ERROR|1040)$/, "has too many connections", "Try again later, or lower `--pool`."],
];

/** Describes why a database cannot be used, without its password. */
export function describeFailure(error: unknown, target: Target): Problem {
  const shown = describeTarget(target);
  const code = codeOf(error);
  const known = FAILURES.find(([pattern]) => pattern.test(code));
  if (known !== undefined) return unavailable(`${shown} ${known[1]}.`, known[2]);
  const url = "url" in target ? target.url : "";
  const message = scrub(messageOf(error), url).replace(/\.$/, "");
  if (/timeout|timed out/i.test(message)) {
    return unavailable(`${shown} does not answer.`, "Check the host, the port and the firewall.");
  }
  const suffix = code === "" ? "" : ` (${code})`;
  const fix = /Node\.js [\d.]+ or later/.test(message)
    ? "Use a later version of Node.js."
    : "Correct the target or the server.";
  return unavailable(`${shown} cannot be used: ${message}${suffix}.`, fix);
}

function codeOf(error: unknown): string {
  if (typeof error !== "object" || error === null) return "";
  if ("code" in error && typeof error.code === "string") return error.code;
  // Several addresses of one host fail together.
  const [first] = "errors" in error && Array.isArray(error.errors) ? (error.errors as unknown[]) : [];
  if (first !== undefined) return codeOf(first);
  return "cause" in error ? codeOf(error.cause) : "";
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
