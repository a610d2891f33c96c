import { recordIn, textIn } from "./annotations.ts";
import type { Operation, Parameter } from "./model.ts";
import { type Types, declared, descriptionOf, readTyped, readType } from "./read-types.ts";
import { type XmlElement, childrenOf } from "./xml-element.ts";

const OPTIONAL = "Org.OData.Core.V1.OptionalParameter";

/** Reads all overloads of functions and actions. An unbound overload without an import has no URL, and is left out. */
export function readOperations(container: XmlElement | undefined, types: Types): readonly Operation[] {
  return (["function", "action"] as const).flatMap((kind) => {
    const word = kind === "function" ? "Function" : "Action";
    const imports = container === undefined ? [] : childrenOf(container, `${word}Import`);
    return declared(types.schemas, word).flatMap(({ name, element }) => {
      const operation = readOverload(kind, name, element, types);
      if (operation.boundTo !== null) return [operation];
      return imports
        .filter(({ attributes }) => attributes[word] === name)
        .map(({ attributes }) => ({
          ...operation,
          importName: attributes["Name"] ?? null,
          entitySet: attributes["EntitySet"] ?? null,
        }));
    });
  });
}

function readOverload(kind: Operation["kind"], qualifiedName: string, element: XmlElement, types: Types): Operation {
  const all = childrenOf(element, "Parameter");
  const isBound = element.attributes["IsBound"] === "true";
  const binding = isBound && all[0] !== undefined ? readType(all[0], types) : null;
  const [result] = childrenOf(element, "ReturnType");
  return {
    name: element.attributes["Name"] ?? "",
    qualifiedName,
    importName: null,
    kind,
    boundTo: binding?.type.kind === "complex" ? binding.type.type : null,
    boundToCollection: binding?.isCollection === true,
    parameters: all.slice(isBound ? 1 : 0).map((each) => readParameter(each, qualifiedName, types)),
    result: result === undefined ? null : readType(result, types),
    entitySet: null,
    description: descriptionOf(types.schemas.annotationsOf(element, qualifiedName)),
  };
}

function readParameter(element: XmlElement, operation: string, types: Types): Parameter {
  const { stated, ...typed } = readTyped(element, operation, types);
  return {
    ...typed,
    isOptional: OPTIONAL in stated,
    defaultValue: textIn(recordIn(stated, OPTIONAL), "DefaultValue"),
  };
}
