import { odataError } from "odatakit";
import type { Invocation } from "../command.ts";
import { importPackage } from "../missing-package.ts";
import { unavailable, type Problem, usageProblem } from "../problem.ts";
import type { Right, ServeUser } from "./users-file.ts";

/** Finds the user of a bearer token. */
type VerifyToken = (token: string) => Promise<ServeUser | null>;

/** Signatures that need no secret of this service. @see RFC 7518, section 3.1 */
const ALGORITHMS = [
  "RS256",
  "RS384",
  "RS512",
  "PS256",
  "PS384",
  "PS512",
  "ES256",
  "ES384",
  "ES512",
  "EdDSA",
  "Ed25519",
];
/** Seconds by which clocks may differ. */
const TOLERANCE = 30;
/** Milliseconds. */
const TIMEOUT = 5000;
/** Milliseconds between two reads of the keys because of tokens with unknown ones. */
const COOLDOWN = 10_000;

/**
 * Reads the configuration of an issuer, and makes the check of its tokens.
 * @returns a problem if the issuer cannot be reached, or describes another one
 * @throws MissingPackage without `jose`
 * @see https://openid.net/specs/openid-connect-discovery-1_0.html
 */
export async function openOidc(
  { issuer, audience, rolesClaim }: OidcSettings,
  cooldown: number = COOLDOWN,
): Promise<Problem | VerifyToken> {
  const { createRemoteJWKSet, errors, jwtVerify } = await importPackage(() => import("jose"), ["jose"]);
  const keysAt = await discover(issuer);
  if (!(keysAt instanceof URL)) return keysAt;
  const keys = createRemoteJWKSet(keysAt, { timeoutDuration: TIMEOUT, cooldownDuration: cooldown });
  const findKey = async (...header: Parameters<typeof keys>): ReturnType<typeof keys> => {
    try {
      return await keys(...header);
    } catch (error) {
      const { code = "" } = error as { readonly code?: string };
      throw error instanceof errors.JOSEError && !UNREACHABLE.has(code) ? error : new UnreachableIssuer();
    }
  };
  return async (token) => {
    try {
      const { payload } = await jwtVerify(token, findKey, {
        issuer,
        audience,
        algorithms: ALGORITHMS,
        clockTolerance: TOLERANCE,
        requiredClaims: ["exp"],
      });
      const id = subjectOf(payload);
      return id === null ? null : { id, roles: rolesIn(payload, rolesClaim) };
    } catch (error) {
      if (error instanceof errors.JWTExpired) throw odataError(401, "Unauthorized", "The token has expired.");
      // Any other error is about the token.
      if (!(error instanceof UnreachableIssuer)) return null;
      const headers = { "Retry-After": "5" };
      throw odataError(503, "ServiceUnavailable", "The issuer of tokens cannot be reached. Try again later.", {
        headers,
      });
    }
  };
}

/** The codes of `jose` for a set of keys that cannot be read. Its other codes are about the token. */
const UNREACHABLE: ReadonlySet<string> = new Set(["ERR_JOSE_GENERIC", "ERR_JWKS_INVALID", "ERR_JWKS_TIMEOUT"]);

/** The keys of the issuer cannot be read. */
class UnreachableIssuer extends Error {}

/**
 * Returns who the token is about: its subject, or the client where the issuer leaves out the subject.
 * @returns null for a token without a subject, or with a subject that is not a text
 * @see RFC 7519, section 4.1.2; RFC 8693, section 4.3
 */
function subjectOf({ sub, client_id: client }: Readonly<Record<string, unknown>>): string | null {
  const id = sub === undefined ? client : sub;
  return typeof id === "string" && id !== "" ? id : null;
}

async function discover(issuer: string): Promise<Problem | URL> {
  const address = `${issuer.replace(/\/$/, "")}/.well-known/openid-configuration`;
  const failed = (what: string): Problem => unavailable(`${address} ${what}.`, "Check `--issuer`, and its server.");
  let found: unknown;
  try {
    const response = await fetch(address, { signal: AbortSignal.timeout(TIMEOUT), redirect: "error" });
    if (!response.ok) return failed(`answers ${String(response.status)}`);
    found = await response.json();
  } catch (error) {
    return failed(error instanceof SyntaxError ? "is no JSON" : "cannot be reached");
  }
  if (typeof found !== "object" || found === null) return failed("is no JSON object");
  const { issuer: named, jwks_uri: keys } = found as Readonly<Record<string, unknown>>;
  if (named !== issuer) {
    return failed(`describes the issuer ${JSON.stringify(named)}, not ${JSON.stringify(issuer)}`);
  }
  if (typeof keys !== "string" || !isSafeAddress(keys)) return failed("names no `jwks_uri` with https");
  return new URL(keys);
}

/** Without a claim of roles, all users of the issuer may read. */
function rolesIn(payload: Readonly<Record<string, unknown>>, claim: string | null): readonly Right[] {
  if (claim === null) return ["read"];
  const found = Object.hasOwn(payload, claim) ? payload[claim] : valueAt(payload, claim.split("."));
  const texts = typeof found === "string" ? found.split(" ") : found;
  const roles = new Set<unknown>(Array.isArray(texts) ? texts : []);
  if (roles.has("write")) return ["read", "write"];
  return roles.has("read") ? ["read"] : [];
}

function valueAt(value: unknown, [name, ...rest]: readonly string[]): unknown {
  if (name === undefined) return value;
  if (typeof value !== "object" || value === null || !Object.hasOwn(value, name)) return undefined;
  return valueAt((value as Readonly<Record<string, unknown>>)[name], rest);
}

/** Whose tokens a service accepts. */
export interface OidcSettings {
  readonly issuer: string;
  readonly audience: string;
  /** The path of the claim with the roles; null for none. */
  readonly rolesClaim: string | null;
}

const NAMES = ["issuer", "audience", "roles-claim"] as const;

/** Reads the options of `--auth oidc`. @returns null without it, or all their problems */
export function readOidcSettings(options: Invocation["options"]): OidcSettings | readonly Problem[] | null {
  const given = NAMES.filter((name) => options[name] !== undefined);
  if (options["auth"] !== "oidc") {
    return given.length === 0
      ? null
      : given.map((name) => usageProblem(`\`--${name}\` needs \`--auth oidc\`.`, "Add it, or remove the option."));
  }
  const text = (name: (typeof NAMES)[number]): string => {
    const value = options[name];
    return typeof value === "string" ? value : "";
  };
  const issuer = text("issuer");
  const problems: Problem[] = [];
  if (issuer === "" || !isSafeAddress(issuer)) {
    const found = issuer === "" ? "`--auth oidc` needs `--issuer`." : `\`--issuer\` is ${JSON.stringify(issuer)}.`;
    problems.push(usageProblem(found, "Write the address of the issuer, with https, as its tokens name it."));
  }
  if (text("audience") === "") {
    const fix = "Write the audience that the tokens for this service have, so that tokens for others are refused.";
    problems.push(usageProblem("`--auth oidc` needs `--audience`.", fix));
  }
  if (problems.length > 0) return problems;
  return { issuer, audience: text("audience"), rolesClaim: text("roles-claim") || null };
}

/** Returns whether an attacker on the network cannot replace the responses of an address. */
function isSafeAddress(address: string): boolean {
  if (!URL.canParse(address)) return false;
  const { protocol, hostname } = new URL(address);
  return protocol === "https:" || (protocol === "http:" && ["localhost", "127.0.0.1", "[::1]"].includes(hostname));
}
