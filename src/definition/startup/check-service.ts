import type { ConfigurationFault } from "../../errors/configuration-error.ts";
import { isDeclaration } from "../model/declaration-kind.ts";
import type { DeclaredService } from "../model/declared-service.ts";
import { isNamespace } from "../names.ts";
import { checkOptions, describe, isObject } from "../option-table.ts";
import { CAN_TRACE } from "../statement-trace.ts";
import { BATCH_OPTIONS } from "./option-tables.ts";

/** Segments of characters that need no percent-encoding in a path. */
const PREFIX = /^(?:\/[\w.~!$&'()*+,;=:@-]+)*$/;
const VISIBLE_ASCII = /^[\x20-\x7e]+$/;

/** Checks that the prefix starts with a slash and does not end with one; the empty string is the root. */
export function* checkPrefix({ options }: DeclaredService): Iterable<ConfigurationFault> {
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
export function* checkNamespace({ options }: DeclaredService): Iterable<ConfigurationFault> {
  const { namespace } = options;
  if (typeof namespace !== "string" || isNamespace(namespace)) return;
  const fix = 'Give identifiers separated by dots, such as "Shop.Sales", except Edm, odata, System and Transient.';
  yield { message: `\`namespace\` of odataService cannot be ${describe(namespace)}.`, fix };
}

/** Checks that the public URL is an absolute http or https URL to which paths can be appended. */
export function* checkPublicUrl({ options }: DeclaredService): Iterable<ConfigurationFault> {
  const { publicUrl } = options;
  if (typeof publicUrl !== "string" || isBaseUrl(publicUrl)) return;
  const fix = 'Give scheme, host and perhaps a path, such as "https://api.example.com", without "?" and "#".';
  yield { message: `\`publicUrl\` of odataService cannot be ${describe(publicUrl)}.`, fix };
}

/** Checks that the name of the connection files is a segment of a path. */
export function* checkConnectionFiles({ options }: DeclaredService): Iterable<ConfigurationFault> {
  const { connectionFiles: given } = options;
  const isName = typeof given === "string" && /^[\w-][\w.-]{0,99}$/.test(given);
  if (given === undefined || typeof given === "boolean" || isName) return;
  const fix = 'Give true, false, or a name of letters, digits, "_", "-" and ".", such as "shop".';
  yield { message: `\`connectionFiles\` of odataService cannot be ${describe(given)}.`, fix };
}

/** Checks that the challenge is a valid header value. */
export function* checkChallenge({ options }: DeclaredService): Iterable<ConfigurationFault> {
  const { challenge } = options;
  // `checkServiceOptions` reports other values and the empty string.
  if (typeof challenge !== "string" || challenge === "" || VISIBLE_ASCII.test(challenge)) return;
  const message = "`challenge` of odataService contains characters that a header cannot contain.";
  yield { message, fix: 'Give ASCII text, such as "Bearer".' };
}

/** Checks that the logger has the functions that the service calls. */
export function* checkLogger({ options }: DeclaredService): Iterable<ConfigurationFault> {
  const { logger } = options;
  if (!isObject(logger)) return;
  const missing = ["error", "warn", "info"].filter((name) => typeof logger[name] !== "function");
  if (missing.length === 0) return;
  const message = `\`logger\` of odataService has no function ${missing.join(", ")}.`;
  yield { message, fix: "Give { error(message, fields), warn(message, fields), info(message, fields) }." };
}

/** Checks that the runtime can attribute statements to requests. */
export function checkTrace({ options }: DeclaredService): Iterable<ConfigurationFault> {
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
export function* checkSecret({ options, sets }: DeclaredService): Iterable<ConfigurationFault> {
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
export function* checkBatch({ options: { batch } }: DeclaredService): Iterable<ConfigurationFault> {
  if (batch === undefined || typeof batch === "boolean") return;
  if (!isObject(batch)) {
    const message = `\`batch\` of odataService cannot be ${describe(batch)}.`;
    yield { message, fix: "Give true, false, or an object such as { json: true }." };
    return;
  }
  yield* checkOptions(BATCH_OPTIONS, batch, "batch", {});
  if (batch["multipart"] === false && batch["json"] !== true) {
    const message = "`batch` of odataService enables no format.";
    yield { message, fix: "Enable `multipart` or `json`, or set `batch` to false." };
  }
}

/** Checks further routes: their options, and that their paths are free. */
export function* checkRoutes({ options, sets, operations }: DeclaredService): Iterable<ConfigurationFault> {
  const listed: readonly unknown[] = Array.isArray(options["routes"]) ? options["routes"] : [];
  const taken = new Set([...sets, ...operations].map(({ name }) => name));
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
