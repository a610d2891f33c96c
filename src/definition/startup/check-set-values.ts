import type { ConfigurationFault } from "../../base/errors/configuration-error.ts";
import { isDeclaration } from "../model/declaration-kind.ts";
import { type DeclaredService, type DeclaredSet, entriesOf, namesOf, propertyIn } from "../model/declared-service.ts";
import type { StartupRule } from "../model/declared-types.ts";
import { adviseName, describe, isObject } from "../option-table.ts";
import { now } from "../sets/set-option.ts";
import { isOfStream } from "../sets/stream-option.ts";
import type { EntityTypeDeclaration, PropertyDeclaration } from "../types/value-type.ts";
import { isCreated } from "./creating-routes.ts";

/** The rules for the option `set`. They are listed in the order of their faults. */
export const SET_RULES: readonly StartupRule[] = Object.freeze([
  checkProperties,
  checkEffects,
  checkReplacing,
  checkAgreement,
]);

const FUNCTIONS: readonly string[] = ["create", "update"];
const EXAMPLE = "{ createdAt: { create: now }, updatedAt: { create: now, update: now } }";

/** A checked part of `set`: the functions of one property. */
interface SetPart {
  readonly field: string;
  readonly declared: PropertyDeclaration;
  readonly functions: Readonly<Record<string, unknown>>;
}

/** Checks the names, the functions and the declarations of the properties that `set` names. */
function* checkProperties({ sets }: DeclaredService): Iterable<ConfigurationFault> {
  for (const set of sets) {
    const { name, entityType, options } = set;
    if (isObject(options["set"]) && namesOf(options["set"]).length === 0) {
      yield { set: name, message: "`set` names no property.", fix: `Give properties, such as ${EXAMPLE}.` };
    }
    for (const [field, value] of ownParts(set)) {
      const declared = propertyIn(entityType, field);
      if (declared === undefined) {
        const message = `\`set\` names \`${field}\`, which ${entityType.name} does not have.`;
        yield { set: name, message, fix: adviseName(field, namesOf(entityType.properties)) };
      } else if (!isObject(value)) {
        const message = `\`set.${field}\` is ${describe(value)}.`;
        yield { set: name, message, fix: "Give functions, such as { create: ({ user }) => user.id }." };
      } else {
        yield* checkFunctions(name, field, value);
        yield* checkDeclared(name, { field, declared, functions: value });
      }
    }
  }
}

/** Returns the parts that the application has given: the others are those of streams. */
function ownParts({ entityType, options }: DeclaredSet): ReadonlyArray<readonly [string, unknown]> {
  return entriesOf(options["set"]).filter(([field, functions]) => !isOfStream(entityType, field, functions));
}

function* checkFunctions(
  set: string,
  field: string,
  functions: Readonly<Record<string, unknown>>,
): Iterable<ConfigurationFault> {
  const given = Object.entries(functions).filter(([, value]) => value !== undefined);
  if (given.length === 0) {
    const message = `\`set.${field}\` has neither \`create\` nor \`update\`.`;
    yield { set, message, fix: "Give one of them, or both: a function that returns the value." };
  }
  for (const [name, value] of given) {
    if (!FUNCTIONS.includes(name)) {
      yield { set, message: `\`set.${field}\` has no function \`${name}\`.`, fix: adviseName(name, FUNCTIONS) };
    } else if (typeof value !== "function") {
      const fix = "Give a function that returns the value: `({ user }) => user.id`, or `now`.";
      yield { set, message: `\`set.${field}.${name}\` is ${describe(value)}.`, fix };
    }
  }
}

/** Reports declarations that contradict the functions of a property. */
function* checkDeclared(set: string, { field, declared, functions }: SetPart): Iterable<ConfigurationFault> {
  const fault = (problem: string, fix: string): ConfigurationFault => {
    return { set, message: `\`set\` names \`${field}\`, ${problem}.`, fix };
  };
  const { create, update } = functions;
  const usesNow = create === now || update === now;
  if (isDeclaration(declared.type, "ComplexTypeDeclaration")) {
    yield fault("which is complex", "Set primitive values, enumeration members, or collections of them.");
  } else if (usesNow && (declared.item !== undefined || !TEMPORAL.has(declared.type.name))) {
    const fix =
      "Declare an Edm.DateTimeOffset or Edm.Date, or give a function that makes the value of `({ now }) => …`.";
    yield fault(`with \`now\`, which makes no ${declared.item === undefined ? declared.type.name : "collection"}`, fix);
  }
  if (declared.databaseDefault) {
    yield fault("whose default the database supplies", "Remove `.databaseDefault()`, or the property from `set`.");
  }
  if (declared.defaultValue !== undefined && create !== undefined) {
    yield fault("whose `.default()` no new entity gets", "Remove `.default()`, or `create`.");
  }
  if (update === undefined) return;
  if (declared.key) yield fault("with `update`, but keys never change", "Remove `update`.");
  else if (declared.immutable) {
    yield fault("with `update`, but the property is immutable", "Remove `update`, or `.immutable()`.");
  }
}

