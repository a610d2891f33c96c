import { ERROR_CODES } from "../../base/errors/error-codes.ts";
import { isODataError, joinFaults, MAX_FAULTS, ODataError } from "../../base/errors/odata-error.ts";
import { frozenCopy } from "../../base/frozen-copy.ts";
import { chain, type Maybe } from "../../base/maybe.ts";
import { keptPer, once } from "../../base/memo.ts";
import type { EntitySetDefinition, ServiceDefinition } from "../../definition/model/service-definition.ts";
import { ALONE, entitiesWithin, type Nesting, type WrittenEntity } from "../../definition/sets/judge-references.ts";
import type { CodedIssue, Issue } from "../../definition/sets/validation.ts";
import type { ComplexType, EntityType, ModelProperty } from "../../edm/model.ts";
import { answeredValue } from "../entities/handler-answer.ts";
import { type Reader, serviceOf, targetDefinition } from "../entities/reader.ts";
import { eachGroup } from "../reads/ask-by-key.ts";
import { findEntity } from "../reads/read-by-key.ts";
import { ServiceContext } from "../rules/row-access.ts";

type WrittenTo = WrittenEntity<EntitySetDefinition>;

const NO_FAULTS: readonly ODataError[] = Object.freeze([]);

/**
 * Judges a new entity, or the replacement of one, by `validate.create` of its set; nested entities, by that of their set.
 * @throws ODataError `InvalidBody`, the code of an issue, or the error that a function returned; TypeError for a result that
 *   is not a list of issues; the error of the application
 * @see docs/reference/validation.md
 */
export function validateNew(set: EntitySetDefinition, entity: object, reader: Reader): Maybe<void> {
  const { context, faults: known = NO_FAULTS, isJudged } = reader;
  if (isJudged === true) return;
  const service = serviceOf(context);
  const most = mostFaults(service);
  if (known.length >= most || !validatesNew(service)) {
    report(service, known);
    return;
  }
  // One copy for all nested entities.
  const root: WrittenTo = { set, entity: copyOf(entity), ...ALONE };
  const all = entitiesWithin(root, (from, name) => targetDefinition(from.entitySet, name, context));
  // The order of the body: an entity precedes the entities that are nested in it.
  const ordered = [...all.filter(({ place }) => place === ""), ...all.filter(({ place }) => place !== "")];
  // The position of the entity of each fault. Entities after the last fault that is listed are not judged.
  const faulty: number[] = [];
  let last = ordered.length;
  const take = (position: number, written: WrittenTo, answer: unknown): readonly ODataError[] => {
    const faults = faultsOf(written, withoutIssuesOfKept(written, answer, reader), "create", most);
    for (const _fault of faults) faulty.push(position);
    // Validators end in any order.
    if (faults.length > 0) last = faulty.toSorted((one, other) => one - other)[most - known.length - 1] ?? last;
    return faults;
  };
  // Without a promise, so that a set of synchronous validators judges no entity after the last fault.
  const judge = ([position, written]: readonly [number, WrittenTo]): Maybe<readonly ODataError[]> => {
    const { create } = written.set.validators ?? {};
    if (create === undefined || position > last) return NO_FAULTS;
    const copy = { ...written.entity };
    const given = { entity: copy, ctx: ServiceContext.ofSet(written.set.entitySet, context) };
    return chain(create(copy, given), (answer) => take(position, written, answer));
  };
  return chain(eachGroup([...ordered.entries()], judge, reader), (faults) =>
    report(service, [...known, ...faults.flat()]),
  );
}

const validatesNew = keptPer(({ entitySets }: ServiceDefinition) =>
  [...entitySets.values()].some(({ validators }) => validators?.create !== undefined),
);

/**
 * Judges the changes of an entity by `validate.patch` of its set.
 * @throws as for validateNew
 */
export function validateChange(set: EntitySetDefinition, key: unknown, delta: object, reader: Reader): Maybe<void> {
  const { patch } = set.validators ?? {};
  return patch === undefined ? reportFaults(reader) : judgeChange(set, patch, { key, delta }, reader);
}

function judgeChange(
  set: EntitySetDefinition,
  patch: NonNullable<NonNullable<EntitySetDefinition["validators"]>["patch"]>,
  { key, delta }: { readonly key: unknown; readonly delta: object },
  reader: Reader,
): Maybe<void> {
  const { context, faults: known = NO_FAULTS } = reader;
  const service = serviceOf(context);
  const most = mostFaults(service);
  if (known.length >= most) {
    report(service, known);
    return;
  }
  const own = { ...copyOf(delta) };
  const given = {
    delta: own,
    current: once(() => loadCurrent(set, key, reader)),
    ctx: ServiceContext.ofSet(set.entitySet, context),
  };
  const name = `validate.patch of ${set.entitySet.name}`;
  const answer: Maybe<unknown> = ServiceContext.naming(context, name, () => patch(own, given));
  return chain(answer, (issues) => report(service, [...known, ...faultsOf({ set, ...ALONE }, issues, "patch", most)]));
}

