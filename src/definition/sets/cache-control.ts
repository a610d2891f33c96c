import { nearestName } from "../../base/errors/nearest-name.ts";

/** The `Cache-Control` of the reads of a set. */
export interface CacheControl {
  /** The value of the header. */
  readonly text: string;
  /** Whether only the cache of one client may store a response. */
  readonly isPrivate: boolean;
}

/** The directives of responses; true: the directive has a number of seconds. */
const DIRECTIVES: Readonly<Record<string, boolean>> = {
  "max-age": true,
  "s-maxage": true,
  "stale-while-revalidate": true,
  "stale-if-error": true,
  public: false,
  private: false,
  "no-cache": false,
  "no-store": false,
  "no-transform": false,
  "must-revalidate": false,
  "proxy-revalidate": false,
  "must-understand": false,
  immutable: false,
};

/** The directives of shared caches, which contradict `private`. */
const SHARED = ["public", "s-maxage", "proxy-revalidate"] as const;

/** Returns the setting `cacheControl` as requests use it; null without one. @param given a value without a fault */
export function readCacheControl(given: string): CacheControl | null {
  if (given === "") return null;
  const names = namesOf(given);
  return Object.freeze({ text: given.trim(), isPrivate: names.includes("private") || names.includes("no-store") });
}

/**
 * Returns the fault of a value of `cacheControl`; null for a value that caches understand.
 * @see RFC 9111, section 5.2.2
 */
export function cacheControlFault(given: string): { readonly reason: string; readonly fix: string } | null {
  const names = namesOf(given);
  for (const [index, directive] of given.split(",").entries()) {
    const [name = "", ...values] = directive.trim().split("=");
    const key = name.toLowerCase();
    const needsSeconds = Object.hasOwn(DIRECTIVES, key) ? DIRECTIVES[key] : undefined;
    if (needsSeconds === undefined) {
      const nearest = nearestName(key, Object.keys(DIRECTIVES));
      const fix = nearest === null ? 'Give directives such as "private, max-age=60".' : `Did you mean \`${nearest}\`?`;
      return { reason: `has the unknown directive "${name}"`, fix };
    }
    if (needsSeconds !== values.length > 0 || (needsSeconds && !/^\d{1,10}$/.test(values.join("=")))) {
      const fix = needsSeconds ? `Give seconds: "${key}=60".` : `Give it without a value: "${key}".`;
      return { reason: `has the wrong value "${directive.trim()}"`, fix };
    }
    if (names.indexOf(key) < index) return { reason: `has \`${key}\` twice`, fix: "Give it once." };
  }
  const shared = names.includes("private") ? SHARED.find((each) => names.includes(each)) : undefined;
  if (shared === undefined) return null;
  return { reason: `has \`private\` and \`${shared}\`, which contradict each other`, fix: "Remove one of them." };
}

/** Returns a value with the same directives that only the cache of one client may use. @param given a value without a fault */
export function forOneUser(given: string): string {
  const isShared = (name: string): boolean => SHARED.some((each) => each === name);
  const kept = given.split(",").filter((directive) => !isShared(namesOf(directive).join()));
  return ["private", ...kept.map((directive) => directive.trim())].join(", ");
}

function namesOf(given: string): readonly string[] {
  return given.split(",").map((directive) => directive.trim().split("=", 1).join("").toLowerCase());
}
