import type { EntityStream } from "../definition/sets/handlers.ts";
import { isODataError, type ODataError } from "../errors/odata-error.ts";
import type { QueryableSource } from "../query/source.ts";

/** The value of a handler's answer. @throws the error that the handler returned instead of a value */
export function orThrow<T>(answer: T | ODataError): T {
  if (isODataError(answer)) throw answer;
  return answer;
}

/** Tells a source from entities, as the answer of a handler that may give either. */
export function isSource(value: QueryableSource | EntityStream): value is QueryableSource {
  return typeof value === "object" && value !== null && "kind" in value && value.kind === "EntitySource";
}
