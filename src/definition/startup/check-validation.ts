import type { ConfigurationFault } from "../../base/errors/configuration-error.ts";
import { type DeclaredService, type DeclaredSet, entriesOf, propertyIn } from "../model/declared-service.ts";
import type { StartupRule } from "../model/declared-types.ts";
import { adviseName, checkOptions, describe, isObject } from "../option-table.ts";
import { isStandardSchema } from "../sets/validation.ts";
import { navigationsInto } from "./check-authorization.ts";
import { isCreated } from "./creating-routes.ts";
import { OPTION_TABLES } from "./option-tables.ts";

/** The rules for `validate` and `constraints`. They are listed in the order of their faults. */
export const VALIDATION_RULES: readonly StartupRule[] = Object.freeze([checkValidators, checkConstraints]);

/** Checks that `validate` has schemas or functions, each for a write that exists. */
function* checkValidators(service: DeclaredService): Iterable<ConfigurationFault> {
  for (const declaredSet of service.sets) {
    const { name: set, options } = declaredSet;
    const { validate } = options;
    if (!isObject(validate)) continue;
    if (isStandardSchema(validate)) {
      const fix = "Give it to the writes that it judges: { create: schema }.";
      yield { set, message: "`validate` is a schema.", fix };
      continue;
    }
    yield* checkOptions(OPTION_TABLES.validate, validate, "`validate`", { set });
    for (const rule of ["create", "patch"]) {
      const declared = validate[rule];
      if (declared === undefined || isRule(declared)) continue;
      const fix = "Give a schema with the interface Standard Schema, version 1, or a function that returns issues.";
      yield { set, message: `\`${rule}\` of \`validate\` cannot be ${describe(declared)}.`, fix };
    }
    if (isRule(validate["create"]) && options["replace"] === undefined && !isCreated(declaredSet, service)) {
      const message =
        "`create` of `validate` judges nothing: the set has no `create` or `replace` handler, and no navigation creates its entities.";
      yield { set, message, fix: "Declare a handler, or remove it." };
    }
    if (validate["patch"] === undefined || options["patch"] !== undefined) continue;
    const message = "`patch` of `validate` judges nothing: the set has no `patch` handler.";
    yield { set, message, fix: "Declare the handler, or remove it: `create` of `validate` judges PUT." };
  }
}

function isRule(declared: unknown): boolean {
  return typeof declared === "function" || isStandardSchema(declared);
}

/** Checks that `constraints` has messages, and names properties that clients see. */
function* checkConstraints({ sets }: DeclaredService): Iterable<ConfigurationFault> {
  for (const set of sets) {
    if (set.options["constraints"] !== undefined && !mayWrite(set, sets)) {
      const fix = "Remove it, or declare a handler that writes.";
      yield { set: set.name, message: "`constraints` has no effect: nothing writes the set.", fix };
    }
    for (const [name, declared] of entriesOf(set.options["constraints"])) {
      const owner = `\`${name}\` of \`constraints\``;
      if (!isObject(declared)) {
        const fix = 'Give an object, such as { target: "email", message: "This address is in use." }.';
        yield { set: set.name, message: `${owner} is ${describe(declared)}.`, fix };
        continue;
      }
      yield* checkOptions(OPTION_TABLES.constraint, declared, owner, { set: set.name });
      yield* checkConstraint(set, declared, owner);
    }
  }
}

/** Whether a handler may write rows of a set: also one of a navigation or an operation. */
function mayWrite(set: DeclaredSet, sets: readonly DeclaredSet[]): boolean {
  const { options, operations, navigations } = set;
  if (["create", "replace", "patch", "delete"].some((handler) => options[handler] !== undefined)) return true;
  return operations.length + navigations.length + navigationsInto(set, sets).length > 0;
}

function* checkConstraint(
  { name: set, entityType }: DeclaredSet,
  { target, message }: Readonly<Record<string, unknown>>,
  owner: string,
): Iterable<ConfigurationFault> {
  if (message === undefined) {
    yield { set, message: `${owner} has no \`message\`.`, fix: "Give the text for the client." };
  }
  if (typeof target !== "string" || target === "") return;
  const declared = propertyIn(entityType, target);
  if (declared === undefined) {
    const fix = adviseName(
      target,
      entriesOf(entityType.properties).map(([field]) => field),
    );
    yield { set, message: `${owner} names \`${target}\`, which ${entityType.name} does not have.`, fix };
  } else if (declared.ignored) {
    const fix = "Name a property that clients see, or leave `target` out.";
    yield { set, message: `${owner} names \`${target}\`, which is ignored.`, fix };
  }
}
