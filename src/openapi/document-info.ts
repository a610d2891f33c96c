import { checkOptions, describe, isObject, type OptionTable } from "../definition/option-table.ts";
import type { ConfigurationFault } from "../errors/configuration-error.ts";

/** An address under which clients reach the services of a document. */
export interface OpenApiServer {
  /** Absolute, or a path on the host that the document comes from. The paths of the document follow it. */
  readonly url: string;
  readonly description?: string | undefined;
}

/** Whom users of an API ask. */
export interface OpenApiContact {
  readonly name?: string | undefined;
  readonly url?: string | undefined;
  readonly email?: string | undefined;
}

/** The licence of an API: by its SPDX identifier or by the address of its text. */
export interface OpenApiLicense {
  readonly name: string;
  readonly identifier?: string | undefined;
  readonly url?: string | undefined;
}

/** Title, version and the like of a document. */
export interface OpenApiInfo {
  /** Absent: the names of the services. */
  readonly title?: string | undefined;
  /** The version of the API; absent: `1.0.0`. */
  readonly version?: string | undefined;
  /** Markdown. */
  readonly description?: string | undefined;
  /** Absent: the `publicUrl` of the services; without one, the host that the document comes from. */
  readonly servers?: readonly OpenApiServer[] | undefined;
  readonly contact?: OpenApiContact | undefined;
  readonly license?: OpenApiLicense | undefined;
}

/** The rules of these options, for tables of options that contain them. */
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
 * @param owner the function that got the options
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
    if (license["name"] === undefined) yield { message: `${place} has no \`name\`.`, fix: 'Give one, such as "MIT".' };
    if (license["identifier"] !== undefined && license["url"] !== undefined) {
      yield { message: `${place} has an \`identifier\` and a \`url\`.`, fix: "Give one of them." };
    }
  }
}

function* checkServers(servers: readonly unknown[], owner: string): Iterable<ConfigurationFault> {
  if (servers.length === 0) yield { message: `\`servers\` of ${owner} is empty.`, fix: "Give one, or leave it out." };
  for (const [index, server] of servers.entries()) {
    const place = `\`servers[${String(index)}]\` of ${owner}`;
    if (!isObject(server)) {
      yield { message: `${place} cannot be ${describe(server)}.`, fix: 'Give an object, such as { url: "/" }.' };
      continue;
    }
    yield* checkOptions(SERVER_OPTIONS, server, place, {});
    if (!isServerUrl(server["url"])) {
      const message = `\`url\` of ${place} cannot be ${describe(server["url"])}.`;
      yield { message, fix: 'Give an absolute address without query, such as "https://api.example", or a path.' };
    }
  }
}

/** Whether requests can be sent there: OpenAPI would take braces for variables. */
function isServerUrl(url: unknown): boolean {
  if (typeof url !== "string" || /[?#{}\s]/u.test(url)) return false;
  return url.startsWith("/") || (/^https?:\/\//u.test(url) && URL.canParse(url));
}

function* checkAddress(url: unknown, place: string): Iterable<ConfigurationFault> {
  if (typeof url !== "string" || URL.canParse(url)) return;
  yield { message: `${place} cannot be ${describe(url)}.`, fix: "Give an absolute address." };
}

/** The addresses as a document has them: what joins them to a path is the slash of the path. */
export function serversOf(servers: readonly OpenApiServer[]): readonly OpenApiServer[] {
  return servers.map((server) => ({ ...server, url: server.url === "/" ? "/" : server.url.replace(/\/+$/u, "") }));
}
