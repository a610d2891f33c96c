import type { DeclaredNavigation, DeclaredSet } from "../declared-service.ts";
import { pickStated } from "../option-table.ts";
import type { NavigationHandlers, OfferedHandler } from "./handlers.ts";

const NAVIGATION_HANDLERS = [
  "get",
  "getBatch",
  "create",
  "addRef",
  "setRef",
  "removeRef",
] as const satisfies ReadonlyArray<keyof NavigationHandlers<never>>;

/**
 * The handlers of a navigation, without those that cannot do their work with the set that it leads to.
 * @param sets those of the registration
 */
export function navigationHandlersOf(
  { options }: DeclaredNavigation,
  sets: readonly DeclaredSet[],
): Readonly<Record<string, unknown>> {
  const target = sets.find((each) => each.name === options["target"])?.options;
  return Object.fromEntries(
    Object.entries(pickStated(options, NAVIGATION_HANDLERS)).filter(([, handler]) => {
      // Untyped code may have given anything; handlers of the framework may have this beside.
      if (typeof handler !== "function" || !("isOffered" in handler)) return true;
      const { isOffered } = handler as OfferedHandler;
      return isOffered === undefined || isOffered(target);
    }),
  );
}
