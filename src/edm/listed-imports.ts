import type { EntityContainer, OperationImport } from "./model.ts";

/**
 * Lists the operation imports of the service document.
 * @param listsEveryImport whether actions and functions with parameters are listed, instead of only functions without
 *   parameters
 * @see OData Protocol 4.0, section 11.1.1; OData CSDL 4.0, section 13.6
 */
export function listedImports(
  { functionImports, actionImports }: EntityContainer,
  listsEveryImport: boolean,
): readonly OperationImport[] {
  if (listsEveryImport) return [...functionImports.values(), ...actionImports.values()];
  return [...functionImports.values()].filter(({ operation }) => operation.parameters.length === 0);
}
