import { keptPer } from "../base/memo.ts";
import type { EntityType, Operation, ReturnType, StructuralProperty, ValueType } from "../edm/model.ts";
import { typeName } from "../edm/type-name.ts";
import type { PayloadFormat } from "./payload-format.ts";
import { typeContext } from "./urls.ts";
import { compileEnvelope, compilePropertyValue } from "./write-value.ts";

/** Writes the result of an operation's handler, which is neither null nor undefined. */
type ResultWriter = (value: unknown, serviceRoot: string) => string;

/** The return type of an operation that does not return entities. */
type ValueResult = ReturnType & { readonly type: ValueType };

/** Returns whether an operation returns values instead of entities. */
export function isValueResult(returns: ReturnType): returns is ValueResult {
  return returns.type.kind !== "EntityType";
}

/** Returns whether an operation returns an entity or a collection of entities. */
export function isEntityResult(returns: ReturnType): returns is ReturnType & { readonly type: EntityType } {
  return returns.type.kind === "EntityType";
}

/** The rules of the profile of a service for results. */
interface ResultRules {
  readonly resultsEnveloped: boolean;
}

/** By format. An operation belongs to one service, so its rules never change. */
const writersOf = keptPer((_operation: Operation) => new Map<string, ResultWriter>());

/**
 * Returns the writer of results other than entities, made on first use. A single primitive value of a bound operation has
 * an envelope with its type as context. Other results have an envelope if the rules require it; otherwise they are bare JSON
 * without control information.
 * @param returns the return type of the operation
 * @returns a writer that throws Error with the name of the operation for an invalid value
 * @see OData JSON Format 4.0, sections 11, 13 and 17; docs/reference/operations.md
 */
export function resultWriter(
  operation: Operation,
  returns: ValueResult,
  format: PayloadFormat,
  { resultsEnveloped }: ResultRules,
): ResultWriter {
  const ofOperation = writersOf(operation);
  const key = format.ieee754Compatible ? `${format.metadata}+` : format.metadata;
  let writer = ofOperation.get(key);
  if (writer === undefined) {
    writer = compileWriter(operation, returns, format, resultsEnveloped);
    ofOperation.set(key, writer);
  }
  return writer;
}

function compileWriter(
  operation: Operation,
  returns: ValueResult,
  format: PayloadFormat,
  resultsEnveloped: boolean,
): ResultWriter {
  const result = asProperty(returns);
  const { type, isCollection } = returns;
  const isValueOfBound = operation.binding !== undefined && !isCollection && typeName(type).startsWith("Edm.");
  if (!resultsEnveloped && !isValueOfBound) {
    return compilePropertyValue(operation.qualifiedName, result, { ...format, metadata: "none" });
  }
  const write = compilePropertyValue(operation.qualifiedName, result, format);
  const envelope = compileEnvelope(result, format, true);
  return (value, serviceRoot) => envelope(write(value), typeContext(serviceRoot, typeName(type), isCollection));
}

/** Makes a property for a result, which is written like a property of its type. */
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
