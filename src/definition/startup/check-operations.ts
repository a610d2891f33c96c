import type { ConfigurationFault } from "../../errors/configuration-error.ts";
import {
  type DeclaredOperation,
  type DeclaredService,
  type DeclaredSet,
  propertiesOf,
  operationPlace,
} from "../model/declared-service.ts";
import type { EntityTypeDeclaration } from "../types/value-type.ts";

/** Checks that operations of a set are bound to its type, and operations of the registration are unbound. */
export function* checkBindings({ sets, operations }: DeclaredService): Iterable<ConfigurationFault> {
  for (const operation of operations) {
    if (operation.bound === undefined && operation.declaration.entityType === undefined) continue;
    const message = `\`${operation.name}\` is bound to ${operation.bound === "entity" ? "an entity" : "a collection"}, but is listed with the unbound operations.`;
    yield { ...operationPlace(undefined, operation), message, fix: "Remove `bound`, or move it into an entity set." };
  }
  for (const set of sets) {
    for (const operation of set.operations) {
      const place = operationPlace(set, operation);
      const { entityType } = operation.declaration;
      if (operation.bound === undefined) {
        const fix = 'Give `bound: "entity"` or `bound: "collection"`, or move it to odataService.';
        yield { ...place, message: `\`${operation.name}\` is not bound, but is declared in an entity set.`, fix };
      }
      if (entityType !== undefined && entityType !== set.entityType) {
        const message = `\`${operation.name}\` is bound to ${entityType.name}, but the set contains ${set.entityType.name}.`;
        yield { ...place, message, fix: "Move it into a set of its type." };
      }
    }
  }
}

/** The source of a function without parameters; excludes bound functions, `function () { [native code] }`. */
const NO_PARAMETERS = /^[^(]*\(\s*\)(?!\s*\{\s*\[native code\]\s*\}$)/u;

/** Checks that the handler of an operation bound to an entity has a parameter for the key. */
export function* checkKeyParameters({ sets }: DeclaredService): Iterable<ConfigurationFault> {
  for (const set of sets) {
    for (const operation of set.operations) {
      const { handler } = operation.options;
      if (operation.bound !== "entity" || typeof handler !== "function" || handler.length > 0) continue;
      // Functions with rest or default parameters also have the length 0.
      if (!NO_PARAMETERS.test(String(handler))) continue;
      const message = `The handler of \`${operation.name}\`, which is bound to an entity, has no parameter.`;
      yield {
        ...operationPlace(set, operation),
        message,
        fix: "Declare the key as the first parameter: (key, parameters, ctx) => …",
      };
    }
  }
}

/**
 * Checks that no operation bound to an entity has the path of a property or navigation. Path segments are case-sensitive,
 * so `total` and `Total` are different paths.
 * @see docs/reference/operations.md
 */
export function* checkOperationPaths({ sets, naming }: DeclaredService): Iterable<ConfigurationFault> {
  for (const set of sets) {
    const taken = new Map<string, string>();
    for (const { name, declared } of propertiesOf(set.entityType, naming)) {
      if (!declared.ignored) taken.set(name, `the property ${name}`);
    }
    for (const { name } of set.navigations) taken.set(name, `the navigation ${name}`);
    for (const operation of set.operations) {
      const other = taken.get(operation.name);
      if (operation.bound !== "entity" || other === undefined) continue;
      const message = `The ${operation.kind.toLowerCase()} \`${operation.name}\` and ${other} share a path.`;
      const fix = "Rename the operation: its key in `functions` or `actions` is its name.";
      yield { ...operationPlace(set, operation), message, fix };
    }
  }
}

/** Checks that sets of one type declare a shared operation alike, because operations are bound to the type. */
export function* checkOverloads({ sets }: DeclaredService): Iterable<ConfigurationFault> {
  const first = new Map<EntityTypeDeclaration, Map<string, { readonly set: DeclaredSet; readonly text: string }>>();
  for (const set of sets) {
    const known = first.get(set.entityType) ?? new Map<string, { set: DeclaredSet; text: string }>();
    first.set(set.entityType, known);
    for (const operation of set.operations) {
      const id = `${String(operation.bound)} ${operation.name}`;
      const text = signatureOf(operation);
      const other = known.get(id);
      if (other === undefined) known.set(id, { set, text });
      if (other === undefined || other.set === set || other.text === text) continue;
      const message = `\`${operation.name}\` has a different signature here than in the set ${other.set.name} of the same type.`;
      yield {
        ...operationPlace(set, operation),
        message,
        fix: "Give both the same parameters and result, or two names.",
      };
    }
  }
}

/** Returns a string that is equal for equal signatures. Types are identified by their unique names. */
function signatureOf({ kind, parameters, options }: DeclaredOperation): string {
  const { returns, composable } = options;
  return JSON.stringify([kind, parameters, returns, composable], (key, value: unknown) => {
    if (typeof value === "bigint") return `${value}n`;
    return key === "properties" || key === "members" ? undefined : value;
  });
}
