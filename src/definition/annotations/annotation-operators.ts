import { PRIMITIVE_TYPES } from "../../edm/primitive-type.ts";
import { FUNCTION_SIGNATURES, isFunctionName } from "../../language/query/functions.ts";
import { isNamespace, isSimpleIdentifier } from "../names.ts";
import { adviseName } from "../option-table.ts";
import type { PathTargets } from "./bind-annotation-path.ts";
import { findVocabulary, type NameFault, type ExpectedType } from "./vocabularies.ts";

/** The operands and attributes of a dynamic expression. */
interface OperatorRule {
  readonly least: number;
  /** 1: the single operand is not in an array. */
  readonly most: number;
  /** The other members of the object that contains the operands. */
  readonly attributes: readonly string[];
}

const TWO: OperatorRule = { least: 2, most: 2, attributes: [] };
const ONE: OperatorRule = { least: 1, most: 1, attributes: [] };
const TYPE_ATTRIBUTES: readonly string[] = [
  "$Type",
  "$Collection",
  "$MaxLength",
  "$Precision",
  "$Scale",
  "$SRID",
  "$Unicode",
];
const TYPED: OperatorRule = { least: 1, most: 1, attributes: TYPE_ATTRIBUTES };

/** The dynamic expressions of OData 4.0, without the dollar sign. @see OData CSDL 4.0, section 14.5 */
export const OPERATORS: Readonly<Record<string, OperatorRule>> = Object.freeze({
  And: TWO,
  Or: TWO,
  Not: ONE,
  Eq: TWO,
  Ne: TWO,
  Gt: TWO,
  Ge: TWO,
  Lt: TWO,
  Le: TWO,
  If: { least: 2, most: 3, attributes: [] },
  Apply: { least: 0, most: Infinity, attributes: ["$Function"] },
  Cast: TYPED,
  IsOf: TYPED,
  LabeledElement: { least: 1, most: 1, attributes: ["$Name"] },
  UrlRef: ONE,
  Null: ONE,
});

/** The expressions that only OData 4.01 has. */
export const operatorsOfLaterVersions: ReadonlySet<string> = new Set([
  "Add",
  "Div",
  "DivBy",
  "Has",
  "In",
  "Mod",
  "Mul",
  "Neg",
  "Sub",
]);

const BOOLEAN: ExpectedType = { kind: "edm", name: "Boolean" };
const ANY: ExpectedType = { kind: "any" };

/** Returns the expected type of an operand. @param type that of the whole expression */
export function operandType(name: string, index: number, type: ExpectedType): ExpectedType {
  switch (name) {
    case "If":
      return index === 0 ? BOOLEAN : type;
    case "And":
    case "Or":
    case "Not":
      return BOOLEAN;
    case "LabeledElement":
      return type;
    default:
      return ANY;
  }
}

/** The XML attributes of an expression. */
interface Attributes {
  readonly attributes: Readonly<Record<string, string | undefined>>;
}

/** Returns the XML attributes of a dynamic expression, or its fault. */
export function operatorAttributes(
  name: string,
  value: Readonly<Record<string, unknown>>,
  targets: PathTargets,
): Attributes | NameFault {
  switch (name) {
    case "Apply": {
      const read = functionName(targets, value["$Function"]);
      return "message" in read ? read : { attributes: { Function: read.name } };
    }
    case "LabeledElement":
      return labelOf(value["$Name"], targets.namespace);
    case "Cast":
    case "IsOf":
      return typeAttributesOf(targets, value);
    case "Null":
      return value["$Null"] === null
        ? { attributes: {} }
        : { message: "gives `$Null` a value.", fix: "Write { $Null: null }." };
    default:
      return { attributes: {} };
  }
}

function labelOf(name: unknown, namespace: string): Attributes | NameFault {
  const local = typeof name === "string" && name.startsWith(`${namespace}.`) ? name.slice(namespace.length + 1) : name;
  if (typeof local === "string" && isSimpleIdentifier(local)) return { attributes: { Name: local } };
  return { message: "has no valid `$Name`.", fix: "Give an identifier." };
}

/** The texts of a facet, and its values in words. @see OData CSDL 4.0, section 6.2 */
const FACETS: ReadonlyMap<string, readonly [pattern: RegExp, words: string]> = new Map([
  ["$MaxLength", [/^(?:\d+|max)$/u, 'a whole number or "max"']],
  ["$Precision", [/^\d+$/u, "a whole number"]],
  ["$Scale", [/^(?:\d+|variable)$/u, 'a whole number or "variable"']],
  ["$SRID", [/^(?:\d+|variable)$/u, 'a whole number or "variable"']],
  ["$Unicode", [/^(?:true|false)$/u, "true or false"]],
]);

