import type { ConfigurationFault } from "../../errors/configuration-error.ts";
import {
  type DeclaredNavigation,
  type DeclaredService,
  type DeclaredSet,
  entriesOf,
  navigationPlace,
} from "../declared-service.ts";
import { isWholeKey } from "./check-foreign-keys.ts";

/** Handlers that write a foreign key. */
const WRITES = ["create", "replace", "patch"] as const;

/**
 * Checks that a foreign key which clients write is stored as the key that it refers to: a constraint of the database
 * compares Guids letter by letter, so where one side has its own letter case and the other has not, it refuses every write.
 * @see docs/reference/sql.md, Guids in any letter case
 */
export function* checkStoredGuids({ sets }: DeclaredService): Iterable<ConfigurationFault> {
  for (const set of sets) {
    for (const navigation of set.navigations) {
      const related = sets.find(({ name }) => name === navigation.options["target"]);
      if (related === undefined || !isWritten(set, navigation, related)) continue;
      for (const [field, other] of entriesOf(navigation.options["on"])) {
        const sides = [sideOf(set, field), sideOf(related, String(other))] as const;
        const [text, plain] = sides[0].isText ? sides : [sides[1], sides[0]];
        if (!text.isText || plain.isText) continue;
        const message = `\`${navigation.field}\` is joined by ${text.place}, which has \`storage: "text"\`, and ${plain.place}, which has not. Constraints of the database compare their letter case.`;
        yield { ...navigationPlace(set, navigation), message, fix: `Give ${plain.place} \`storage: "text"\`, too.` };
      }
    }
  }
}

/** Whether both sets are over one database that holds Guids as texts, and the set with the foreign key is writable. */
function isWritten(set: DeclaredSet, navigation: DeclaredNavigation, related: DeclaredSet): boolean {
  const [own, other] = [set.declaration, related.declaration];
  if (own.anyCaseGuids === undefined || other.anyCaseGuids === undefined) return false;
  if (own.database?.instance !== other.database?.instance) return false;
  const holder = holderOf(set, navigation, related);
  return holder !== null && WRITES.some((name) => holder.options[name] !== undefined);
}

/** The set whose rows refer to the key of the other one; null where neither refers to a key. */
function holderOf(set: DeclaredSet, navigation: DeclaredNavigation, related: DeclaredSet): DeclaredSet | null {
  const pairs = entriesOf(navigation.options["on"]);
  const [own, other] = [pairs.map(([field]) => field), pairs.map(([, field]) => String(field))];
  if (navigation.declaration.cardinality !== "many" && isWholeKey(related.entityType, other)) return set;
  return isWholeKey(set.entityType, own) ? related : null;
}

function sideOf(
  { name, declaration }: DeclaredSet,
  field: string,
): { readonly place: string; readonly isText: boolean } {
  return { place: `${name}/${field}`, isText: declaration.anyCaseGuids?.includes(field) === true };
}
