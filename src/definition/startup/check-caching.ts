import type { ConfigurationFault } from "../../base/errors/configuration-error.ts";
import type { DeclaredService, DeclaredSet } from "../model/declared-service.ts";
import type { StartupRule } from "../model/declared-types.ts";
import { isObject } from "../option-table.ts";
import { cacheControlFault, forOneUser, readCacheControl } from "../sets/cache-control.ts";
import { statesRules } from "./check-authorization.ts";

/** The rules for preconditions and caches. They are listed in the order of their faults. */
export const CACHING_RULES: readonly StartupRule[] = Object.freeze([
  checkPreconditions,
  checkDigests,
  checkCacheControl,
  checkVary,
]);

/** Checks that the service can check the preconditions that it requires. @see docs/reference/etags.md */
function* checkPreconditions({ options, sets }: DeclaredService): Iterable<ConfigurationFault> {
  for (const set of sets) {
    const isOwn = set.options["requireIfMatch"] !== undefined;
    const isWritten = ["replace", "patch", "delete"].some((handler) => set.options[handler] !== undefined);
    if (settingOf(set, options, "requireIfMatch") !== true || !(isOwn || isWritten)) continue;
    const from = isOwn ? "`requireIfMatch`" : "`requireIfMatch` of `defaults`";
    const { etag, getByKey } = set.options;
    if (etag !== "all" && (!Array.isArray(etag) || etag.length === 0)) {
      const message = `${from} requires an ETag of each write, but the set has none.`;
      yield { set: set.name, message, fix: "Give `etag`, or `requireIfMatch: false`." };
    } else if (getByKey === undefined) {
      const message = `${from} requires an ETag of each write, but no \`getByKey\` loads the entity to compare it with.`;
      yield { set: set.name, message, fix: "Declare getByKey, or give `requireIfMatch: false`." };
    }
  }
}

/** Checks that no user can guess a hidden value from an ETag of all properties. @see docs/reference/etags.md */
function* checkDigests({ options: { secret }, sets }: DeclaredService): Iterable<ConfigurationFault> {
  if (secret !== undefined) return;
  for (const set of sets.filter(({ options }) => options["etag"] === "all")) {
    const reason = hiddenBy(set);
    if (reason === null) continue;
    const message = `\`etag: "all"\` needs the \`secret\` of odataService, because ${reason} hides values: without it, clients could find them by trying.`;
    yield { set: set.name, message, fix: "Give a `secret` that all processes share, or name properties in `etag`." };
  }
}

/** Returns the option that hides properties from clients, for messages; null without one. */
function hiddenBy({ options, virtual }: DeclaredSet): string | null {
  const mask = virtual.find(({ isMask }) => isMask);
  if (mask !== undefined) return `\`virtual.${mask.field}\``;
  const ruled = isObject(options["authorization"]) ? unreadableProperty(options["authorization"]) : undefined;
  return ruled === undefined ? null : `\`authorization.properties.${ruled}.read\``;
}

function unreadableProperty({ properties }: Readonly<Record<string, unknown>>): string | undefined {
  const ruled = isObject(properties) ? Object.entries(properties) : [];
  return ruled.find(([, rules]) => isObject(rules) && statesRules(rules["read"]))?.[0];
}

/** Checks the values of `cacheControl`, and that shared caches store no data of users. @see RFC 9111, section 5.2.2 */
function* checkCacheControl({ options, sets }: DeclaredService): Iterable<ConfigurationFault> {
  const { defaults } = options;
  if (isObject(defaults)) yield* checkDirectives(defaults["cacheControl"], "`cacheControl` of `defaults`", {});
  for (const set of sets) {
    const given = settingOf(set, options, "cacheControl");
    const isOwn = set.options["cacheControl"] !== undefined;
    const place = { set: set.name };
    if (isOwn) yield* checkDirectives(given, "`cacheControl`", place);
    if (typeof given !== "string" || cacheControlFault(given) !== null || readCacheControl(given)?.isPrivate === true) {
      continue;
    }
    const reason = perUser(set, options);
    if (reason === null) continue;
    const message = `\`cacheControl\`${isOwn ? "" : " of `defaults`"} lets shared caches store responses, but ${reason}.`;
    yield { ...place, message, fix: `Give the set "${forOneUser(given)}", or "no-store".` };
  }
}

/** Checks the names of headers in `vary`. @see RFC 9110, section 12.5.5 */
function* checkVary({ options: { defaults }, sets }: DeclaredService): Iterable<ConfigurationFault> {
  if (isObject(defaults)) yield* checkHeaderNames(defaults["vary"], "`vary` of `defaults`", {});
  for (const { name, options } of sets) yield* checkHeaderNames(options["vary"], "`vary`", { set: name });
}

const HEADER_NAME = /^[\w!#$%&'*+.^`|~-]+$/;

function* checkHeaderNames(
  given: unknown,
  name: string,
  place: Pick<ConfigurationFault, "set">,
): Iterable<ConfigurationFault> {
  // `checkServiceOptions` reports other values.
  if (typeof given !== "string" || given === "") return;
  const wrong = given.split(",").find((each) => !HEADER_NAME.test(each.trim()));
  if (wrong === undefined) return;
  const message = `${name} has the value "${wrong.trim()}", which is not the name of a header.`;
  yield {
    ...place,
    message,
    fix: 'Give the names of the headers that the handlers read: "Accept-Language, X-Region".',
  };
}

function* checkDirectives(
  given: unknown,
  name: string,
  place: Pick<ConfigurationFault, "set">,
): Iterable<ConfigurationFault> {
  // `checkServiceOptions` reports other values and the empty string.
  if (typeof given !== "string" || given === "") return;
  const fault = cacheControlFault(given);
  if (fault !== null) yield { ...place, message: `${name} ${fault.reason}.`, fix: fault.fix };
}

/** Returns why users read different responses, for messages; null if everybody reads the same. */
function perUser(set: DeclaredSet, service: DeclaredService["options"]): string | null {
  const rules = readRules(set, service);
  if (rules !== null) return `${rules} decides who reads the set`;
  const hasTenants = set.declaration.database?.tenantOf !== undefined;
  return hasTenants ? "the function `db` decides whose database the set reads" : null;
}

/** Returns the rules on which reads of a set depend, for messages; null if everybody reads the same. */
function readRules({ options }: DeclaredSet, service: DeclaredService["options"]): string | null {
  if (statesRules(service["authorization"])) return "`authorization` of odataService";
  const { authorization } = options;
  if (!isObject(authorization)) return null;
  if (authorization["rows"] !== undefined) return "`authorization.rows`";
  const name = authorization["read"] === undefined ? "all" : "read";
  if (statesRules(authorization[name])) return `\`authorization.${name}\``;
  const ruled = unreadableProperty(authorization);
  return ruled === undefined ? null : `\`authorization.properties.${ruled}.read\``;
}

/** Returns the value of a setting: of the set, otherwise of `defaults`. */
function settingOf(set: DeclaredSet, { defaults }: DeclaredService["options"], name: string): unknown {
  return set.options[name] ?? (isObject(defaults) ? defaults[name] : undefined);
}
