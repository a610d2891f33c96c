import type { DocumentObject } from "./open-api-document.ts";
import { componentName } from "./schema-registry.ts";

/** Schemes of the HTTP Authentication Scheme Registry of IANA: what OpenAPI knows as `http`. */
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

/** A name, perhaps with a value in or without quotes; or a comma. */
const PART = /([\w!#$%&'*+.^`|~-]+)(?:\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([\w!#$%&'*+.^`|~-]+)))?|,|"(?:[^"\\]|\\.)*"/g;

/** One challenge of a WWW-Authenticate header. */
interface Challenge {
  readonly scheme: string;
  /** By name in lower case. */
  readonly parameters: ReadonlyMap<string, string>;
}

/**
 * The schemes by which clients of a service sign in, by their names in the document. One that HTTP does not know is a
 * key: its parameter `header` or `cookie` says where it is sent; without one it is the Authorization header.
 * @param challenge the WWW-Authenticate header of the service
 * @see RFC 9110, section 11.6.1; OpenAPI Specification 3.1, Security Scheme Object
 */
export function securitySchemesOf(challenge: string): Readonly<Record<string, DocumentObject>> {
  const challenges = challengesOf(challenge);
  // Whoever challenges by nothing that is a scheme still looks at something.
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
  // Services of one document may have keys in different places.
  return [componentName(`${scheme}.${name}`), { type: "apiKey", in: place, name }];
}

function challengesOf(text: string): readonly Challenge[] {
  const challenges: { readonly scheme: string; readonly parameters: Map<string, string> }[] = [];
  let isFirst = true;
  for (const [part, name, quoted, plain] of text.matchAll(PART)) {
    const value = quoted?.replaceAll(/\\(.)/g, "$1") ?? plain;
    if (name !== undefined && value !== undefined) challenges.at(-1)?.parameters.set(name.toLowerCase(), value);
    // Behind a scheme stands what belongs to it, behind a comma the next one.
    else if (name !== undefined && isFirst) challenges.push({ scheme: name.toLowerCase(), parameters: new Map() });
    isFirst = part === ",";
  }
  return challenges;
}
