import { toWireName } from "../../definition/names.ts";
import type { DescribedWarning } from "../described-service.ts";
import { TakenNames } from "./free-name.ts";
import type { MemberName } from "./naming.ts";

/** A property or navigation that needs a name. */
export interface Claim {
  /** Any text that no other claim of the type has. */
  readonly id: string;
  readonly kind: "link" | "property" | "reverse" | "to-one";
  /** The column of a property, or the columns of the foreign key. */
  readonly columns: readonly string[];
  /** What it is, such as `the column "value"`. */
  readonly what: string;
  /** The wanted name, and others if it is taken, best first. The last one gets a number if all are taken. */
  readonly names: readonly string[];
}

/** The members of an entity type with their names. */
export interface NamedMembers {
  /** By the `id` of the claim. */
  readonly members: ReadonlyMap<string, MemberName>;
  readonly warnings: readonly DescribedWarning[];
}

/** Words that an expression reads as a literal or operator in place of a property, so that no request could name it. */
const WORDS_OF_EXPRESSIONS = /^(?:null|not|INF|NaN|[Tt][Rr][Uu][Ee]|[Ff][Aa][Ll][Ss][Ee])$/u;

/** Returns whether a member cannot have a name, because expressions cannot use it. */
export function isUnusableName(name: string): boolean {
  return WORDS_OF_EXPRESSIONS.test(name);
}

/**
 * Gives each member of an entity type a name that differs from the others in more than case. Pinned names come first, then
 * the members in their order.
 * @param entity the type and set, for messages
 * @param pins the names that `NamingOptions.names` gives, by the `id` of the claim
 */
export function chooseMemberNames(
  entity: { readonly typeName: string; readonly setName: string },
  claims: readonly Claim[],
  pins: ReadonlyMap<string, string>,
): NamedMembers {
  const taken = new TakenNames();
  const owners = new Map<string, string>();
  const take = (name: string, what: string): MemberName => {
    taken.add(name);
    owners.set(name.toLowerCase(), what);
    return { name, field: toWireName(name, "camelCase") };
  };
  const pinned = new Map<string, MemberName>();
  for (const { id, what } of claims) {
    const pin = pins.get(id);
    if (pin !== undefined) pinned.set(id, take(pin, what));
  }
  const members = new Map<string, MemberName>();
  const warnings: DescribedWarning[] = [];
  const wanted = new Set(claims.map(({ id, names }) => (pins.has(id) ? "" : names[0]?.toLowerCase())));
  for (const { id, what, names } of claims) {
    const pin = pinned.get(id);
    const [usual = ""] = names;
    const isUnusable = isUnusableName(usual);
    if (pin !== undefined || (!taken.has(usual) && !isUnusable)) {
      members.set(id, pin ?? take(usual, what));
      continue;
    }
    const isFree = (name: string): boolean => !taken.has(name) && !wanted.has(name.toLowerCase());
    const owner = isUnusable ? "a word of expressions" : (owners.get(usual.toLowerCase()) ?? "");
    const member = take(taken.free(names, isFree), what);
    members.set(id, member);
    warnings.push(clashWarning(entity, member.name, `${what} is not named ${usual}, because ${owner} has that name`));
  }
  return { members, warnings };
}

function clashWarning(
  { typeName, setName }: { readonly typeName: string; readonly setName: string },
  name: string,
  reason: string,
): DescribedWarning {
  const message = `${reason}; "${typeName}.${name}" in \`names\` renames it`;
  return { code: "name-clash", place: `${setName}.${name}`, message, flag: null };
}
