import { type ODataError, protocolError } from "../../base/errors/odata-error.ts";
import { namedProperties } from "../../edm/hierarchy.ts";
import type { EntitySet, Model } from "../../edm/model.ts";
import type { PathSegmentSyntax } from "../syntax/ast.ts";
import { didYouMean, quotedName } from "./binding-scope.ts";

/** Resources of the standard that the service does not have, with their descriptions. */
const ABSENT_RESOURCES: ReadonlyMap<string, string> = new Map([
  ["$batch", "batch requests"],
  ["$crossjoin", "cross joins"],
  ["$all", "the collection of all entities"],
  ["$entity", "entities by $id"],
]);

/** Refuses segments after the last one of a path. @throws ODataError `NotFound` */
export function refuseFurther(last: PathSegmentSyntax, further: readonly PathSegmentSyntax[]): void {
  const [next] = further;
  if (next !== undefined) throw notFound(next, `Nothing may follow ${quotedName(last.name)} in a path.`);
}

/** Makes the error for a first segment that names no resource. */
export function unknownResource(segment: PathSegmentSyntax, model: Model): ODataError {
  const { name } = segment;
  const { entitySets, singletons, functionImports, actionImports } = model.entityContainer;
  const published = [...entitySets.values()].filter(({ castFrom }) => castFrom === undefined);
  const sets = new Set([...published.map((each) => each.name), ...singletons.keys()]);
  const names = [...sets, ...functionImports.keys(), ...actionImports.keys(), "$metadata"];
  const absent = ABSENT_RESOURCES.get(name);
  const hint = absent === undefined ? didYouMean(name, names) : ` This service does not offer ${absent}.`;
  if (name === "$metadata") return takesNothing(segment);
  return protocolError("NotFound", `The service has no resource ${quotedName(name)}.${hint}`);
}

/** Makes the error for a segment after an entity set. @param declared the operations that are bound to the set */
export function unknownBelowSet(
  entitySet: EntitySet,
  segment: PathSegmentSyntax,
  declared: ReadonlyMap<string, unknown>,
): ODataError {
  const { name } = segment;
  if (name === "$count") return takesNothing(segment);
  const isMember = entitySet.entityType.members.has(name);
  const hint = isMember
    ? ` It belongs to one entity: write '${entitySet.name}(key)/${name}'.`
    : didYouMean(name, [...declared.keys(), "$count"]);
  return protocolError("NotFound", `The entity set '${entitySet.name}' has no operation ${quotedName(name)}.${hint}`);
}

/** Makes the error for parentheses after a segment. */
export function takesNothing(segment: PathSegmentSyntax): ODataError {
  return notFound(segment, `${quotedName(segment.name)} does not take parentheses.`);
}

/** Makes the error for a segment after an entity. @param declared the operations that are bound to its entities */
export function unknownMember(
  entitySet: EntitySet,
  segment: PathSegmentSyntax,
  declared: ReadonlyMap<string, unknown>,
): ODataError {
  const { entityType, navigationProperties } = entitySet;
  const names = [
    ...namedProperties(entityType).map(({ name }) => name),
    ...navigationProperties.keys(),
    ...declared.keys(),
  ];
  return protocolError(
    "NotFound",
    `An entity of '${entitySet.name}' has no property or operation ${quotedName(segment.name)}.` +
      didYouMean(segment.name, names),
  );
}

/** Makes the error for a segment. */
export function notFound(segment: PathSegmentSyntax, reason: string): ODataError {
  return protocolError("NotFound", `The path segment ${quotedName(segment.name)} is not valid here. ${reason}`);
}
