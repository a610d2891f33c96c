import type { ConfigurationFault } from "../../base/errors/configuration-error.ts";
import { LONGEST_TIME } from "../../base/within-time.ts";
import { isMediaType } from "../../edm/media-type.ts";
import { isColumn } from "../../edm/stream-property.ts";
import { isDeclaration } from "../model/declaration-kind.ts";
import { type DeclaredService, type DeclaredSet, entriesOf, propertyIn } from "../model/declared-service.ts";
import type { DeclaredTypes, StartupRule } from "../model/declared-types.ts";
import { adviseName, describe, isObject } from "../option-table.ts";
import { declaredStreams } from "../sets/stream-option.ts";
import type { EntityTypeDeclaration, PropertyDeclaration } from "../types/value-type.ts";
import { isCreated } from "./creating-routes.ts";

/** The rules for streams. They are listed in the order of their faults. */
export const STREAM_RULES: readonly StartupRule[] = Object.freeze([checkStreams, checkMedia, checkAgreement]);

const OPTIONS: readonly string[] = ["store", "maxBytes", "accepts", "idleTimeout"];
const STORE = 'Give a store, such as columnStore("bytes") or fileStore("./files").';

/** Checks the options of each stream, and where it is declared. */
function* checkStreams({ options }: DeclaredService, types: DeclaredTypes): Iterable<ConfigurationFault> {
  for (const type of types.entityTypes) {
    for (const [field, property] of entriesOf(type.properties)) {
      if (!isDeclaration(property, "Property") || property.declared.stream === undefined) continue;
      const fault = faultsOf(type.name, `the stream \`${field}\` of ${type.name}`);
      if (options["profile"] !== "standard") {
        yield fault("needs a service with the profile of the standard", 'Set `profile: "standard"`.');
      }
      yield* checkModifiers(property.declared, fault);
      yield* checkOptions(type, property.declared.stream, fault);
    }
  }
  for (const type of types.complexTypes) {
    for (const [field, property] of entriesOf(type.properties)) {
      if (!isDeclaration(property, "Property") || property.declared.stream === undefined) continue;
      const fault = faultsOf(type.name, `the stream \`${field}\` of ${type.name}`);
      yield fault("is a member of a complex type", "Declare it in an entity type: only entities have streams.");
    }
  }
}

type MakeFault = (problem: string, fix: string) => ConfigurationFault;

function faultsOf(set: string, what: string): MakeFault {
  return (problem, fix) => ({ set, message: `${what[0]?.toUpperCase() ?? ""}${what.slice(1)} ${problem}.`, fix });
}

function* checkModifiers(declared: PropertyDeclaration, fault: MakeFault): Iterable<ConfigurationFault> {
  const given = [
    ["key", declared.key],
    ["computed", declared.computed],
    ["immutable", declared.immutable],
    ["databaseDefault", declared.databaseDefault],
    ["default", declared.defaultValue !== undefined],
  ] as const;
  for (const [name, isGiven] of given) {
    if (isGiven) yield fault(`has \`.${name}()\`, which has no effect on it`, "Remove it.");
  }
}

function* checkOptions(
  type: Pick<EntityTypeDeclaration, "name" | "properties">,
  given: unknown,
  fault: MakeFault,
): Iterable<ConfigurationFault> {
  if (!isObject(given)) {
    yield fault(`has ${describe(given)} in place of options`, 'Give them, such as { store: columnStore("bytes") }.');
    return;
  }
  for (const name of Object.keys(given).filter((each) => !OPTIONS.includes(each))) {
    yield fault(`has no option \`${name}\``, adviseName(name, OPTIONS));
  }
  const { store, maxBytes, accepts, idleTimeout } = given;
  const isStored = isObject(store) && isColumn(store as never);
  if (isStored) yield* checkColumn(type, store["property"], fault);
  else if (!isObject(store) || ["write", "read", "delete"].some((name) => typeof store[name] !== "function")) {
    yield fault(`has ${describe(store)} as \`store\``, STORE);
  }
  if (isStored && maxBytes === null) {
    yield fault("has no limit, but its bytes are read whole", "Give `maxBytes`, or leave it out for 16 MB.");
  } else if (!isLimit(maxBytes, Number.MAX_SAFE_INTEGER)) {
    yield fault(`cannot have ${describe(maxBytes)} as \`maxBytes\``, "Give a whole number above 0.");
  }
  if (!isLimit(idleTimeout, LONGEST_TIME)) {
    yield fault(`cannot have ${describe(idleTimeout)} as \`idleTimeout\``, "Give milliseconds above 0, or null.");
  }
  const areTypes = Array.isArray(accepts) && accepts.length > 0 && accepts.every(isMediaType);
  if (accepts !== undefined && !areTypes) {
    yield fault("has no list of media types as `accepts`", 'Give media types, such as ["image/png", "image/jpeg"].');
  }
}

