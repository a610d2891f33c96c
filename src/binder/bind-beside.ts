import { attempt } from "../base/attempt.ts";
import type { EnumType } from "../edm/model.ts";
import { ODataError, protocolError } from "../errors/odata-error.ts";
import type { BinarySyntax, MemberSyntax, SyntaxNode } from "../syntax/ast.ts";
import { invalidOption, quotedName } from "./binding-error.ts";
import type { BindingScope } from "./binding-scope.ts";
import { isPrimitive, isScalar, type Operand, typeOf } from "./operand.ts";

/** Most members that a message lists. */
const MAX_LISTED_MEMBERS = 5;

/**
 * Binds both operands of a comparison. Either may be a value that lacks its quotes.
 * @throws ODataError as for the operands, with advice for such a value
 * @see docs/reference/filter.md
 */
export function bindSides({ left, right }: BinarySyntax, scope: BindingScope): readonly [Operand, Operand] {
  const first = isName(left) ? attempt(() => scope.bind(left), ODataError) : scope.bind(left);
  if (!(first instanceof ODataError)) return [first, bindBeside(right, first, scope)];
  if (!isName(left)) throw first;
  const second = attempt(() => scope.bind(right), ODataError);
  throw second instanceof ODataError ? first : unquoted(left, first, second, scope);
}

/**
 * Binds an operand beside another one. A single unknown name beside a text or an enumeration may be a value without quotes.
 * @throws ODataError as for the operand, with advice for such a value
 * @see docs/reference/filter.md
 */
export function bindBeside(node: SyntaxNode, beside: Operand, scope: BindingScope): Operand {
  if (!isName(node)) return scope.bind(node);
  const operand = attempt(() => scope.bind(node), ODataError);
  if (operand instanceof ODataError) throw unquoted(node, operand, beside, scope);
  return operand;
}

function isName(node: SyntaxNode): node is MemberSyntax {
  return node.kind === "member" && node.source === null;
}

/** Returns the error of a name that cannot be bound: with the value in quotes, if the operand beside it takes one. */
function unquoted(
  { name, position }: MemberSyntax,
  fault: ODataError,
  beside: Operand,
  scope: BindingScope,
): ODataError {
  // Beside a literal, the name is meant to be a property.
  if (beside.kind !== "bound") return fault;
  const type = isScalar(beside) ? typeOf(beside) : null;
  if (type?.kind === "EnumType") {
    const member = memberLike(type, name);
    if (member === undefined) return withAdvice(fault, `Put a member in quotes: ${listedMembers(type)}`);
    const message = `${quotedName(name)} is no property. Put the member in quotes: '${member}'.`;
    return invalidOption(scope.option, position, message);
  }
  const isText = type !== null && isPrimitive(type, "Edm.String");
  return isText ? withAdvice(fault, `To compare with a text, write ${quotedName(name)}.`) : fault;
}

function withAdvice({ message, target }: ODataError, advice: string): ODataError {
  return protocolError("InvalidQueryOption", `${message} ${advice}`, { target });
}

/** Returns the first members, in quotes, as the end of a sentence. */
function listedMembers({ members }: EnumType): string {
  const names = [...members.keys()].map((name) => `'${name}'`);
  return names.slice(0, MAX_LISTED_MEMBERS).join(", ") + (names.length > MAX_LISTED_MEMBERS ? ", …" : ".");
}

function memberLike({ members }: EnumType, name: string): string | undefined {
  const folded = name.toLowerCase();
  return [...members.keys()].find((member) => member.toLowerCase() === folded);
}
