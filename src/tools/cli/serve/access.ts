import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import type { IncomingRequest } from "odatakit";
import type { Invocation } from "../command.ts";
import { logLine } from "../log-line.ts";
import { nodeCrypto } from "../node-crypto.ts";
import { isProblem, usageProblem, type Problem } from "../problem.ts";
import { FailureLimit } from "./failure-limit.ts";
import { openOidc } from "./oidc.ts";
import { sentHeader } from "./sent-header.ts";
import type { ServeCommandSettings } from "./serve-settings.ts";
import { type ServeUser, readUsers, verifyUser, rolesOf, type Right } from "./users-file.ts";

/** The users who may use the service. */
export interface Access {
  /** The header `WWW-Authenticate` of refusals; null if everybody may read. */
  readonly challenge: string | null;
  /** Returns the user of a request; null without valid credentials. @throws ODataError after too many failures */
  readonly userOf: (request: IncomingRequest) => Promise<ServeUser | null> | ServeUser | null;
}

/**
 * Reads the credentials that `--auth` accepts.
 * @throws MissingPackage if tokens need a package that is not installed
 */
export async function readAccess(
  { auth, oidc, trustsProxy }: Pick<ServeCommandSettings, "auth" | "oidc" | "trustsProxy">,
  { environment, folder, terminal }: Pick<Invocation, "environment" | "folder" | "terminal">,
): Promise<Access | Problem> {
  if (auth === null) return { challenge: null, userOf: () => null };
  const limit = new FailureLimit(trustsProxy, Date.now, (message) => terminal.report(logLine("warning", message, {})));
  if (oidc !== null) {
    const verify = await openOidc(oidc);
    if (isProblem(verify)) return verify;
    return {
      challenge: 'Bearer realm="odatakit"',
      userOf: (request) => limit.guard(request, sentToken(request), verify),
    };
  }
  if (auth === "key") {
    const text = readSecretText("ODATAKIT_API_KEYS", { environment, folder });
    if (typeof text !== "string") return text;
    const keys = readKeys(text);
    if (isProblem(keys)) return keys;
    return {
      challenge: 'Basic realm="odatakit", charset="UTF-8"',
      userOf: (request) => limit.guard(request, sentKey(request), (key) => findKey(keys, key)),
    };
  }
  const { ODATAKIT_USERS_FILE: file } = environment;
  if (file === undefined || file === "") {
    return usageProblem(
      "`--auth basic` needs `ODATAKIT_USERS_FILE`.",
      "Name a file whose lines `odatakit hash` wrote.",
    );
  }
  const users = readUsers(file, folder);
  if (isProblem(users)) return users;
  const verify = verifyUser(users);
  return {
    challenge: 'Basic realm="odatakit", charset="UTF-8"',
    userOf: (request) => limit.guard(request, sentBasic(request), verify),
  };
}

/** Returns the key of a request: the header `x-api-key`, a bearer token, or the password that Power Query sends. */
function sentKey(request: IncomingRequest): string | null {
  const own = sentHeader(request, "x-api-key");
  if (own !== null) return own;
  return sentToken(request) ?? sentBasic(request)?.password ?? null;
}

function sentToken(request: IncomingRequest): string | null {
  return /^Bearer +(\S+) *$/i.exec(sentHeader(request, "authorization") ?? "")?.[1] ?? null;
}

function sentBasic(request: IncomingRequest): { readonly name: string; readonly password: string } | null {
  const encoded = /^Basic +([\w+/=-]+) *$/i.exec(sentHeader(request, "authorization") ?? "")?.[1];
  if (encoded === undefined) return null;
  const text = new TextDecoder().decode(Uint8Array.from(decodeBase64(encoded)));
  const colon = text.indexOf(":");
  return colon < 0 ? null : { name: text.slice(0, colon), password: text.slice(colon + 1) };
}

function decodeBase64(text: string): readonly number[] {
  try {
    return Array.from(atob(text), (character) => character.charCodeAt(0));
  } catch {
    return [];
  }
}

const LEAST_LENGTH = 20;

/** Reads API keys, separated by commas or lines. Each may end in `:read`, the default, or `:write`. */
function readKeys(text: string): ReadonlyMap<string, ServeUser> | Problem {
  const keys = new Map<string, ServeUser>();
  const entries = text.split(/[,\r\n]+/).map((entry) => entry.trim());
  for (const [at, entry] of entries.filter((each) => each !== "" && !each.startsWith("#")).entries()) {
    const [, key = "", right = "read"] = /^(.*?)(?::(read|write))?$/.exec(entry) ?? [];
    if (key.length < LEAST_LENGTH || /\s/.test(key)) {
      return usageProblem(
        `The API key ${String(at + 1)} is too short, or contains a blank.`,
        `Give ${String(LEAST_LENGTH)} characters or more, such as the output of \`openssl rand -hex 32\`.`,
      );
    }
    keys.set(digestOf(key), { id: `key ${String(at + 1)}`, roles: rolesOf(right as Right) });
  }
  return keys.size > 0 ? keys : usageProblem("There is no API key.", "Give one key at least.");
}

/** Finds the user of a key. The search compares digests, so its time reveals nothing about the keys. */
function findKey(keys: ReadonlyMap<string, ServeUser>, key: string): ServeUser | null {
  return keys.get(digestOf(key)) ?? null;
}

function digestOf(key: string): string {
  return nodeCrypto().createHash("sha256").update(key).digest("base64");
}

/** Reads a secret from an environment variable, or from the file that `<variable>_FILE` names. */
function readSecretText(
  variable: string,
  { environment, folder }: Pick<Invocation, "environment" | "folder">,
): string | Problem {
  const direct = environment[variable];
  if (direct !== undefined && direct !== "") return direct;
  const file = environment[`${variable}_FILE`];
  if (file === undefined || file === "") {
    return usageProblem(`\`${variable}\` is not set.`, `Set it, or name a file in \`${variable}_FILE\`.`);
  }
  try {
    return readFileSync(resolve(folder, file), "utf8");
  } catch (error) {
    const { code = "unknown" } = error as { readonly code?: string };
    return usageProblem(`The file of \`${variable}_FILE\` cannot be read (${code}).`, "Correct the path.");
  }
}