function isLimit(value: unknown, most: number): boolean {
  if (value === undefined || value === null) return true;
  return typeof value === "number" && Number.isSafeInteger(value) && value > 0 && value <= most;
}

function* checkColumn(
  type: Pick<EntityTypeDeclaration, "name" | "properties">,
  field: unknown,
  fault: MakeFault,
): Iterable<ConfigurationFault> {
  const declared = typeof field === "string" ? propertyIn(type, field) : undefined;
  const isBytes = declared?.type.name === "Edm.Binary" && declared.item === undefined;
  if (!isBytes || !declared.ignored || !declared.nullable) {
    const fix = `Declare it: ${typeof field === "string" ? field : "bytes"}: edm.binary().nullable().ignored().`;
    yield fault(`keeps its bytes in ${describe(field)}, which is no nullable and ignored Binary of ${type.name}`, fix);
    return;
  }
  const sharing = declaredStreams(type as EntityTypeDeclaration).filter(
    ([, { store }]) => isObject(store) && isColumn(store) && store.property === field,
  );
  if (sharing.length > 1) yield fault(`shares \`${String(field)}\` with another stream`, "Give each its own property.");
}

/** Checks the option `media`. */
function* checkMedia(service: DeclaredService): Iterable<ConfigurationFault> {
  for (const set of service.sets) {
    const { media } = set.options;
    if (!isObject(media)) continue;
    const place = { set: set.name };
    const streams = declaredStreams(set.entityType).map(([field]) => field);
    const { stream, ...others } = media;
    for (const name of Object.keys(others)) {
      yield { ...place, message: `\`media\` has no option \`${name}\`.`, fix: adviseName(name, ["stream"]) };
    }
    if (typeof stream !== "string" || !streams.includes(stream)) {
      const message = `\`media.stream\` is ${describe(stream)}, which is no stream of ${set.entityType.name}.`;
      yield { ...place, message, fix: adviseName(String(stream), streams) };
    } else if (isCreated(set, service)) yield* checkNew(set);
  }
}

/** Checks that bytes alone make an entity: nothing else supplies the values of its properties. */
function* checkNew({ name, entityType, options }: DeclaredSet): Iterable<ConfigurationFault> {
  for (const [field, property] of entriesOf(entityType.properties)) {
    if (!isDeclaration(property, "Property")) continue;
    const { nullable, key, computed, ignored, databaseDefault, defaultValue, item } = property.declared;
    const isSet = isObject(options["set"]) && Object.hasOwn(options["set"], field);
    const isOptional = (nullable && !key) || computed || ignored || databaseDefault || isSet || item !== undefined;
    if (isOptional || defaultValue !== undefined) continue;
    const message = `POST of \`media\` sends bytes alone, but new entities need a value of \`${field}\`.`;
    const fix = "Supply it by `set`, `.default()`, `.databaseDefault()` or `.computed()`, or declare no create.";
    yield { set: name, message, fix };
  }
}

/** Checks that all sets of a type have the same media: for clients, it belongs to the type. */
function* checkAgreement({ sets }: DeclaredService): Iterable<ConfigurationFault> {
  const mediaOf = ({ virtual }: DeclaredSet): string => virtual.find(({ isMedia }) => isMedia === true)?.field ?? "";
  for (const set of sets) {
    const first = sets.find(({ entityType }) => entityType === set.entityType);
    if (first === undefined || mediaOf(first) === mediaOf(set)) continue;
    const message = `\`media\` differs from that of ${first.name}. Both sets contain ${set.entityType.name}, and clients read the media of the type.`;
    yield { set: set.name, message, fix: "Give both the same `media`, or declare a type for each set." };
  }
}