function typeAttributesOf(targets: PathTargets, value: Readonly<Record<string, unknown>>): Attributes | NameFault {
  const { $Type: stated = "Edm.String", $Collection: isCollection } = value;
  const read = typeName(targets, stated);
  if ("message" in read) return read;
  const attributes: Record<string, string | undefined> = {
    Type: isCollection === true ? `Collection(${read.name})` : read.name,
  };
  for (const [name, [pattern, words]] of FACETS) {
    const given = value[name];
    if (given === undefined) continue;
    const isText = typeof given === "string" || typeof given === "number" || typeof given === "boolean";
    const text = isText ? String(given) : "";
    if (!pattern.test(text)) return { message: `has no valid \`${name}\`.`, fix: `Give ${words}.` };
    attributes[name.slice(1)] = text;
  }
  return { attributes };
}

/** The types of the namespace Edm without values here. @see OData CSDL 4.0, section 4 */
const FURTHER_TYPES: readonly string[] = [
  ...["ComplexType", "EntityType", "PrimitiveType", "Stream", "Untyped"].map((name) => `Edm.${name}`),
  ...["Geography", "Geometry"].flatMap((kind) =>
    ["", "Point", "LineString", "Polygon", "MultiPoint", "MultiLineString", "MultiPolygon", "Collection"].map(
      (shape) => `Edm.${kind}${shape}`,
    ),
  ),
];

/** The functions of annotations that expressions do not have. @see OData CSDL 4.0, section 14.5.3.1 */
const CLIENT_FUNCTIONS: readonly string[] = ["concat", "fillUriTemplate", "uriEncode"];

/** Resolves the name of a type: of the namespace Edm, of the service or of a vocabulary. */
function typeName(targets: PathTargets, name: unknown): { readonly name: string } | NameFault {
  if (!isQualified(name)) return { message: "has no valid `$Type`.", fix: 'Give a type, such as "Edm.Duration".' };
  const { namespace, types } = targets;
  const edm = [...Object.keys(PRIMITIVE_TYPES), ...FURTHER_TYPES];
  if (edm.includes(name)) return { name };
  const own = [...types.entityTypes, ...types.complexTypes, ...types.enumTypes].map(
    (type) => `${namespace}.${type.name}`,
  );
  if (own.includes(name)) return { name };
  if (name.startsWith("Edm.")) return unknown("$Type", name, edm);
  return ofVocabulary(targets, "$Type", name, own);
}

/** Resolves the name of a function in `$Apply`: of the standard, of the service or of a vocabulary. */
function functionName(targets: PathTargets, name: unknown): { readonly name: string } | NameFault {
  if (!isQualified(name)) {
    const fix = 'Give the name of a function as `$Function`, such as "odata.concat".';
    return { message: "applies no function.", fix };
  }
  const { namespace, service } = targets;
  const standard = [...CLIENT_FUNCTIONS, ...Object.keys(FUNCTION_SIGNATURES).filter(isFunctionName)].map(
    (each) => `odata.${each}`,
  );
  if (standard.includes(name)) return { name };
  const operations = [...service.operations, ...service.sets.flatMap((set) => set.operations)];
  const own = operations.flatMap((each) => (each.kind === "Function" ? [`${namespace}.${each.name}`] : []));
  if (own.includes(name)) return { name };
  if (name.startsWith("odata.")) return unknown("$Function", name, standard);
  return ofVocabulary(targets, "$Function", name, own);
}

/** Resolves a name of a vocabulary. Not all types of vocabularies are known: definitions of primitive types are not. */
function ofVocabulary(
  targets: PathTargets,
  member: string,
  name: string,
  own: readonly string[],
): { readonly name: string } | NameFault {
  const found = findVocabulary(targets, name);
  if ("message" in found) {
    if (name.startsWith(`${targets.namespace}.`)) return unknown(member, name, own);
    return { message: `has the \`${member}\` "${name}": ${found.message}`, fix: found.fix };
  }
  targets.used.add(found.alias);
  return { name: `${found.known.prefix}.${found.local}` };
}

function unknown(member: string, name: string, known: readonly string[]): NameFault {
  return { message: `has the unknown \`${member}\` "${name}".`, fix: adviseName(name, known) };
}

function isQualified(name: unknown): name is string {
  if (typeof name !== "string" || !name.includes(".")) return false;
  const [prefix = ""] = name.split(".");
  return prefix === "Edm" || prefix === "odata" ? isSimpleIdentifier(name.slice(prefix.length + 1)) : isNamespace(name);
}
