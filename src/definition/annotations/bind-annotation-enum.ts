import type { AnnotationExpression } from "../../edm/annotation.ts";
import { namesOf } from "../declared-service.ts";
import { isSimpleIdentifier } from "../names.ts";
import { adviseName, describe } from "../option-table.ts";
import { findVocabulary } from "./annotation-term.ts";
import { constant, type ValueContext } from "./value-context.ts";
import { type EnumerationType, expectedType, type ExpectedType } from "./vocabulary-types.ts";

/** Binds `"UI.ImportanceType/High"`. Several members of flags are separated by commas or blanks. */
export function explicitEnum(context: ValueContext, value: unknown, wanted: ExpectedType): AnnotationExpression {
  const text = typeof value === "string" ? value.trim() : "";
  const [type = ""] = text.split("/");
  const members = text.split(/[\s,]+/u).map((member) => member.split("/"));
  if (type === "" || members.some((parts, index) => parts.length > 2 || (index === 0 && parts.length !== 2))) {
    return context.wrong(value, 'a type and a member, such as "UI.ImportanceType/High"');
  }
  const names = members.map((parts) => parts.at(-1) ?? "").join(",");
  const { namespace, types, vocabularies, used } = context.targets;
  const own = [...types.enumTypes].find((each) => `${namespace}.${each.name}` === type);
  if (own !== undefined) {
    const ownType = {
      name: type,
      alias: undefined,
      members: namesOf(own.members),
      isFlags: own.isFlags,
      isOpen: false,
    };
    return statedEnum(context, names, { kind: "enum", ...ownType }, wanted);
  }
  const found = findVocabulary(context.targets, type);
  if ("message" in found) {
    context.report(`cannot be ${describe(value)}: ${found.message}`, found.fix);
    return constant("String", text);
  }
  const { alias, local, known } = found;
  used.add(alias);
  const expected = expectedType(vocabularies, { $Type: `${alias}.${local}` });
  if (expected.kind === "enum") return statedEnum(context, names, expected, wanted);
  if (expected.kind === "record") return context.wrong(value, "a member of an enumeration");
  const name = `${known.prefix}.${local}`;
  const open: EnumerationType = { kind: "enum", name, alias, members: [], isFlags: true, isOpen: true };
  return statedEnum(context, names, open, wanted);
}

/** A member whose type is stated, not only declared. */
function statedEnum(
  context: ValueContext,
  names: string,
  type: EnumerationType,
  wanted: ExpectedType,
): AnnotationExpression {
  if (wanted.kind === "enum" && wanted.name !== type.name) {
    context.report(`has a member of ${type.name}.`, `Give a member of ${wanted.name}.`);
  }
  const bound = enumConstant(context, names, type);
  return bound.kind === "Constant" && wanted.kind !== "enum" ? { ...bound, isTypeStated: true } : bound;
}

/** Binds the names of members, without their type. */
export function enumConstant(context: ValueContext, value: unknown, type: EnumerationType): AnnotationExpression {
  const { name: typeName, members, isFlags, isOpen, alias } = type;
  const names = typeof value === "string" ? value.split(",").map((name) => name.trim()) : [];
  const unknown = names.find((name) => (isOpen ? !isSimpleIdentifier(name) : !members.includes(name)));
  if (names.length === 0 || unknown !== undefined) {
    const fix = unknown === undefined ? "Give the name of a member." : adviseName(unknown, members);
    context.report(`cannot be ${describe(value)}: it is a value of the enumeration ${typeName}.`, fix);
    return constant("String", "");
  }
  if (names.length > 1 && !isFlags) {
    context.report(`has several members of ${typeName}.`, "Give one: the enumeration has no flags.");
  }
  if (alias !== undefined) context.targets.used.add(alias);
  return constant("EnumMember", names.map((name) => `${typeName}/${name}`).join(" "));
}
