import { createHash } from "node:crypto";
import { usageProblem, type Problem } from "../problem.ts";
import { rolesOf, type Right, type ServeUser } from "./serve-user.ts";

const LEAST_LENGTH = 20;

/** Reads API keys, separated by commas or lines. Each may end in `:read`, the default, or `:write`. */
export function readKeys(text: string): ReadonlyMap<string, ServeUser> | Problem {
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

/** Finds the user of a key. The search is for its digest, so its time tells nothing about the keys. */
export function findKey(keys: ReadonlyMap<string, ServeUser>, key: string): ServeUser | null {
  return keys.get(digestOf(key)) ?? null;
}

function digestOf(key: string): string {
  return createHash("sha256").update(key).digest("base64");
}
