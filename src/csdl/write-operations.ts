import type { Operation, OperationParameter } from "../edm/model.ts";
import { coreTerm, recordAnnotation } from "./write-annotations.ts";
import { defaultText, typeAttributes } from "./write-type-reference.ts";
import { element, type XmlElement } from "./xml.ts";

/** The name of the parameter that a bound operation is bound to. */
const BINDING_PARAMETER = "bindingParameter";

/** The element of a function or action; a bound one has its binding parameter first. @see OData CSDL 4.0, section 12 */
export function writeOperation(operation: Operation): XmlElement {
  const { binding, parameters, returnType } = operation;
  const returnsBoundType = binding !== undefined && returnType?.type === binding.entityType;
  const attributes = {
    Name: operation.name,
    IsBound: binding === undefined ? undefined : "true",
    // Where the result is of the type that the operation is bound to, it is of the same set.
    EntitySetPath: returnsBoundType ? BINDING_PARAMETER : undefined,
    IsComposable: operation.isComposable && operation.kind === "Function" ? "true" : undefined,
  };
  return element(operation.kind, attributes, [
    ...(binding === undefined ? [] : [writeBindingParameter(binding)]),
    // The vocabulary wants optional parameters last; calls name their parameters, so the order is free.
    ...parameters.filter((parameter) => !isOptional(parameter)).map(writeParameter),
    ...parameters.filter(isOptional).map(writeParameter),
    ...(returnType === undefined ? [] : [element("ReturnType", typeAttributes(returnType))]),
  ]);
}

function writeBindingParameter({ entityType, isCollection }: NonNullable<Operation["binding"]>): XmlElement {
  const reference = { type: entityType, isCollection, nullable: false, facets: {} };
  return element("Parameter", { Name: BINDING_PARAMETER, ...typeAttributes(reference) });
}

function isOptional({ defaultValue }: OperationParameter): boolean {
  return defaultValue !== undefined;
}

function writeParameter(parameter: OperationParameter): XmlElement {
  const attributes = { Name: parameter.name, ...typeAttributes(parameter) };
  if (!isOptional(parameter)) return element("Parameter", attributes);
  const text = defaultText(parameter, parameter.defaultValue);
  // Inside the parameter: clients fail on annotations that name a parameter as their target.
  const value = text === undefined ? [] : [element("PropertyValue", { Property: "DefaultValue", String: text })];
  return element("Parameter", attributes, [recordAnnotation(coreTerm("OptionalParameter"), value)]);
}
