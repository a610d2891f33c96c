import type { DocumentObject } from "./open-api-document.ts";
import { componentName } from "./schema-registry.ts";

/** The schemes of the IANA HTTP Authentication Scheme Registry, for the OpenAPI type `http`. */
const REGISTERED: ReadonlySet<string> = new Set([
  "basic",
  "bearer",
  "concealed",
  "digest",
  "dpop",
  "gnap",
  "hoba",
  "mutual",
  "negotiate",
  "oauth",
  "privatetoken",
  "scram-sha-1",
  "scram-sha-256",
  "vapid",
]);

/** A name, optionally with a quoted or unquoted value; or a comma. */
const PART = /([\w!#$%&'*+.^`|~-]+)(?:\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([\w!#$%&'*+.^`|~-]+)))?|,|"(?:[^"\\]|\\.)*"/g;

/** One challenge of a WWW-Authenticate header. */
interface Challenge {
  readonly scheme: string;
  /** By lower-case name. */
  readonly parameters: ReadonlyMap<string, string>;
}

/**
 * Returns the authentication schemes of a service by their names in the document. An unknown scheme becomes a key in the
 * header or cookie that its parameter `header` or `cookie` names, or in the Authorization header.
 * @param challenge the WWW-Authenticate header of the service
 * @see RFC 9110, section 11.6.1; OpenAPI Specification 3.1, Security Scheme Object
 */
export function securitySchemesOf(challenge: string): Readonly<Record<string, DocumentObject>> {
  const challenges = challengesOf(challenge);
  // A challenge without a known scheme still means that credentials are used.
  const listed =
    challenges.length === 0 ? [{ scheme: "authorization", parameters: new Map<string, string>() }] : challenges;
  return Object.fromEntries(listed.map(schemeOf));
}

function schemeOf({ scheme, parameters }: Challenge): readonly [string, DocumentObject] {
  if (REGISTERED.has(scheme)) return [componentName(scheme), { type: "http", scheme }];
  const header = parameters.get("header");
  const cookie = parameters.get("cookie");
  const place = header === undefined && cookie !== undefined ? "cookie" : "header";
  const name = header ?? cookie ?? "Authorization";
  // Services of one document may expect keys in different places.
  return [componentName(`${scheme}.${name}`), { type: "apiKey", in: place, name }];
}

function challengesOf(text: string): readonly Challenge[] {
  const challenges: { readonly scheme: string; readonly parameters: Map<string, string> }[] = [];
  let isFirst = true;
  for (const [part, name, quoted, plain] of text.matchAll(PART)) {
    const value = quoted?.replaceAll(/\\(.)/g, "$1") ?? plain;
    if (name !== undefined && value !== undefined) challenges.at(-1)?.parameters.set(name.toLowerCase(), value);
    // Parameters follow their scheme; a comma separates schemes.
    else if (name !== undefined && isFirst) challenges.push({ scheme: name.toLowerCase(), parameters: new Map() });
    isFirst = part === ",";
  }
  return challenges;
}
