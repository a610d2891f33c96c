import type { ServiceDefinition } from "../definition/service-definition.ts";
import type { DocumentObject } from "./open-api-document.ts";

/** A scheme at the beginning of a challenge, or behind a comma: a token that no equals sign follows. */
const SCHEME = /(?:^|,)\s*([\w!#$%&'*+.^`|~-]+)(?=\s+[^\s=,]|\s*(?:,|$))/g;

/** The names of the schemes by which a service lets clients sign in; none without `authenticate`. */
export function securitySchemeNames({ authenticate, challenge }: ServiceDefinition): readonly string[] {
  if (authenticate === undefined) return [];
  return [...new Set(Array.from(challenge.matchAll(SCHEME), ([, scheme]) => (scheme ?? "").toLowerCase()))]
    .map((scheme) => scheme.replaceAll(/[^\w.-]/g, "-"))
    .filter((scheme) => scheme !== "");
}

/** The schemes of HTTP that the challenges of services name. @see RFC 9110, section 11.6.1 */
export function securitySchemes(services: readonly ServiceDefinition[]): Readonly<Record<string, DocumentObject>> {
  const names = services.flatMap(securitySchemeNames);
  return Object.fromEntries(names.map((name) => [name, { type: "http", scheme: name }]));
}
