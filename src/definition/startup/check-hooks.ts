import type { ConfigurationFault } from "../../base/errors/configuration-error.ts";
import { type DeclaredService, type DeclaredSet, entriesOf } from "../model/declared-service.ts";
import { adviseName, describe } from "../option-table.ts";
import type { HookedWrite } from "../sets/write-hooks.ts";
import { isCreated } from "./creating-routes.ts";
import { HOOKED_WRITES } from "./resolve-hooks.ts";

/**
 * Checks that the hooks of sets are functions for writes that their sets have.
 * @see docs/reference/handlers.md, Hooks
 */
export function* checkHooks(service: DeclaredService): Iterable<ConfigurationFault> {
  for (const set of service.sets) {
    for (const when of ["before", "after"] as const) {
      for (const [name, hook] of entriesOf(set.options[when])) {
        if (hook === undefined) continue;
        const known = HOOKED_WRITES.find((each) => each === name);
        const place = { set: set.name };
        if (known === undefined) {
          const message = `\`${when}\` of entitySet has no hook \`${name}\`.`;
          yield { ...place, message, fix: adviseName(name, HOOKED_WRITES) };
        } else if (typeof hook !== "function") {
          yield { ...place, message: `\`${when}.${name}\` cannot be ${describe(hook)}.`, fix: "Give a function." };
        } else if (!isWritten(set, known, service)) {
          const message = `\`${when}.${name}\` never runs: the set has no \`${name}\`.`;
          yield { ...place, message, fix: `Remove it, or let clients write: declare \`${name}\`.` };
        }
      }
    }
  }
}

/**
 * Whether a write can reach a set: by its own handler, by handlers of navigations that create or link its entities, or by a deep
 * insert.
 */
function isWritten(set: DeclaredSet, write: HookedWrite, service: DeclaredService): boolean {
  if (set.options[write] !== undefined) return true;
  if (write === "create") return isCreated(set, service);
  if (write !== "patch") return false;
  return service.sets.some((from) =>
    from.navigations.some(({ options: along }) => {
      const isLinked = along["target"] === set.name || from === set;
      return isLinked && LINK_HANDLERS.some((name) => along[name] !== undefined);
    }),
  );
}

const LINK_HANDLERS: readonly string[] = ["addRef", "setRef", "removeRef"];
