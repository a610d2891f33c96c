import { isNamespace, isSimpleIdentifier } from "../names.ts";

/** The operands and attributes of a dynamic expression. */
export interface OperatorRule {
  readonly least: number;
  /** 1: the single operand is not in an array. */
  readonly most: number;
  /** The other members of the object that contains the operands. */
  readonly attributes: readonly string[];
}

const TWO: OperatorRule = { least: 2, most: 2, attributes: [] };
const ONE: OperatorRule = { least: 1, most: 1, attributes: [] };
const TYPE_ATTRIBUTES: readonly string[] = ["$Type", "$Collection", "$MaxLength", "$Precision", "$Scale"];
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

/** The XML attributes of an expression. */
interface Attributes {
  readonly attributes: Readonly<Record<string, string | undefined>>;
}

/** Returns the XML attributes of a dynamic expression, or its fault. */
export function operatorAttributes(
  name: string,
  value: Readonly<Record<string, unknown>>,
  namespace: string,
): Attributes | { readonly message: string; readonly fix: string } {
  switch (name) {
    case "Apply":
      return isQualified(value["$Function"])
        ? { attributes: { Function: value["$Function"] } }
        : {
            message: "applies no function.",
            fix: 'Give the name of a function as `$Function`, such as "odata.concat".',
          };
    case "LabeledElement":
      return labelOf(value["$Name"], namespace);
    case "Cast":
    case "IsOf":
      return typeAttributesOf(value);
    case "Null":
      return value["$Null"] === null
        ? { attributes: {} }
        : { message: "gives `$Null` a value.", fix: "Write { $Null: null }." };
    default:
      return { attributes: {} };
  }
}

function labelOf(name: unknown, namespace: string): Attributes | { readonly message: string; readonly fix: string } {
  const local = typeof name === "string" && name.startsWith(`${namespace}.`) ? name.slice(namespace.length + 1) : name;
  if (typeof local === "string" && isSimpleIdentifier(local)) return { attributes: { Name: local } };
  return { message: "has no valid `$Name`.", fix: "Give an identifier." };
}

function typeAttributesOf(
  value: Readonly<Record<string, unknown>>,
): Attributes | { readonly message: string; readonly fix: string } {
  const { $Type: type = "Edm.String", $Collection: isCollection } = value;
  if (!isQualified(type)) return { message: "has no valid `$Type`.", fix: 'Give a type, such as "Edm.Duration".' };
  const facet = (name: string): string | undefined => {
    const given = value[name];
    if (given === undefined) return undefined;
    return typeof given === "number" || typeof given === "string" ? String(given) : "?";
  };
  const facets = ["$MaxLength", "$Precision", "$Scale"].find(
    (each) => !/^(?:\d+|variable|max)?$/u.test(facet(each) ?? ""),
  );
  if (facets !== undefined) return { message: `has no valid \`${facets}\`.`, fix: "Give a whole number." };
  return {
    attributes: {
      Type: isCollection === true ? `Collection(${type})` : type,
      MaxLength: facet("$MaxLength"),
      Precision: facet("$Precision"),
      Scale: facet("$Scale"),
    },
  };
}

function isQualified(name: unknown): name is string {
  if (typeof name !== "string" || !name.includes(".")) return false;
  const [prefix = ""] = name.split(".");
  return prefix === "Edm" || prefix === "odata" ? isSimpleIdentifier(name.slice(prefix.length + 1)) : isNamespace(name);
}
