import type { ConfigurationFault } from "../../errors/configuration-error.ts";
import {
  type DeclaredOperation,
  type DeclaredService,
  type DeclaredSet,
  propertiesOf,
  operationPlace,
} from "../declared-service.ts";
import type { EntityTypeDeclaration } from "../types/value-type.ts";

/** Operations of a set are bound, those of the registration are not, and a set binds only operations of its type. */
export function* checkBindings({ sets, operations }: DeclaredService): Iterable<ConfigurationFault> {
  for (const operation of operations) {
    if (operation.bound === undefined && operation.declaration.entityType === undefined) continue;
    const message = `\`${operation.name}\` is bound to ${operation.bound === "entity" ? "an entity" : "a collection"}, but stands among the unbound operations.`;
    yield { ...operationPlace(undefined, operation), message, fix: "Remove `bound`, or move it into an entity set." };
  }
  for (const set of sets) {
    for (const operation of set.operations) {
      const place = operationPlace(set, operation);
      const { entityType } = operation.declaration;
      if (operation.bound === undefined) {
        const fix = 'Give `bound: "entity"` or `bound: "collection"`, or move it to odataService.';
        yield { ...place, message: `\`${operation.name}\` is not bound, but stands in an entity set.`, fix };
      }
      if (entityType !== undefined && entityType !== set.entityType) {
        const message = `\`${operation.name}\` is bound to ${entityType.name}, but the set holds ${set.entityType.name}.`;
        yield { ...place, message, fix: "Move it into a set of its type." };
      }
    }
  }
}

/** A function without parameters whose text can be read: that of a bound function is `function () { [native code] }`. */
const NO_PARAMETERS = /^[^(]*\(\s*\)(?!\s*\{\s*\[native code\]\s*\}$)/u;

/** The handler of an entity-bound operation takes the key. @see specification, Operations, rule 3 */
export function* checkKeyParameters({ sets }: DeclaredService): Iterable<ConfigurationFault> {
  for (const set of sets) {
    for (const operation of set.operations) {
      const { handler } = operation.options;
      if (operation.bound !== "entity" || typeof handler !== "function" || handler.length > 0) continue;
      // The length is 0 for rest and default parameters, too.
      if (!NO_PARAMETERS.test(String(handler))) continue;
      const message = `The handler of \`${operation.name}\`, which is bound to an entity, takes no parameter.`;
      yield { ...operationPlace(set, operation), message, fix: "Take the key first: (key, parameters, ctx) => …" };
    }
  }
}

/**
 * An entity-bound operation has a path of its own below an entity: its name is that of no property and no navigation.
 * Path segments are matched with their letter case, so `total` and `Total` are two paths.
 * @see specification, Operations, rule 11
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

/** An operation is bound to a type: the sets of one type that declare it declare it alike. */
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
      const message = `\`${operation.name}\` has another signature here than in the set ${other.set.name} of the same type.`;
      yield {
        ...operationPlace(set, operation),
        message,
        fix: "Give both the same parameters and result, or two names.",
      };
    }
  }
}

/** Kind, parameters and result as text: equal for equal signatures. Types are known by name, which is unique. */
function signatureOf({ kind, parameters, options }: DeclaredOperation): string {
  const { returns, composable } = options;
  return JSON.stringify([kind, parameters, returns, composable], (key, value: unknown) => {
    if (typeof value === "bigint") return `${value}n`;
    return key === "properties" || key === "members" ? undefined : value;
  });
}
