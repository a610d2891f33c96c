import type { ConfigurationFault } from "../../base/errors/configuration-error.ts";
import { isDeclaration } from "../model/declaration-kind.ts";
import {
  type DeclaredService,
  type DeclaredSet,
  type DeclaredVirtual,
  fieldsOf,
  namesOf,
  propertyIn,
} from "../model/declared-service.ts";
import type { StartupRule } from "../model/declared-types.ts";
import { adviseName, describe, isObject } from "../option-table.ts";
import type { EntityTypeDeclaration } from "../types/value-type.ts";
import { SHOWN_BY_APPLY } from "./check-apply.ts";
import { checkProperty } from "./check-types.ts";

/** The rules for the option `virtual`. They are listed in the order of their faults. */
export const VIRTUAL_RULES: readonly StartupRule[] = Object.freeze([checkVirtual, checkUses, checkAgreement]);

const PARTS: readonly string[] = ["type", "needs", "read"];
const EXAMPLE = '{ discount: { type: edm.decimal(), needs: ["price"], read: (entities) => values } }';

/** Checks the parts of each virtual property. */
function* checkVirtual({ sets }: DeclaredService): Iterable<ConfigurationFault> {
  for (const set of sets) {
    const { virtual } = set.options;
    const own = set.virtual.filter(({ declared }) => declared?.stream === undefined);
    if (isObject(virtual) && own.length === 0) {
      yield { set: set.name, message: "`virtual` names no property.", fix: `Give properties, such as ${EXAMPLE}.` };
    }
    for (const each of own) {
      const { options, field } = each;
      const given: unknown = isObject(virtual) ? virtual[field] : undefined;
      if (isObject(given)) yield* checkParts(set, each);
      else {
        const message = `\`virtual.${field}\` is ${describe(given)}.`;
        yield { set: set.name, message, fix: `Give an object, such as ${EXAMPLE}.` };
      }
      for (const part of Object.keys(options).filter((name) => !PARTS.includes(name))) {
        const message = `\`virtual.${field}\` has no option \`${part}\`.`;
        yield { set: set.name, message, fix: adviseName(part, PARTS) };
      }
    }
  }
}

function* checkParts(
  set: DeclaredSet,
  { field, declared, isMask, options }: DeclaredVirtual,
): Iterable<ConfigurationFault> {
  const place = { set: set.name };
  const name = `\`virtual.${field}\``;
  const { type, needs, read } = options;
  if (typeof read !== "function") {
    const fix = "Give a function that returns the values of entities: (entities, ctx) => entities.map(…).";
    yield { ...place, message: `${name} has no \`read\`: it is ${describe(read)}.`, fix };
  }
  if (!Array.isArray(needs)) {
    const fix = "List the properties that `read` uses; an empty list if it uses none.";
    yield { ...place, message: `\`needs\` of ${name} is ${describe(needs)}.`, fix };
  } else {
    for (const need of needs as readonly unknown[]) {
      if (typeof need === "string" && propertyIn(set.entityType, need) !== undefined) continue;
      const message = `\`needs\` of ${name} contains ${describe(need)}, which is no property of ${set.entityType.name}.`;
      yield { ...place, message, fix: adviseName(String(need), namesOf(set.entityType.properties)) };
    }
  }
  if (isMask) yield* checkMask(set, field, type);
  else if (declared === undefined) {
    const message = `\`type\` of ${name} is ${describe(type)}, and ${set.entityType.name} has no property \`${field}\`.`;
    yield { ...place, message, fix: "Give the type of its values, such as edm.decimal()." };
  } else yield* checkProperty(declared, "virtual property", `the virtual property \`${field}\``, place);
}

function* checkMask(set: DeclaredSet, field: string, type: unknown): Iterable<ConfigurationFault> {
  const place = { set: set.name };
  const name = `\`virtual.${field}\` masks a property`;
  const { key, ignored } = propertyIn(set.entityType, field) ?? {};
  if (type !== undefined) {
    const what = isDeclaration(type, "Property") ? "a builder" : describe(type);
    yield {
      ...place,
      message: `${name} of ${set.entityType.name}, but its \`type\` is ${what}.`,
      fix: "Remove `type`: the property keeps its type.",
    };
  }
  if (key === true) {
    yield {
      ...place,
      message: `${name} of the key: URLs and links contain it.`,
      fix: "Use a key that every user may know.",
    };
  }
  if (ignored === true) {
    yield {
      ...place,
      message: `${name} that is ignored: no client sees it.`,
      fix: "Use another name, and give its `type`.",
    };
  }
}

const USES: readonly string[] = ["filterProperties", "orderByProperties", ...SHOWN_BY_APPLY, "etag"];

/** Checks that no other option needs the values of virtual properties in requests: only responses have them. */
function* checkUses({ sets }: DeclaredService): Iterable<ConfigurationFault> {
  for (const set of sets) {
    for (const option of USES) {
      const named = new Set(fieldsOf(set, option));
      for (const { field } of set.virtual.filter((each) => each.isMask && named.has(each.field))) {
        const message = `\`${option}\` names \`${field}\`, which \`virtual\` masks: clients could find the stored value.`;
        yield { set: set.name, message, fix: `Remove it from \`${option}\`.` };
      }
    }
  }
}

/** Checks that all sets of a type have the same virtual properties: for clients, these belong to the type. */
function* checkAgreement({ sets }: DeclaredService): Iterable<ConfigurationFault> {
  const first = new Map<EntityTypeDeclaration, DeclaredSet>();
  for (const set of sets) if (set.virtual.length > 0 && !first.has(set.entityType)) first.set(set.entityType, set);
  for (const set of sets) {
    const other = first.get(set.entityType);
    if (other === undefined || other === set) continue;
    const names = [...other.virtual, ...set.virtual].map(({ field }) => field);
    const differing = names.find((field) => !isSame(partsOf(other, field), partsOf(set, field)));
    if (differing === undefined) continue;
    const message = `\`virtual.${differing}\` differs from that of ${other.name}. Both sets contain ${set.entityType.name}, and clients read the property of the type.`;
    yield { set: set.name, message, fix: "Give both the same object as `virtual`, or declare a type for each set." };
  }
}

function partsOf({ virtual }: DeclaredSet, field: string): Readonly<Record<string, unknown>> | undefined {
  return virtual.find((each) => each.field === field)?.options;
}

function isSame(
  one: Readonly<Record<string, unknown>> | undefined,
  other: Readonly<Record<string, unknown>> | undefined,
): boolean {
  return PARTS.every((part) => {
    const [left, right] = [one?.[part], other?.[part]];
    return left === right || (part === "needs" && JSON.stringify(left) === JSON.stringify(right));
  });
}
