import type { Operation, Parameter } from "../../model/model.ts";
import { encodeSegment, isEditedAsJson, toLiteral } from "../../query/literals.ts";

/** The operations that a path of the screen names, with the resource that they are bound to. */
export interface NamedOperation {
  /** The path of the resource before the name; empty for an import. */
  readonly binding: string;
  readonly overloads: readonly Operation[];
}

/** Finds the operations of a path, such as `TopOrders` or `Orders(1)/Shop.Ship`. */
export function findOperations(operations: readonly Operation[], path: string): NamedOperation {
  const end = path.lastIndexOf("/");
  const [binding, name] = [path.slice(0, Math.max(end, 0)), path.slice(end + 1)];
  const overloads = operations.filter((operation) =>
    binding === ""
      ? operation.importName === name
      : operation.boundTo !== null && (operation.qualifiedName === name || operation.name === name),
  );
  return { binding, overloads };
}

/** Returns the path of a call of a function, with its arguments as literals; those without one are aliases. */
export function callPath(
  { binding, operation }: { readonly binding: string; readonly operation: Operation },
  values: ReadonlyMap<string, unknown>,
): { readonly path: string; readonly options: ReadonlyMap<string, string> } {
  const given = operation.parameters.filter(({ name }) => values.has(name));
  const isAlias = (parameter: Parameter): boolean => isEditedAsJson(parameter) && values.get(parameter.name) !== null;
  const text = (parameter: Parameter): string => {
    const { name, type } = parameter;
    return `${name}=${isAlias(parameter) ? `@${name}` : encodeSegment(toLiteral(values.get(name), type))}`;
  };
  const name = operation.importName ?? operation.qualifiedName;
  const path = `${binding === "" ? "" : `${binding}/`}${name}`;
  const aliases = given
    .filter(isAlias)
    .map(({ name: each }) => [`@${each}`, JSON.stringify(values.get(each))] as const);
  return {
    path: operation.kind === "function" ? `${path}(${given.map(text).join(",")})` : path,
    options: new Map(operation.kind === "function" ? aliases : []),
  };
}
