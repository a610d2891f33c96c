import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { promisify } from "node:util";
import { nodeCrypto } from "../node-crypto.ts";
import { usageProblem, type Problem } from "../problem.ts";

/** The work of scrypt, about 50 ms. */
const COST = { N: 16_384, r: 8, p: 1 } as const;
const KEY_BYTES = 32;
/** Successful passwords that need not be hashed again. */
const MOST_REMEMBERED = 1000;

/** A password as the file stores it. */
interface StoredUser {
  readonly salt: Uint8Array;
  readonly hash: Uint8Array;
  readonly user: ServeUser;
}

const LINE =
  /^(?<name>[^:\s]{1,64}):scrypt\$16384\$8\$1\$(?<salt>[\w+/]+=*)\$(?<hash>[\w+/]+=*)(?::(?<right>read|write))?$/;

const derive = promisify(
  (password: string, salt: Uint8Array, done: (error: Error | null, key: Buffer) => void): void => {
    nodeCrypto().scrypt(password.normalize("NFC"), salt, KEY_BYTES, COST, done);
  },
);

/** Returns the line of a user for the users file. */
export async function userLine(name: string, password: string, right: Right): Promise<string> {
  const salt = nodeCrypto().randomBytes(16);
  const hash = await derive(password, salt);
  const cost = `${String(COST.N)}$${String(COST.r)}$${String(COST.p)}`;
  return `${name}:scrypt$${cost}$${salt.toString("base64")}$${hash.toString("base64")}:${right}`;
}

/** Reads the users file. */
export function readUsers(file: string, folder: string): ReadonlyMap<string, StoredUser> | Problem {
  let text: string;
  try {
    text = readFileSync(resolve(folder, file), "utf8");
  } catch (error) {
    const { code = "unknown" } = error as { readonly code?: string };
    return usageProblem(`The file of \`ODATAKIT_USERS_FILE\` cannot be read (${code}).`, "Correct the path.");
  }
  const users = new Map<string, StoredUser>();
  for (const [at, line] of text.split(/\r?\n/).entries()) {
    if (line.trim() === "" || line.startsWith("#")) continue;
    const { name, salt, hash, right = "read" } = LINE.exec(line.trim())?.groups ?? {};
    if (name === undefined || salt === undefined || hash === undefined) {
      return usageProblem(`Line ${String(at + 1)} of the users file is invalid.`, "Let `odatakit hash` write it.");
    }
    const user = { id: name, roles: rolesOf(right as Right) };
    users.set(name, { salt: fromBase64(salt), hash: fromBase64(hash), user });
  }
  return users.size > 0 ? users : usageProblem("The users file is empty.", "Let `odatakit hash` write its lines.");
}

/** Credentials of a request. */
interface Credentials {
  readonly name: string;
  readonly password: string;
}

/** Makes a function that returns the user of credentials. It takes as long for unknown names as for wrong passwords. */
export function verifyUser(
  users: ReadonlyMap<string, StoredUser>,
): (credentials: Credentials) => Promise<ServeUser | null> {
  const { createHash, randomBytes, timingSafeEqual } = nodeCrypto();
  const unknown: StoredUser = { salt: randomBytes(16), hash: randomBytes(KEY_BYTES), user: { id: "", roles: [] } };
  const secret = randomBytes(16);
  const remembered = new Set<string>();
  return async ({ name, password }) => {
    const stored = users.get(name) ?? unknown;
    const mark = createHash("sha256")
      .update(secret)
      .update(JSON.stringify([name, password]))
      .digest("base64");
    if (remembered.has(mark)) return stored.user;
    const hash = await derive(password, stored.salt);
    if (!timingSafeEqual(hash, stored.hash) || stored === unknown) return null;
    if (remembered.size >= MOST_REMEMBERED) remembered.clear();
    remembered.add(mark);
    return stored.user;
  };
}

function fromBase64(text: string): Uint8Array {
  return Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
}

/** A right of a user. */
export type Right = "read" | "write";

/** A user of the service. */
export interface ServeUser {
  readonly id: string;
  readonly roles: readonly Right[];
}

/** Returns the roles of a right: who may write may read. */
export function rolesOf(right: Right): readonly Right[] {
  return right === "write" ? ["read", "write"] : ["read"];
}
