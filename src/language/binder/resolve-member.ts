import type { ModelProperty } from "../../edm/model.ts";
import {
  invalidOption,
  didYouMean,
  quotedName,
  slashAdvice,
  type BindingContext,
  type RowNames,
} from "./binding-scope.ts";

/** A table of names: a structured type, or the part of it that a set declares. */
export interface MemberTable<Member extends ModelProperty> {
  readonly name: string;
  /** By wire name. */
  readonly members: ReadonlyMap<string, Member>;
  /** By lower-cased wire name. */
  readonly membersIgnoringCase: ReadonlyMap<string, Member>;
}

/** The rules for names in an option. */
export interface NameRules extends Pick<BindingContext, "option" | "allowed"> {
  /** Whether a disallowed name is reported as unknown, so that an allowlist of another set reveals nothing. */
  readonly isHiding?: boolean | undefined;
  /** The names that `$apply` and `$compute` have changed, for messages; absent: none. */
  readonly rows?: RowNames | undefined;
}

/** A name as the client wrote it. */
interface NameInPath {
  readonly name: string;
  readonly position: number | undefined;
  /** Whether it names a property of an entity. Allowlists apply to these, not to members of complex values. */
  readonly isFirst: boolean;
}

/**
 * Resolves a name to a property, for every option: first by the exact name, then ignoring letter case. Ignored properties
 * are not part of the model, so their names are unknown.
 * @throws ODataError `InvalidQueryOption` for an unknown name, and for a name that the set does not allow in the option
 * @see docs/reference/query-options.md
 */
export function resolveMember<Member extends ModelProperty>(
  type: MemberTable<Member>,
  path: NameInPath,
  rules: NameRules,
): Member {
  const { name, position, isFirst } = path;
  const member = type.members.get(name) ?? type.membersIgnoringCase.get(name.toLowerCase());
  const isRefused = member !== undefined && isFirst && !isAllowed(member.name, rules);
  if (member === undefined || (isRefused && rules.isHiding === true)) {
    const refusal = isFirst ? rules.rows?.refusalOf?.(name) : undefined;
    if (refusal !== undefined) throw refusal;
    const names = isFirst ? [...type.members.keys()].filter((known) => isAllowed(known, rules)) : type.members.keys();
    throw invalidOption(rules.option, position, unknownName(type.name, name, [...names], rules.rows));
  }
  if (isRefused) {
    throw invalidOption(rules.option, position, `The property '${member.name}' is not allowed in ${rules.option}.`);
  }
  return member;
}

/** Most names that a message lists. */
const MAX_LISTED_NAMES = 10;

function unknownName(type: string, name: string, names: readonly string[], rows: RowNames | undefined): string {
  const known = [...names, ...(rows?.computed.keys() ?? []), ...(rows?.joined.keys() ?? [])];
  const similar = didYouMean(name, known);
  if (rows === undefined || rows.behind === null) {
    return `'${type}' has no property ${quotedName(name)}.${similar || slashAdvice(name)}`;
  }
  const listed = known.slice(0, MAX_LISTED_NAMES).join(", ") + (known.length > MAX_LISTED_NAMES ? ", …" : "");
  return `${quotedName(name)} is not available behind ${rows.behind}.${similar || ` Available: ${listed}.`}`;
}

function isAllowed(name: string, rules: NameRules): boolean {
  return rules.allowed === null || rules.allowed.has(name);
}
