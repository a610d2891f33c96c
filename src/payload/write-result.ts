import { keeper, keptPer } from "../base/memo.ts";
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
  readonly resultsEnveloped: boolean;
}

/** By format. An operation is of one service, so its rules are always the same. */
const writersOf = keptPer((_operation: Operation) => new Map<string, ResultWriter>());

/**
 * The writer of results that are no entities, made on the first call of its kind. A single primitive value of a bound
 * operation stands in an envelope with its type as context. Other results stand in one where the rules say so; if not,
 * they are bare JSON without control information.
 * @param returns what the operation returns
 * @returns a writer that throws Error, naming the operation, for a value that is not one of the declared type
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
  const isValueOfBound = operation.binding !== undefined && !isCollection && type.kind === "PrimitiveType";
  if (!resultsEnveloped && !isValueOfBound) {
    return compilePropertyValue(operation.qualifiedName, result, { ...format, metadata: "none" });
  }
  const write = compilePropertyValue(operation.qualifiedName, result, format);
  const envelope = compileEnvelope(result, format, true);
  const typeName = type.kind === "PrimitiveType" ? type.name : type.qualifiedName;
  return (value, serviceRoot) => envelope(write(value), typeContext(serviceRoot, typeName, isCollection));
}

/** A result is written as a property of its type is. */
function asProperty({ type, isCollection, nullable, facets }: ValueResult): StructuralProperty {
  return keeper<StructuralProperty>({
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
  });
}
