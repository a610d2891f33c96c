import { isMeantAsParameter } from "../binder/bind-arguments.ts";
import { type QueryOptionsReading, readQueryOptions } from "../binder/read-query-options.ts";
import { requestFields } from "../definition/request-fields.ts";
import type { ServiceDefinition } from "../definition/service-definition.ts";
import type { ResourcePath } from "../query/resource-path.ts";
import type { Arrival } from "./arrival.ts";

/** A request with the state of its service that its options need. */
export interface OptionsRequest extends Pick<Arrival, "odata" | "requestId" | "url" | "sent"> {
  readonly service: {
    readonly definition: ServiceDefinition;
    /** The warnings that are logged once. */
    readonly warned: Set<string>;
  };
}

/**
 * Reads the query options of a request. A custom option that looks like a system query option is logged once for each
 * of them, because clients may omit the `$` by mistake.
 * @param path the resource: a parameter of a function is never a system query option
 * @see docs/reference/query-options.md
 */
export function readRequestOptions(request: OptionsRequest, path: ResourcePath): QueryOptionsReading {
  const { definition } = request.service;
  const functions = "operations" in path ? path.operations.filter(({ kind }) => kind === "Function") : [];
  const reading = readQueryOptions((request.sent ?? request.url).query, {
    signIsOptional: definition.profile.signIsOptional,
    isParameter: (name) => functions.some((operation) => isMeantAsParameter(operation, name)),
  });
  for (const [name, option] of reading.options.similar) warnOnce(request, name, option);
  return reading;
}

function warnOnce({ service, odata, requestId, url }: OptionsRequest, name: string, option: string): void {
  const { definition, warned } = service;
  const warning = `custom query option ${option}`;
  if (warned.has(warning)) return;
  warned.add(warning);
  try {
    const fields = requestFields(definition, { id: requestId, method: odata.method, path: url.path });
    definition.logger.warn(
      `A client sent the custom query option \`${name}\`, which the service ignores. Did you mean \`${option}\`?`,
      { ...fields, option: name },
    );
  } catch {
    // A logger that throws leaves nowhere to report to.
  }
}
