import { createHash } from "node:crypto";
import process from "node:process";

/** Who sends a request. */
export interface User {
  /** Tells users apart, such as `staff`. */
  readonly id: string;
  /** 0 for staff: no customer has it. */
  readonly customerId: number;
  readonly roles: readonly string[];
}

/** Returns the user of an API key, or null for a missing or unknown key. */
export function findUser(key: string | null): User | null {
  return key === null ? null : (users.get(digestOf(key)) ?? null);
}

// Keys are found by their digest, so the time of a search tells nothing about them.
const users: ReadonlyMap<string, User> = new Map(
  [...entriesOf("API_KEYS")].map(([key, name]) => [
    digestOf(key),
    name === "staff"
      ? { id: name, customerId: 0, roles: ["staff"] }
      : { id: name, customerId: Number(name), roles: [] },
  ]),
);

/** Reads a variable such as `API_KEYS=key1:staff,key2:1`. @throws Error for another form */
function* entriesOf(variable: string): Iterable<readonly [key: string, name: string]> {
  for (const entry of (process.env[variable] ?? "").split(",")) {
    if (entry === "") continue;
    const [, key, name] = /^([^:]{20,}):(staff|\d+)$/u.exec(entry) ?? [];
    if (key === undefined || name === undefined) {
      throw new Error(
        `${variable}: write each entry as key:staff or key:<id of a customer>. A key has 20 characters or more.`,
      );
    }
    yield [key, name];
  }
}

function digestOf(key: string): string {
  return createHash("sha256").update(key).digest("base64");
}
