import type { NavigationHandlers, OfferedHandler } from "../handlers.ts";
import type { DeclaredNavigation, DeclaredSet } from "../model/declared-service.ts";
import { pickStated } from "../option-table.ts";

const NAVIGATION_HANDLERS = [
  "get",
  "getBatch",
  "create",
  "addRef",
  "setRef",
  "removeRef",
] as const satisfies ReadonlyArray<keyof NavigationHandlers<never>>;

/**
 * Returns the handlers of a navigation, without handlers of the framework that cannot work with its target set.
 * @param sets all sets of the registration
 */
export function navigationHandlersOf(
  { options }: DeclaredNavigation,
  sets: readonly DeclaredSet[],
): Readonly<Record<string, unknown>> {
  const target = sets.find((each) => each.name === options["target"])?.options;
  return Object.fromEntries(
    Object.entries(pickStated(options, NAVIGATION_HANDLERS)).filter(([, handler]) => {
      const { isOffered } = Object(handler) as OfferedHandler;
      return isOffered === undefined || isOffered(target);
    }),
  );
}
