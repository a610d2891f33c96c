import type { EntityType, Operation, ReturnType, StructuralProperty, ValueType } from "../edm/model.ts";
import { typeContext } from "./context-url.ts";
import type { PayloadFormat } from "./payload-format.ts";
import { compileEnvelope } from "./value-envelope.ts";
import { compilePropertyValue } from "./write-value.ts";

/** Writes what the handler of an operation returned, which is neither null nor undefined. */
export type ResultWriter = (value: unknown, serviceRoot: string) => string;

/** What an operation returns that is no entity. */
export type ValueResult = ReturnType & { readonly type: ValueType };

/** Tells a result of values from one of entities. */
export function isValueResult(returns: ReturnType): returns is ValueResult {
  return returns.type.kind !== "EntityType";
}

/** Tells what an operation returns that is one entity, or a collection of entities. */
export function isEntityResult(returns: ReturnType): returns is ReturnType & { readonly type: EntityType } {
  return returns.type.kind === "EntityType";
}

/** What the profile of a service says of results. */
export interface ResultRules {
  readonly unboundResultsEnveloped: boolean;
}

/** An operation is of one service, so its rules are always the same. */
const writers = new WeakMap<Operation, Map<string, ResultWriter>>();

/**
 * The writer of results that are no entities, made on the first call of its kind: a single primitive value of a bound
 * operation stands in an envelope with its type as context; all else is bare JSON without control information, but for
 * results of unbound operations where the rules have envelopes for them.
 * @param returns what the operation returns
 * @returns a writer that throws Error, naming the operation, for a value that is not one of the declared type
 * @see specification, Operations, 6 to 8
 */
export function resultWriter(
  operation: Operation,
  returns: ValueResult,
  format: PayloadFormat,
  { unboundResultsEnveloped }: ResultRules,
): ResultWriter {
  let ofOperation = writers.get(operation);
  if (ofOperation === undefined) writers.set(operation, (ofOperation = new Map<string, ResultWriter>()));
  const key = format.ieee754Compatible ? `${format.metadata}+` : format.metadata;
  let writer = ofOperation.get(key);
  if (writer === undefined) {
    writer = compileWriter(operation, returns, format, unboundResultsEnveloped);
    ofOperation.set(key, writer);
  }
  return writer;
}

function compileWriter(
  operation: Operation,
  returns: ValueResult,
  format: PayloadFormat,
  unboundResultsEnveloped: boolean,
): ResultWriter {
  const result = asProperty(returns);
  const { type, isCollection } = returns;
  if (operation.binding === undefined && unboundResultsEnveloped) return compileEnveloped(operation, result, format);
  if (operation.binding === undefined || isCollection || type.kind !== "PrimitiveType") {
    return compilePropertyValue(operation.qualifiedName, result, { ...format, metadata: "none" });
  }
  const write = compilePropertyValue(operation.qualifiedName, result, format);
  const envelope = compileEnvelope(result, format);
  return (value, serviceRoot) => envelope(write(value), typeContext(serviceRoot, type.name, false));
}

/**
 * Values stand in an envelope with their type as context; a complex one has the context among its members.
 * @see OData JSON Format 4.0, sections 11, 13 and 17
 */
function compileEnveloped(operation: Operation, result: StructuralProperty, format: PayloadFormat): ResultWriter {
  const { type, isCollection } = result;
  const write = compilePropertyValue(operation.qualifiedName, result, format);
  const typeName = type.kind === "PrimitiveType" ? type.name : type.qualifiedName;
  if (type.kind !== "ComplexType" || isCollection) {
    const envelope = compileEnvelope(result, format);
    return (value, serviceRoot) => envelope(write(value), typeContext(serviceRoot, typeName, isCollection));
  }
  if (format.metadata === "none") return write;
  return (value, serviceRoot) => {
    const members = write(value).slice(1);
    const context = `"@odata.context":${JSON.stringify(typeContext(serviceRoot, typeName, false))}`;
    return `{${context}${members === "}" ? "" : ","}${members}`;
  };
}

/** A result is written as a property of its type is. */
function asProperty({ type, isCollection, nullable, facets }: ValueResult): StructuralProperty {
  return {
    kind: "StructuralProperty",
    name: "result",
    field: "result",
    type,
    isCollection,
    nullable,
    isKey: false,
    computed: false,
    immutable: false,
    facets,
    index: 0,
  };
}
