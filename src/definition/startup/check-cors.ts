import type { ConfigurationFault } from "../../errors/configuration-error.ts";
import type { DeclaredService } from "../model/declared-service.ts";
import { checkOptions, describe, isObject } from "../option-table.ts";
import { CORS_OPTIONS } from "./option-tables.ts";

/** Schemes with other rules than those of `URL`, such as `capacitor://localhost`, as browsers send them. */
const OTHER_ORIGIN = /^[a-z][a-z0-9+.-]*:\/\/[a-z0-9._~-]+(?::\d{1,5})?$/;
const HEADER_NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
const GIVE_ORIGINS = 'Give `"*"`, or an array such as ["https://app.example.com"].';

/**
 * Checks the options of requests from pages of other origins.
 * @see RFC 6454, section 6.2; docs/guides/browsers.md
 */
export function* checkCors({ options: { cors } }: DeclaredService): Iterable<ConfigurationFault> {
  if (cors === undefined) return;
  if (!isObject(cors)) {
    const message = `\`cors\` of odataService cannot be ${describe(cors)}.`;
    yield { message, fix: 'Give an object such as { origins: ["https://app.example.com"] }, or leave it out.' };
    return;
  }
  yield* checkOptions(CORS_OPTIONS, cors, "cors", {});
  yield* checkOrigins(cors["origins"]);
  yield* checkHeaders(cors["headers"]);
  if (cors["credentials"] === true && isAnyOrigin(cors["origins"])) {
    const message = "`cors` accepts credentials from every origin.";
    yield { message, fix: "List the origins of your pages in `origins`, or leave out `credentials`." };
  }
  const { maxAge } = cors;
  if (maxAge !== undefined && !(typeof maxAge === "number" && Number.isSafeInteger(maxAge) && maxAge >= 0)) {
    const message = `\`maxAge\` of cors cannot be ${describe(maxAge)}.`;
    yield { message, fix: "Give the number of seconds for which browsers may reuse a preflight, 0 or more." };
  }
}

/** Returns whether the origins are all origins. */
function isAnyOrigin(origins: unknown): boolean {
  return origins === "*" || (Array.isArray(origins) && origins.includes("*"));
}

function* checkOrigins(origins: unknown): Iterable<ConfigurationFault> {
  if (origins === "*") return;
  if (!Array.isArray(origins)) {
    yield { message: `\`origins\` of cors cannot be ${describe(origins)}.`, fix: GIVE_ORIGINS };
    return;
  }
  if (origins.length === 0) {
    yield { message: "`origins` of cors is empty.", fix: `${GIVE_ORIGINS} Or leave out \`cors\`.` };
  }
  if (origins.includes("*") && origins.length > 1) {
    yield { message: '`origins` of cors contains "*" and other origins.', fix: GIVE_ORIGINS };
    return;
  }
  for (const origin of origins as readonly unknown[]) {
    const fix = origin === "*" ? undefined : adviseOrigin(origin);
    if (fix !== undefined) yield { message: `\`origins\` of cors cannot contain ${describe(origin)}.`, fix };
  }
}

/** Returns the fault of an origin; undefined if browsers send it in this form. */
function adviseOrigin(origin: unknown): string | undefined {
  if (typeof origin !== "string" || origin === "null" || origin === "") {
    return 'Give scheme and host, such as "https://app.example.com".';
  }
  if (URL.canParse(origin) && !origin.includes("*")) {
    const { origin: sent } = new URL(origin);
    if (origin === sent || (sent === "null" && OTHER_ORIGIN.test(origin))) return undefined;
    if (sent !== "null") return `Write "${sent}": scheme, host and port only, as browsers send them.`;
    return "Write scheme, host and port only, in lower case, as browsers send them.";
  }
  const assumed = `https://${origin}`;
  const isHost = !origin.includes("*") && !origin.includes(":") && URL.canParse(assumed);
  if (isHost) return `Write the scheme, too: "${new URL(assumed).origin}".`;
  return 'Give scheme and host, such as "https://app.example.com". Patterns are not supported: list each origin.';
}

function* checkHeaders(headers: unknown): Iterable<ConfigurationFault> {
  if (headers === undefined) return;
  const names: readonly unknown[] | null = Array.isArray(headers) ? headers : null;
  const fix = 'Give an array of names of request headers, such as ["X-Api-Key"].';
  if (names === null) {
    yield { message: `\`headers\` of cors cannot be ${describe(headers)}.`, fix };
    return;
  }
  for (const name of names) {
    if (typeof name === "string" && HEADER_NAME.test(name) && name !== "*") continue;
    yield { message: `\`headers\` of cors cannot contain ${describe(name)}.`, fix };
  }
}