/** Returns a copy of written values. Rules judge values, and must not change them for other rules: all are frozen. */
function copyOf(values: object): object {
  return frozenCopy(values) as object;
}

/** Returns the number of faults after which no further entity is judged. */
function mostFaults({ profile }: ServiceDefinition): number {
  return profile.findsEveryFault ? MAX_FAULTS : 1;
}

/** Returns the entity as it is now, in the open transaction; null if it is missing, or the user does not see it. */
async function loadCurrent({ entitySet }: EntitySetDefinition, key: unknown, reader: Reader): Promise<object | null> {
  try {
    return await findEntity(entitySet, key, reader);
  } catch (error) {
    if (isODataError(error) && error.status === ERROR_CODES.NotFound) return null;
    throw error;
  }
}

/** @throws ODataError the facet faults of the body, if there are any */
export function reportFaults({ context, faults = NO_FAULTS }: Reader): void {
  if (faults.length > 0) report(serviceOf(context), faults);
}

/** @throws ODataError all faults, or the first one, as the profile has it */
function report({ profile }: ServiceDefinition, faults: readonly ODataError[]): void {
  const [first] = faults;
  if (first !== undefined) throw profile.findsEveryFault ? joinFaults(faults) : first;
}

/** The set of a judged value, and its place in the body. */
type JudgedPlace = Pick<Nesting, "place"> & { readonly set: EntitySetDefinition };

/**
 * Returns the errors for the result of a validator.
 * @param most the number of errors that the response can have
 * @throws ODataError that it returned; TypeError if it is not a list of issues
 */
function faultsOf(judged: JudgedPlace, answer: unknown, rule: "create" | "patch", most: number): readonly ODataError[] {
  const issues = answeredValue(answer);
  if (issues === undefined || issues === null) return NO_FAULTS;
  const { entitySet } = judged.set;
  if (!Array.isArray(issues) || !issues.every(isIssue)) {
    throw new TypeError(
      `\`validate.${rule}\` of ${entitySet.name} returned no list of issues: return [{ message, path, code }], or nothing.`,
    );
  }
  return issues.slice(0, most).map(({ message, path = [], code = "InvalidBody", parameters = {} }) => {
    const fault = { code, parameters };
    return new ODataError(ERROR_CODES.InvalidBody, code, message, { target: targetOf(judged, path), fault });
  });
}

/**
 * Returns the issues of a replacement without those of properties whose stored values it repeats: the user cannot correct such a
 * value, and might not even see it.
 */
function withoutIssuesOfKept({ place }: JudgedPlace, issues: unknown, { kept }: Reader): unknown {
  if (kept === undefined || place !== "" || !Array.isArray(issues)) return issues;
  const list: readonly unknown[] = issues;
  return list.filter((issue) => {
    const [first] = isIssue(issue) ? (issue.path ?? []) : [];
    return first === undefined || !kept.has(String(typeof first === "object" ? first.key : first));
  });
}

function isIssue(issue: unknown): issue is CodedIssue {
  if (typeof issue !== "object" || issue === null || !("message" in issue)) return false;
  const { message, path, code, parameters }: Partial<Record<keyof CodedIssue, unknown>> = issue;
  const isCoded = code === undefined || (typeof code === "string" && code !== "");
  const isWhole = isCoded && (parameters === undefined || (typeof parameters === "object" && parameters !== null));
  return typeof message === "string" && isWhole && (path === undefined || Array.isArray(path));
}

/** Returns the path of an issue in wire names; for a path to something else than clients write, that of the entity. */
function targetOf({ set, place }: JudgedPlace, path: NonNullable<Issue["path"]>): string | undefined {
  const whole = place === "" ? undefined : place.slice(0, -1);
  const names: string[] = [];
  let owner: EntityType | ComplexType | null = set.entitySet.entityType;
  let isCollection = false;
  for (const segment of path) {
    const key: PropertyKey = typeof segment === "object" ? segment.key : segment;
    if (isCollection) {
      if (!POSITION.test(String(key))) return whole;
      names.push(String(key));
      isCollection = false;
      continue;
    }
    const member: ModelProperty | undefined = owner === null ? undefined : memberOf(owner, key);
    if (member === undefined) return whole;
    names.push(member.name);
    ({ isCollection } = member);
    owner = ownerOf(member);
  }
  return names.length === 0 ? whole : place + names.join("/");
}

const POSITION = /^\d+$/;

function memberOf({ members }: EntityType | ComplexType, key: PropertyKey): ModelProperty | undefined {
  return [...members.values()].find(({ field }) => field === key);
}

/** Returns the type of the members of a value; null for a value without. */
function ownerOf(member: ModelProperty): EntityType | ComplexType | null {
  if (member.kind === "NavigationProperty") return member.entityType;
  return member.type.kind === "ComplexType" ? member.type : null;
}
