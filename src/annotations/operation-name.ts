import type { DeclaredOperation, DeclaredSet } from "../definition/model/declared-service.ts";
import { adviseName } from "../definition/option-table.ts";
import type { PropertyDeclaration } from "../definition/types/value-type.ts";
import type { NameFault } from "./annotation-term.ts";
import type { PathTargets } from "./bind-annotation-path.ts";

/** An operation, and the set to which it is bound. */
interface Overload {
  readonly operation: DeclaredOperation;
  readonly set: DeclaredSet | undefined;
}

/** The forms of names: an import of a container, and an operation with or without the types that choose an overload. */
const IMPORT = /^(?<owner>[^()/]+)\/(?<name>[^()/]+)$/u;
const OPERATION = /^(?<owner>[^()/]+)\.(?<name>[^()/.]+)(?:\((?<types>.*)\))?$/u;

/**
 * Checks the name of a function or action in an annotation: `Shop.approve`, `Shop.approve(Shop.Order)`, `restock` or
 * `Shop.Container/restock` for an unbound one. Names in schemas of other services are not checked.
 * @returns null for a valid name
 * @see docs/reference/annotations.md, Names of operations
 */
export function operationNameFault(targets: PathTargets, text: string): NameFault | null {
  const overloads = overloadsOf(targets);
  const { namespace, containerName } = targets;
  const imported = IMPORT.exec(text)?.groups;
  if (imported !== undefined) {
    const { owner = "", name = "" } = imported;
    if (owner === `${namespace}.${containerName}`) return importFault(targets, overloads, name);
    return ownerFault(targets, owner.slice(0, owner.lastIndexOf(".")), `${owner} is not a container of this service.`);
  }
  const qualified = OPERATION.exec(text)?.groups;
  if (qualified === undefined) return importFault(targets, overloads, text);
  const { owner = "", name = "", types } = qualified;
  if (owner !== namespace) return ownerFault(targets, owner, `${owner} is not a namespace of this service.`);
  const named = overloads.filter(({ operation }) => operation.name === name);
  if (named.length === 0) {
    const fix = adviseName(`${namespace}.${name}`, qualifiedNames(namespace, overloads));
    return { message: "The service does not declare it.", fix };
  }
  const signatures = named.map((overload) => signatureOf(targets, overload));
  if (types === undefined || signatures.includes(types.replaceAll(" ", ""))) return null;
  const known = [...new Set(signatures)].map((each) => `\`${namespace}.${name}(${each})\``).join(", ");
  return { message: "No overload has these types.", fix: `Write ${known}, or the name without types.` };
}

function overloadsOf({ service }: PathTargets): readonly Overload[] {
  return [
    ...service.operations.map((operation) => ({ operation, set: undefined })),
    ...service.sets.flatMap((set) => set.operations.map((operation) => ({ operation, set }))),
  ];
}

function importFault({ namespace }: PathTargets, overloads: readonly Overload[], name: string): NameFault | null {
  const imports = overloads.flatMap(({ operation, set }) => (set === undefined ? [operation.name] : []));
  if (imports.includes(name)) return null;
  const message = "The service has no unbound operation with this name.";
  const isBound = overloads.some(({ operation }) => operation.name === name);
  if (isBound) return { message, fix: `It is bound: write \`${namespace}.${name}\`.` };
  return { message, fix: adviseName(name, [...imports, ...qualifiedNames(namespace, overloads)]) };
}

function qualifiedNames(namespace: string, overloads: readonly Overload[]): readonly string[] {
  return [...new Set(overloads.map(({ operation }) => `${namespace}.${operation.name}`))];
}

/** Operations of other schemas are unknown here; `$metadata` must refer to their schema. */
function ownerFault({ vocabularies, namespace, used }: PathTargets, owner: string, message: string): NameFault | null {
  const referred = Object.entries(vocabularies).find(
    ([alias, known]) => known.parse === null && (alias === owner || known.namespace === owner),
  );
  if (referred !== undefined) {
    used.add(referred[0]);
    return null;
  }
  const fix = `Write the namespace ${namespace}, or declare that of another service with \`vocabularies\` of odataService.`;
  return { message, fix };
}

/**
 * Returns the types that distinguish an overload from others: the binding type of an action, all types of a function.
 * @see OData CSDL 4.0, section 14.2.1
 */
function signatureOf({ namespace }: PathTargets, { operation, set }: Overload): string {
  const { kind, bound, parameters } = operation;
  const boundType = set === undefined ? [] : [nameOfType(namespace, set.entityType, bound === "collection")];
  if (kind === "Action") return boundType.join(",");
  // `$metadata` lists parameters with a default last.
  const required = parameters.filter(({ declared }) => declared.defaultValue === undefined);
  const optional = parameters.filter(({ declared }) => declared.defaultValue !== undefined);
  const types = [...required, ...optional].map(({ declared: { type, item } }) =>
    nameOfType(namespace, type, item !== undefined),
  );
  return [...boundType, ...types].join(",");
}

function nameOfType(
  namespace: string,
  type: PropertyDeclaration["type"] | DeclaredSet["entityType"],
  isCollection: boolean,
): string {
  const name = type.kind === "PrimitiveType" ? type.name : `${namespace}.${type.name}`;
  return isCollection ? `Collection(${name})` : name;
}
