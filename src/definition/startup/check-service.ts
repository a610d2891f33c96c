import type { ConfigurationFault } from "../../base/errors/configuration-error.ts";
import type { PositionedDatabase } from "../../language/query/reading.ts";
import { CAN_TRACE } from "../logger.ts";
import { isDeclaration } from "../model/declaration-kind.ts";
import type { DeclaredService } from "../model/declared-service.ts";
import type { StartupRule } from "../model/declared-types.ts";
import { isNamespace } from "../names.ts";
import { checkOptions, describe, isObject } from "../option-table.ts";
import { OPTION_TABLES } from "./option-tables.ts";

/** The rules for the options of a registration. They are listed in the order of their faults. */
export const SERVICE_RULES: readonly StartupRule[] = Object.freeze([
  checkPrefix,
  checkNamespace,
  checkPublicUrl,
  checkConnectionFiles,
  checkChallenge,
  checkLogger,
  checkTrace,
  checkSecret,
  checkReplicas,
  checkBatch,
  checkCors,
  checkRoutes,
]);

/** Segments of characters that need no percent-encoding in a path. */
const PREFIX = /^(?:\/[\w.~!$&'()*+,;=:@-]+)*$/;
const VISIBLE_ASCII = /^[\x20-\x7e]+$/;

/** Checks that the prefix starts with a slash and does not end with one; the empty string is the root. */
function* checkPrefix({ options }: DeclaredService): Iterable<ConfigurationFault> {
  const { name, prefix } = options;
  if (prefix === undefined && typeof name === "string" && name !== "" && !isPrefix(`/${name}`)) {
    const message = `The prefix would be "/${name}", after the \`name\`, which is not a path.`;
    yield { message, fix: "Give a `prefix`, or a name of letters, digits, dots and hyphens." };
  }
  if (prefix === undefined || (typeof prefix === "string" && isPrefix(prefix))) return;
  const fix = 'Start with a slash and do not end with one, such as "/odata"; "" is the root.';
  yield { message: `\`prefix\` of odataService cannot be ${describe(prefix)}.`, fix };
}

/** Checks that the namespace consists of identifiers. @see OData CSDL 4.0, section 5.1.1 */
function* checkNamespace({ options }: DeclaredService): Iterable<ConfigurationFault> {
  const { namespace } = options;
  if (typeof namespace !== "string" || isNamespace(namespace)) return;
  const fix = 'Give identifiers separated by dots, such as "Shop.Sales", except Edm, odata, System and Transient.';
  yield { message: `\`namespace\` of odataService cannot be ${describe(namespace)}.`, fix };
}

/** Checks that the public URL is an absolute http or https URL to which paths can be appended. */
function* checkPublicUrl({ options }: DeclaredService): Iterable<ConfigurationFault> {
  const { publicUrl } = options;
  if (typeof publicUrl !== "string" || isBaseUrl(publicUrl)) return;
  const fix = 'Give scheme, host and perhaps a path, such as "https://api.example.com", without "?" and "#".';
  yield { message: `\`publicUrl\` of odataService cannot be ${describe(publicUrl)}.`, fix };
}

/** Checks that the name of the connection files is a segment of a path. */
function* checkConnectionFiles({ options }: DeclaredService): Iterable<ConfigurationFault> {
  const { connectionFiles: given } = options;
  const isName = typeof given === "string" && /^[\w-][\w.-]{0,99}$/.test(given);
  if (given === undefined || typeof given === "boolean" || isName) return;
  const fix = 'Give true, false, or a name of letters, digits, "_", "-" and ".", such as "shop".';
  yield { message: `\`connectionFiles\` of odataService cannot be ${describe(given)}.`, fix };
}

/** Checks that the challenge is a valid header value. */
function* checkChallenge({ options }: DeclaredService): Iterable<ConfigurationFault> {
  const { challenge } = options;
  // `checkServiceOptions` reports other values and the empty string.
  if (typeof challenge !== "string" || challenge === "" || VISIBLE_ASCII.test(challenge)) return;
  const message = "`challenge` of odataService contains characters that a header cannot contain.";
  yield { message, fix: 'Give ASCII text, such as "Bearer".' };
}

/** Checks that the logger has the functions that the service calls. */
function* checkLogger({ options }: DeclaredService): Iterable<ConfigurationFault> {
  const { logger } = options;
  if (!isObject(logger)) return;
  const missing = ["error", "warn", "info"].filter((name) => typeof logger[name] !== "function");
  if (missing.length === 0) return;
  const message = `\`logger\` of odataService has no function ${missing.join(", ")}.`;
  yield { message, fix: "Give { error(message, fields), warn(message, fields), info(message, fields) }." };
}

/** Checks that the runtime can attribute statements to requests. */
function checkTrace({ options }: DeclaredService): Iterable<ConfigurationFault> {
  return traceFaults(options, CAN_TRACE);
}

/** Returns the fault of `onStatement` in a runtime that cannot attribute statements to requests. */
export function* traceFaults(
  { onStatement }: { readonly onStatement?: unknown },
  canTrace: boolean,
): Iterable<ConfigurationFault> {
  if (onStatement === undefined || canTrace) return;
  const message = "`onStatement` of odataService needs `AsyncLocalStorage`, which this runtime lacks.";
  yield { message, fix: "Enable the modules of Node.js, such as `nodejs_compat` of Workers, or remove `onStatement`." };
}

function isPrefix(text: string): boolean {
  return PREFIX.test(text) && !text.split("/").some((segment) => segment === "." || segment === "..");
}

function isBaseUrl(text: string): boolean {
  if (!URL.canParse(text) || /[?#\s]/.test(text)) return false;
  const { protocol, username, password } = new URL(text);
  return /^https?:\/\//i.test(text) && /^https?:$/.test(protocol) && username === "" && password === "";
}

/** The minimum length of the secret, in characters or bytes. */
const MIN_LENGTH = 16;

const FIX = `Give at least ${String(MIN_LENGTH)} random characters that all processes of the service share, from its environment.`;

/** Checks the secret, which keyset paging requires. @see docs/reference/paging.md */
function* checkSecret({ options, sets }: DeclaredService): Iterable<ConfigurationFault> {
  const { secret, defaults } = options;
  if (secret !== undefined) {
    // The message does not contain the secret, because logs contain messages.
    if (typeof secret !== "string" && !(secret instanceof Uint8Array)) {
      yield { message: "`secret` of odataService is neither a string nor bytes.", fix: FIX };
    } else if (secret.length < MIN_LENGTH) {
      yield { message: `\`secret\` of odataService has only ${String(secret.length)} characters.`, fix: FIX };
    }
    return;
  }
  if (isObject(defaults) && defaults["paging"] === "keyset") {
    yield { message: '`paging: "keyset"` of `defaults` needs the `secret` of odataService.', fix: FIX };
  }
  for (const set of sets.filter((each) => each.options["paging"] === "keyset")) {
    const message = '`paging: "keyset"` of an entity set needs the `secret` of odataService.';
    yield { set: set.name, message, fix: FIX };
  }
}

/** Checks the options of batches. @see docs/reference/batch.md */
function* checkBatch({ options: { batch } }: DeclaredService): Iterable<ConfigurationFault> {
  if (batch === undefined || typeof batch === "boolean") return;
  if (!isObject(batch)) {
    const message = `\`batch\` of odataService cannot be ${describe(batch)}.`;
    yield { message, fix: "Give true, false, or an object such as { json: true }." };
    return;
  }
  yield* checkOptions(OPTION_TABLES.batch, batch, "batch", {});
  if (batch["multipart"] === false && batch["json"] !== true) {
    const message = "`batch` of odataService enables no format.";
    yield { message, fix: "Enable `multipart` or `json`, or set `batch` to false." };
  }
}

/** Checks further routes: their options, and that their paths are free. */
function* checkRoutes({ options, sets, singletons, operations }: DeclaredService): Iterable<ConfigurationFault> {
  const listed: readonly unknown[] = Array.isArray(options["routes"]) ? options["routes"] : [];
  const taken = new Set([...sets, ...singletons, ...operations].map(({ name }) => name));
  for (const [index, route] of listed.entries()) {
    if (!isDeclaration(route, "ServiceRoute")) {
      const message = `\`routes\` of odataService contains ${describe(route)} at position ${String(index)}.`;
      yield { message, fix: "List results of `openApiRoute(…)`." };
      continue;
    }
    yield* route.check();
    for (const path of route.paths) {
      if (taken.has(path)) {
        const fix = "Rename the entity set or operation, or remove this route.";
        yield { route: `/${path}`, message: "Two declarations have this path.", fix };
      }
      taken.add(path);
    }
  }
}

/** Schemes with other rules than those of `URL`, such as `capacitor://localhost`, as browsers send them. */
const OTHER_ORIGIN = /^[a-z][a-z0-9+.-]*:\/\/[a-z0-9._~-]+(?::\d{1,5})?$/;
const HEADER_NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
const GIVE_ORIGINS = 'Give `"*"`, or an array such as ["https://app.example.com"].';

/**
 * Checks the options of requests from pages of other origins.
 * @see RFC 6454, section 6.2; docs/guides/browsers.md
 */
function* checkCors({ options: { cors } }: DeclaredService): Iterable<ConfigurationFault> {
  if (cors === undefined) return;
  if (!isObject(cors)) {
    const message = `\`cors\` of odataService cannot be ${describe(cors)}.`;
    yield { message, fix: 'Give an object such as { origins: ["https://app.example.com"] }, or leave it out.' };
    return;
  }
  yield* checkOptions(OPTION_TABLES.cors, cors, "cors", {});
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

/**
 * Checks that the sets of one database agree on its replica, and that the service can seal and keep positions.
 * @see docs/guides/replicas.md
 */
function* checkReplicas({ options, sets }: DeclaredService): Iterable<ConfigurationFault> {
  const { secret, positions } = options;
  const byDatabase = new Map<object, { readonly name: string; readonly positioned: PositionedDatabase | undefined }>();
  let isPositioned = false;
  for (const { name, declaration } of sets) {
    const { database } = declaration;
    if (database === undefined) continue;
    const { instance, positioned } = database;
    isPositioned ||= positioned !== undefined;
    const known = byDatabase.get(instance);
    if (known === undefined) byDatabase.set(instance, { name, positioned });
    else if (known.positioned !== positioned) {
      const message = `The sets ${known.name} and ${name} have the same \`db\`, but another \`readFrom\` or \`replicaWait\`.`;
      yield { set: name, message, fix: "Give both sets the same: otherwise a request would read two places." };
    }
  }
  if (isPositioned && secret === undefined) {
    const message = "`readFrom` of an entity set needs the `secret` of odataService, which seals positions.";
    yield { message, fix: "Give at least 16 random characters that all processes of the service share." };
  }
  yield* checkStore(positions, isPositioned);
}

function* checkStore(positions: unknown, isPositioned: boolean): Iterable<ConfigurationFault> {
  // Other values are reported with the options of the service.
  if (!isObject(positions)) return;
  yield* checkOptions(OPTION_TABLES.positions, positions, "positions", {});
  const missing = ["read", "write"].filter((name) => positions[name] === undefined);
  if (missing.length > 0) {
    const message = `\`positions\` of odataService has no function ${missing.join(", ")}.`;
    yield { message, fix: "Give { read: (ctx) => position, write: (ctx, position) => {} }." };
  }
  if (isPositioned) return;
  const message = "`positions` of odataService has no effect: no set has `readFrom`.";
  yield { message, fix: "Give the sets of the database `readFrom`, or remove `positions`." };
}
