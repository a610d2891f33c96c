import { recordOf, resolveAlias } from "./annotations.ts";
import type { Operation, Parameter } from "./model.ts";
import { type Schemas, type Types, declared, descriptionOf, labelOf, readFacets, readType } from "./read-types.ts";
import { type XmlElement, childrenOf } from "./xml-element.ts";

const OPTIONAL = "Org.OData.Core.V1.OptionalParameter";

/** Reads all overloads of functions and actions. An unbound overload without an import has no URL, and is left out. */
export function readOperations(
  container: XmlElement | undefined,
  schemas: Schemas,
  types: Types,
): readonly Operation[] {
  return (["function", "action"] as const).flatMap((kind) => {
    const word = kind === "function" ? "Function" : "Action";
    const imports = childrenOf(container ?? { name: "", attributes: {}, children: [], text: "" }, `${word}Import`);
    return declared(schemas, word).flatMap(({ name, element }) => {
      const operation = readOverload(kind, name, element, { schemas, types });
      if (operation.boundTo !== null) return [operation];
      return imports
        .filter(({ attributes }) => resolveAlias(attributes[word] ?? "", schemas.aliases) === name)
        .map(({ attributes }) => ({
          ...operation,
          importName: attributes["Name"] ?? null,
          entitySet: attributes["EntitySet"] ?? null,
        }));
    });
  });
}

interface OperationContext {
  readonly schemas: Schemas;
  readonly types: Types;
}

function readOverload(
  kind: Operation["kind"],
  qualifiedName: string,
  element: XmlElement,
  context: OperationContext,
): Operation {
  const { aliases, annotations } = context.schemas;
  const all = childrenOf(element, "Parameter");
  const isBound = element.attributes["IsBound"] === "true";
  const binding = isBound ? readType(all[0]?.attributes["Type"] ?? "", context.types, aliases) : null;
  const [result] = childrenOf(element, "ReturnType");
  const returned = result === undefined ? null : readType(result.attributes["Type"] ?? "", context.types, aliases);
  return {
    name: element.attributes["Name"] ?? "",
    qualifiedName,
    importName: null,
    kind,
    boundTo: binding?.type.kind === "complex" ? binding.type.type : null,
    boundToCollection: binding?.isCollection === true,
    isComposable: element.attributes["IsComposable"] === "true",
    parameters: all.slice(isBound ? 1 : 0).map((each) => readParameter(each, qualifiedName, context)),
    result: returned === null ? null : { ...returned, isNullable: result?.attributes["Nullable"] !== "false" },
    entitySet: null,
    description: descriptionOf(annotations.of(element, qualifiedName)),
  };
}

function readParameter(element: XmlElement, operation: string, { schemas, types }: OperationContext): Parameter {
  const { attributes } = element;
  const name = attributes["Name"] ?? "";
  const stated = schemas.annotations.of(element, `${operation}/${name}`);
  const defaultValue = recordOf(stated.get(OPTIONAL))["DefaultValue"];
  return {
    name,
    label: labelOf(stated),
    ...readType(attributes["Type"] ?? "Edm.String", types, schemas.aliases),
    isNullable: attributes["Nullable"] !== "false",
    isOptional: stated.has(OPTIONAL),
    defaultValue: typeof defaultValue === "string" ? defaultValue : null,
    description: descriptionOf(stated),
    ...readFacets(attributes),
  };
}
