import type { DeclaredSet } from "../model/declared-service.ts";
import { isObject, pickStated } from "../option-table.ts";
import type { HookedWrite, WriteHooks } from "../sets/write-hooks.ts";
import { releasingHooks } from "./release-streams.ts";

/** The writes that have hooks. */
export const HOOKED_WRITES: readonly HookedWrite[] = ["create", "replace", "patch", "delete"];

/**
 * Returns the hooks of a set; null without any. The startup check found functions; `entitySet` typed their parameters and
 * results.
 */
export function hooksOf({ options, entityType }: DeclaredSet): WriteHooks | null {
  const pick = (name: "before" | "after"): Readonly<Record<string, unknown>> => {
    const declared = options[name];
    return isObject(declared) ? pickStated(declared, HOOKED_WRITES) : {};
  };
  const [before, after] = [pick("before"), pick("after")];
  const isEmpty = Object.keys(before).length + Object.keys(after).length === 0;
  const own = isEmpty ? null : Object.freeze({ before: Object.freeze(before), after: Object.freeze(after) });
  return releasingHooks(entityType, own);
}
