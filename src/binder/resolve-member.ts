import type { Property } from "../edm/model.ts";
import { invalidOption, didYouMean, quotedName } from "./binding-error.ts";
import type { BindingContext } from "./binding-scope.ts";

/** Where names are looked up: a structured type, or the part of one that a set offers. */
export interface MemberTable<Member extends Property> {
  readonly name: string;
  /** By wire name. */
  readonly members: ReadonlyMap<string, Member>;
  /** By lower-cased wire name. */
  readonly membersIgnoringCase: ReadonlyMap<string, Member>;
}

/** What of a context decides on names. */
export interface NameRules extends Pick<BindingContext, "option" | "allowed"> {
  /** Whether a name that is not allowed is as good as unknown: so it is with what another set keeps to itself. */
  readonly isHiding?: boolean | undefined;
}

/** A name as the client wrote it. */
export interface NameInPath {
  readonly name: string;
  readonly position: number | undefined;
  /** Whether it names a property of an entity: the allowlists of the set hold such names, not those of members. */
  readonly isFirst: boolean;
}

/**
 * Resolves a name to a property: the one place where every option does so. The exact name first, then one that differs
 * in letter case only. An ignored property is not part of the model, so its name is like any unknown one.
 * @throws ODataError `InvalidQueryOption` for an unknown name, and for one that the set does not allow in the option
 * @see decisions, Responses that match no handler; specification, Collection read, rule 2
 */
export function resolveMember<Member extends Property>(
  type: MemberTable<Member>,
  path: NameInPath,
  rules: NameRules,
): Member {
  const { name, position, isFirst } = path;
  const member = type.members.get(name) ?? type.membersIgnoringCase.get(name.toLowerCase());
  const isRefused = member !== undefined && isFirst && !isAllowed(member.name, rules);
  if (member === undefined || (isRefused && rules.isHiding === true)) {
    const names = isFirst ? [...type.members.keys()].filter((known) => isAllowed(known, rules)) : type.members.keys();
    const message = `'${type.name}' has no property ${quotedName(name)}.${didYouMean(name, names)}`;
    throw invalidOption(rules.option, position, message);
  }
  if (isRefused) {
    throw invalidOption(rules.option, position, `The property '${member.name}' is not allowed in ${rules.option}.`);
  }
  return member;
}

function isAllowed(name: string, rules: NameRules): boolean {
  return rules.allowed === null || rules.allowed.has(name);
}
