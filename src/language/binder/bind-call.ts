import {
  FUNCTION_SIGNATURES,
  type FunctionName,
  type FunctionSignature,
  isFunctionName,
  isTypeFunction,
} from "../../edm/canonical-functions.ts";
import { isInteger, PRIMITIVE_TYPES, type PrimitiveTypeName } from "../../edm/primitive-type.ts";
import { counted, makesText } from "../query/computed-text.ts";
import type { CallExpression } from "../query/expression.ts";
import type { CallSyntax } from "../syntax/ast.ts";
import { bindCast } from "./bind-cast.ts";
import { toType } from "./bind-literal.ts";
import { invalidOption, unsupportedOption, didYouMean, quotedName, type BindingScope } from "./binding-scope.ts";
import { type Operand, type ScalarOperand, bound, describeOperand, isPrimitive, isScalar, typeOf } from "./operand.ts";

/** Functions of OData 4.0 and 4.01 that the service does not evaluate. */
const FUNCTIONS_NOT_OFFERED: ReadonlySet<string> = new Set(["case", "matchespattern", "hassubset", "hassubsequence"]);

/**
 * Binds a call of a canonical function. The arguments are converted to the types of the first signature that accepts them.
 * @throws ODataError `InvalidQueryOption` for an unknown function, and for arguments that no signature accepts;
 *   `UnsupportedQueryOption` for functions that the service does not evaluate
 * @see OData URL Conventions 4.0, section 5.1.1.4
 */
export function bindCall(node: CallSyntax, scope: BindingScope): Operand {
  if (node.source === null && isTypeFunction(node.name)) return bindCast(node, node.name, scope);
  const name = functionName(node, scope);
  const operands: readonly Operand[] = node.arguments.map((argument) => {
    if (argument.name === null) return scope.bind(argument.value);
    const message = `The arguments of '${name}' have no names: write ${signaturesText(name)}.`;
    throw invalidOption(scope.option, node.position, message);
  });
  const signatures: readonly FunctionSignature[] = FUNCTION_SIGNATURES[name];
  for (const signature of signatures) {
    if (!takesAll(signature, operands)) continue;
    const bindings = operands.map((operand, index) => {
      const parameter = signature.parameters[index] ?? "Edm.String";
      return toType(operand, PRIMITIVE_TYPES[parameter], scope);
    });
    const type = PRIMITIVE_TYPES[signature.returns];
    const call: CallExpression = { kind: "call", name, arguments: bindings, type };
    return bound(makesText(call) ? counted(call, scope.texts) : call, node.position);
  }
  throw invalidOption(scope.option, node.position, mismatch(name, signatures, operands));
}

function functionName(node: CallSyntax, scope: BindingScope): Exclude<FunctionName, "cast"> {
  const { name, source, position } = node;
  if (source === null && isFunctionName(name)) return name;
  if (source !== null || name.includes(".") || FUNCTIONS_NOT_OFFERED.has(name)) {
    const message = `The function ${quotedName(name)} is not supported in ${scope.option}.`;
    throw unsupportedOption(scope.option, position, message);
  }
  const message = `Unknown function ${quotedName(name)}.${didYouMean(name, Object.keys(FUNCTION_SIGNATURES))}`;
  throw invalidOption(scope.option, position, message);
}

function takesAll(signature: FunctionSignature, operands: readonly Operand[]): operands is readonly ScalarOperand[] {
  const { parameters } = signature;
  return (
    parameters.length === operands.length &&
    parameters.every((parameter, index) => {
      const operand = operands[index];
      return operand !== undefined && isScalar(operand) && takes(parameter, operand);
    })
  );
}

/**
 * An integer is accepted as position, as length and as Decimal; a Single as Double; an enumeration as the name of its member;
 * null as any type.
 */
function takes(parameter: PrimitiveTypeName, operand: ScalarOperand): boolean {
  const type = typeOf(operand);
  if (type === null || isPrimitive(type, parameter)) return true;
  // Flags have no single name.
  if (type.kind === "EnumType") return parameter === "Edm.String" && operand.kind === "bound" && !type.isFlags;
  if (parameter === "Edm.Double") return isPrimitive(type, "Edm.Single");
  return (parameter === "Edm.Int32" || parameter === "Edm.Decimal") && isInteger(type);
}

function mismatch(name: FunctionName, signatures: readonly FunctionSignature[], operands: readonly Operand[]): string {
  const counts = [...new Set(signatures.map(({ parameters }) => parameters.length))];
  if (!counts.includes(operands.length)) {
    const noun = counts.length === 1 && counts[0] === 1 ? "argument" : "arguments";
    return `'${name}' takes ${counts.join(" or ")} ${noun}, not ${operands.length}: ${signaturesText(name)}.`;
  }
  const given = operands.map(describeOperand).join(", ");
  return `'${name}' cannot take (${given}): write ${signaturesText(name)}.`;
}

function signaturesText(name: FunctionName): string {
  const signatures: readonly FunctionSignature[] = FUNCTION_SIGNATURES[name];
  return signatures.map(({ parameters }) => `${name}(${parameters.join(", ")})`).join(" or ");
}
