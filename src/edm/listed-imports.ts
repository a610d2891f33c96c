import type { EntityContainer, OperationImport } from "./model.ts";

/**
 * Lists the imports of operations that stand in the service document.
 * @param listsEveryImport whether actions, and functions with parameters, are listed; if not, only functions that a
 *   client can call by their name alone
 * @see OData Protocol 4.0, section 11.1.1; OData CSDL 4.0, section 13.6
 */
export function listedImports(
  { functionImports, actionImports }: EntityContainer,
  listsEveryImport: boolean,
): readonly OperationImport[] {
  if (listsEveryImport) return [...functionImports.values(), ...actionImports.values()];
  return [...functionImports.values()].filter(({ operation }) => operation.parameters.length === 0);
}
