import { PRIMITIVE_TYPES } from "../../edm/primitive-type.ts";
import { FUNCTION_SIGNATURES } from "../../query/functions.ts";
import { isNamespace, isSimpleIdentifier } from "../names.ts";
import { adviseName } from "../option-table.ts";
import type { PathTargets } from "./annotation-steps.ts";
import { findVocabulary } from "./annotation-term.ts";

/** The fault of a name, and its fix. */
export interface NameFault {
  readonly message: string;
  readonly fix: string;
}

/** The types of the namespace Edm that have no values of their own here. @see OData CSDL 4.0, section 4 */
const FURTHER_TYPES: readonly string[] = [
  ...["ComplexType", "EntityType", "PrimitiveType", "Stream", "Untyped"].map((name) => `Edm.${name}`),
  ...["Geography", "Geometry"].flatMap((kind) =>
    ["", "Point", "LineString", "Polygon", "MultiPoint", "MultiLineString", "MultiPolygon", "Collection"].map(
      (shape) => `Edm.${kind}${shape}`,
    ),
  ),
];

/** The functions of annotations beside those of expressions. @see OData CSDL 4.0, section 14.5.3.1 */
const CLIENT_FUNCTIONS: readonly string[] = ["concat", "fillUriTemplate", "uriEncode"];

/** Resolves the name of a type: of the namespace Edm, of the service or of a vocabulary. */
export function typeName(targets: PathTargets, name: unknown): { readonly name: string } | NameFault {
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
export function functionName(targets: PathTargets, name: unknown): { readonly name: string } | NameFault {
  if (!isQualified(name)) {
    const fix = 'Give the name of a function as `$Function`, such as "odata.concat".';
    return { message: "applies no function.", fix };
  }
  const { namespace, service } = targets;
  const standard = [...CLIENT_FUNCTIONS, ...Object.keys(FUNCTION_SIGNATURES)].map((each) => `odata.${each}`);
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
