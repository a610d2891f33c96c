import type { DeclaredService } from "../declared-service.ts";

const DEFAULT_NAMESPACE = "Default";

/** The names of the elements that share the namespace with the container. */
interface NamedTypes {
  readonly entityTypes: Iterable<{ readonly name: string }>;
  readonly complexTypes: Iterable<{ readonly name: string }>;
  readonly enumTypes: Iterable<{ readonly name: string }>;
}

/** Returns the namespace of the schema, and the unqualified name of its container. */
export function schemaNames(
  { options, sets, operations }: DeclaredService,
  { entityTypes, complexTypes, enumTypes }: NamedTypes,
): { readonly namespace: string; readonly containerName: string } {
  const { namespace } = options;
  const neighbours = [
    ...entityTypes,
    ...complexTypes,
    ...enumTypes,
    ...operations,
    ...sets.flatMap((set) => set.operations),
  ];
  const isTaken = neighbours.some(({ name }) => name === "Container");
  return {
    namespace: typeof namespace === "string" ? namespace : DEFAULT_NAMESPACE,
    containerName: isTaken ? "DefaultContainer" : "Container",
  };
}
