import type { ConfigurationFault } from "../../errors/configuration-error.ts";
import { type DeclaredService, type DeclaredSet, navigationPlace } from "../declared-service.ts";
import { needsResource, resolveCategories } from "../rules/authorization.ts";
import { asksTargetOf, setsAlong } from "../rules/navigation-authorization.ts";
import { linkRoutes, type NavigationInto, relatedHoldsKey } from "../rules/routes-into.ts";
import { navigationHandlersOf } from "../sets/navigation-handlers.ts";
import { isOverTable } from "./check-links.ts";

/**
 * Writing a link asks the rules of the related entity. Where a rule judges that entity, the service must be able to find
 * it: by the target set, and (a link that is removed or replaced names no entity) by reading along the navigation.
 * @see docs/guides/authorization.md
 */
export function* checkNavigationRules({ sets }: DeclaredService): Iterable<ConfigurationFault> {
  for (const from of sets) {
    for (const navigation of from.navigations) {
      const into: NavigationInto = { from, navigation };
      if (!asksTargetOf(navigation)) continue;
      const [judging] = setsAlong(navigation, sets).filter((set) => judgesLinks(into, set, sets));
      const [route] = linkRoutes(into, sets);
      if (judging === undefined || route === undefined) continue;
      const place = { ...navigationPlace(from, navigation), route: route.route, method: route.method };
      const rule = `${judging.name} requires resource(…) of the entities that \`${navigation.field}\` links`;
      if (navigation.options["target"] === undefined) {
        const fix = `Give \`target\`: "${judging.name}", or skip its rules: authorization: "parent".`;
        yield { ...place, message: `${rule}, but \`${navigation.field}\` names no \`target\`.`, fix };
      } else if (changesUnnamed(into, sets) && !isReadable(into, judging, sets)) {
        const fix = 'Give `get`, or skip the rules of the target set: authorization: "parent".';
        yield { ...place, message: `${rule}, but nothing reads the entity that is linked now.`, fix };
      }
    }
  }
}

/** Whether a rule that judges an entity is asked where links along a navigation are written. */
function judgesLinks({ navigation }: NavigationInto, set: DeclaredSet, sets: readonly DeclaredSet[]): boolean {
  const { read, update } = resolveCategories(set.options["authorization"]);
  return [...read, ...(relatedHoldsKey(navigation, sets) ? update : [])].some(needsResource);
}

/** Whether requests change a link whose entity they do not name. */
function changesUnnamed({ navigation }: NavigationInto, sets: readonly DeclaredSet[]): boolean {
  if (navigation.declaration.cardinality === "many") return false;
  const { setRef, removeRef } = navigationHandlersOf(navigation, sets);
  return removeRef !== undefined || (setRef !== undefined && relatedHoldsKey(navigation, sets));
}

function isReadable({ from, navigation }: NavigationInto, target: DeclaredSet, sets: readonly DeclaredSet[]): boolean {
  const { get, getBatch } = navigationHandlersOf(navigation, sets);
  if ((get ?? getBatch) !== undefined) return true;
  const isJoined = (navigation.options["on"] ?? navigation.options["through"]) !== undefined;
  return isJoined && isOverTable(from) && from.options["getByKey"] !== undefined && isOverTable(target);
}