const TEMPORAL: ReadonlySet<string> = new Set(["Edm.DateTimeOffset", "Edm.Date"]);

/** Checks that the functions of each set are called, and that new entities get a value of each property. */
function* checkEffects(service: DeclaredService): Iterable<ConfigurationFault> {
  for (const set of service.sets) {
    const { name, entityType, options } = set;
    if (options["set"] === undefined || ownParts(set).length === 0) continue;
    if (!isWritten(set, service)) {
      const message = "`set` has no effect: the set has no `create`, `replace` or `patch`.";
      yield { set: name, message, fix: "Remove `set`, or let clients write the set." };
    }
    if (!isCreated(set, service)) continue;
    for (const [field, functions] of ownParts(set)) {
      const declared = propertyIn(entityType, field);
      if (declared === undefined || !isObject(functions) || functions["create"] !== undefined) continue;
      const { nullable, ignored, item, defaultValue, databaseDefault } = declared;
      if (nullable || ignored || databaseDefault || item !== undefined || defaultValue !== undefined) continue;
      const message = `\`set.${field}\` has no \`create\`, but new entities need a value: \`${field}\` is never null.`;
      yield { set: name, message, fix: "Give `create`, too, or declare the property `.nullable()`." };
    }
  }
}

/** Checks that the service can load the entity that an own `replace` handler replaces, where it needs that entity. */
function* checkReplacing({ sets, options, handlersCheckingRows }: DeclaredService): Iterable<ConfigurationFault> {
  const { defaults } = options;
  for (const { name, options: own } of sets) {
    const { replace, create, getByKey, allowUpsert = isObject(defaults) && defaults["allowUpsert"] } = own;
    if (replace === undefined || handlersCheckingRows.has(replace) || getByKey !== undefined) continue;
    const place = { set: name, route: `/${name}({key})`, method: "PUT" };
    const kept = entriesOf(own["set"]).find(([, each]) => isObject(each) && each["update"] === undefined);
    if (kept !== undefined) {
      const message = `PUT keeps the stored value of \`${kept[0]}\`, which \`set\` names without \`update\`, but no \`getByKey\` loads it for \`replace\`.`;
      yield { ...place, message, fix: "Declare getByKey." };
    } else if (own["set"] !== undefined && allowUpsert === true && create === undefined) {
      const message =
        "`replace` creates missing entities, but without `getByKey` the service cannot choose between `create` and `update` of `set`.";
      yield { ...place, message, fix: "Declare getByKey, or a `create` handler." };
    }
  }
}

/** Checks that the written sets of one type set the same properties: for clients, these belong to the type. */
function* checkAgreement(service: DeclaredService): Iterable<ConfigurationFault> {
  const { sets } = service;
  const setting = new Map<EntityTypeDeclaration, DeclaredSet>();
  for (const set of sets) {
    if (set.options["set"] !== undefined && !setting.has(set.entityType)) setting.set(set.entityType, set);
  }
  for (const set of sets) {
    const first = setting.get(set.entityType);
    if (first === undefined || first === set || !isWritten(set, service)) continue;
    const [wanted, own] = [namesOf(first.options["set"]), namesOf(set.options["set"])];
    const missing = wanted.find((field) => !own.includes(field));
    const extra = own.find((field) => !wanted.includes(field));
    const differing = missing ?? extra;
    if (differing === undefined) continue;
    const [has, lacks] = missing === undefined ? [set, first] : [first, set];
    const message = `\`set\` of ${has.name} names \`${differing}\`, but that of ${lacks.name} does not. Both contain ${set.entityType.name}, and clients cannot write the property.`;
    yield { set: set.name, message, fix: `Name \`${differing}\` in both, or declare a type for each set.` };
  }
}

/** Returns whether clients create or change entities of a set. */
function isWritten(set: DeclaredSet, service: DeclaredService): boolean {
  const { replace, patch } = set.options;
  return replace !== undefined || patch !== undefined || isCreated(set, service);
}
