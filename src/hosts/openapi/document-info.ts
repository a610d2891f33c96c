import type { ConfigurationFault } from "../../base/errors/configuration-error.ts";
import { checkOptions, describe, isObject, type OptionTable } from "../../definition/option-table.ts";

/** A base URL of the services of a document. */
export interface OpenApiServer {
  /** An absolute URL, or a path on the host of the document. The paths of the document are appended. */
  readonly url: string;
  readonly description?: string | undefined;
}

/** The contact for users of an API. */
export interface OpenApiContact {
  readonly name?: string | undefined;
  readonly url?: string | undefined;
  readonly email?: string | undefined;
}

/** The licence of an API, with its SPDX identifier or the URL of its text. */
export interface OpenApiLicense {
  readonly name: string;
  readonly identifier?: string | undefined;
  readonly url?: string | undefined;
}

/** The title, version and other information of a document. */
export interface OpenApiInfo {
  /** The title; the names of the services if absent. */
  readonly title?: string | undefined;
  /** The version of the API; `1.0.0` if absent. */
  readonly version?: string | undefined;
  /** The description, in Markdown. */
  readonly description?: string | undefined;
  /** The base URLs; if absent, the `publicUrl` of the services, or the host of the document. */
  readonly servers?: readonly OpenApiServer[] | undefined;
  readonly contact?: OpenApiContact | undefined;
  readonly license?: OpenApiLicense | undefined;
}

/** The rules of these options. */
export const INFO_OPTIONS: OptionTable<keyof OpenApiInfo> = Object.freeze({
  title: { kind: "text" },
  version: { kind: "text" },
  description: { kind: "text" },
  servers: { kind: "array" },
  contact: { kind: "object" },
  license: { kind: "object" },
});

const SERVER_OPTIONS: OptionTable<keyof OpenApiServer> = { url: { kind: "text" }, description: { kind: "text" } };
const CONTACT_OPTIONS: OptionTable<keyof OpenApiContact> = {
  name: { kind: "text" },
  url: { kind: "text" },
  email: { kind: "text" },
};
const LICENSE_OPTIONS: OptionTable<keyof OpenApiLicense> = {
  name: { kind: "text" },
  identifier: { kind: "text" },
  url: { kind: "text" },
};

/**
 * Checks the objects inside the options; `INFO_OPTIONS` checks the options themselves.
 * @param owner the function that received the options
 */
export function* checkInfo(options: Readonly<Record<string, unknown>>, owner: string): Iterable<ConfigurationFault> {
  const { servers, contact, license } = options;
  if (Array.isArray(servers)) yield* checkServers(servers, owner);
  if (isObject(contact)) {
    yield* checkOptions(CONTACT_OPTIONS, contact, `\`contact\` of ${owner}`, {});
    yield* checkAddress(contact["url"], `\`contact.url\` of ${owner}`);
  }
  if (isObject(license)) {
    const place = `\`license\` of ${owner}`;
    yield* checkOptions(LICENSE_OPTIONS, license, place, {});
    yield* checkAddress(license["url"], `\`license.url\` of ${owner}`);
    if (license["name"] === undefined) {
      yield { message: `${place} has no \`name\`.`, fix: 'Give a name, such as "MIT".' };
    }
    if (license["identifier"] !== undefined && license["url"] !== undefined) {
      yield { message: `${place} has an \`identifier\` and a \`url\`.`, fix: "Give one of them." };
    }
  }
}

function* checkServers(servers: readonly unknown[], owner: string): Iterable<ConfigurationFault> {
  if (servers.length === 0) {
    yield { message: `\`servers\` of ${owner} is empty.`, fix: "Add a server, or omit `servers`." };
  }
  for (const [index, server] of servers.entries()) {
    const place = `\`servers[${String(index)}]\` of ${owner}`;
    if (!isObject(server)) {
      yield { message: `${place} cannot be ${describe(server)}.`, fix: 'Give an object, such as { url: "/" }.' };
      continue;
    }
    yield* checkOptions(SERVER_OPTIONS, server, place, {});
    if (!isServerUrl(server["url"])) {
      const message = `\`url\` of ${place} cannot be ${describe(server["url"])}.`;
      yield { message, fix: 'Give an absolute URL without a query, such as "https://api.example", or a path.' };
    }
  }
}

/** Returns whether a URL is valid for a server. OpenAPI would interpret braces as variables. */
function isServerUrl(url: unknown): boolean {
  if (typeof url !== "string" || /[?#{}\s]/u.test(url)) return false;
  return url.startsWith("/") || (/^https?:\/\//u.test(url) && URL.canParse(url));
}

function* checkAddress(url: unknown, place: string): Iterable<ConfigurationFault> {
  if (typeof url !== "string" || URL.canParse(url)) return;
  yield { message: `${place} cannot be ${describe(url)}.`, fix: "Give an absolute URL." };
}

/** Returns the servers of a document without a trailing slash, because paths start with a slash. */
export function serversOf(servers: readonly OpenApiServer[]): readonly OpenApiServer[] {
  return servers.map((server) => ({ ...server, url: server.url === "/" ? "/" : server.url.replace(/\/+$/u, "") }));
}
