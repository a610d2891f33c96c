import type { ODataError } from "../../base/errors/odata-error.ts";
import { castOf } from "../../edm/hierarchy.ts";
import type { EntitySet, EntityType, Model } from "../../edm/model.ts";
import { isPath } from "../query/walk-expression.ts";
import type { CastCallSyntax } from "../syntax/ast.ts";
import { invalidOption, isModelName, quotedName, slashAdvice, unsupportedOption } from "./binding-scope.ts";
import type { BoundOperand } from "./operand.ts";

/** The place of a cast, for errors. */
interface CastPlace {
  readonly option: string;
  readonly position: number | undefined;
  readonly model: Model;
}

/**
 * Finds the type of a cast in a path: that of the entities or one derived from it.
 * @throws ODataError `InvalidQueryOption` for an unknown type; `UnsupportedQueryOption` for one that the entities cannot have
 * @see OData URL Conventions 4.0, section 5.1.1.7
 */
export function castType(entityType: EntityType, name: string, place: CastPlace): EntityType {
  const types = [...(entityType.hierarchy?.types.values() ?? [])];
  const found = types.find(({ qualifiedName }) => qualifiedName === name);
  if (found !== undefined) return found;
  const { option, position, model } = place;
  if (entityType.hierarchy === undefined || !isModelName(name, model)) throw refusedCast(name, place);
  const listed = types.map(({ qualifiedName }) => qualifiedName).join(", ");
  const message = `Entities here are not ${quotedName(name)}: cast to ${listed}.`;
  throw invalidOption(option, position, message);
}

/**
 * Returns the same entity, seen as the type of casts.
 * @param casts at least one, in the order of the path
 * @param next the name behind them
 * @throws ODataError as `castType` and `requireOwnName`; `UnsupportedQueryOption` for casts of other values
 */
export function castOperand(
  operand: BoundOperand,
  casts: readonly CastCallSyntax[],
  next: string,
  { option, model }: Pick<CastPlace, "option" | "model">,
): BoundOperand {
  const { expression, type: from, isCollection } = operand;
  const { typeName = "", position } = casts.at(-1) ?? {};
  const place = { option, model, position };
  if (isCollection) {
    const message = `A cast cannot follow a collection here: write isof(x,${typeName}) within 'any(x: …)' or 'all(x: …)'.`;
    throw unsupportedOption(option, position, message);
  }
  if (from.kind !== "EntityType" || !isPath(expression) || expression.kind === "property") {
    throw refusedCast(typeName, place);
  }
  const type = casts.reduce((before, cast) => castType(before, cast.typeName, { ...place, ...cast }), from);
  requireOwnName(type, from, next, place);
  return { ...operand, expression: { ...expression, type }, type };
}

/** Makes the error of a cast where none is possible. */
export function refusedCast(name: string, { option, position, model }: CastPlace): ODataError {
  if (isModelName(name, model)) {
    return unsupportedOption(option, position, `Type casts are not supported in ${option}.`);
  }
  return invalidOption(option, position, `There is no type ${quotedName(name)}.${slashAdvice(name)}`);
}

/**
 * Requires that the name behind a cast belongs to its type alone: entities of other types have no value of it. An inherited
 * property of such an entity has one, although the cast is null.
 * @param from the type before the cast
 * @throws ODataError `UnsupportedQueryOption`
 */
export function requireOwnName(type: EntityType, from: EntityType, name: string, place: CastPlace): void {
  const base = type.hierarchy?.base;
  if (type === from || base === undefined) return;
  const inherited = base.members.get(name) ?? base.membersIgnoringCase.get(name.toLowerCase());
  if (inherited === undefined) return;
  const owner = ownerOf(base, inherited.name, from);
  const path = owner === from ? inherited.name : `${owner.qualifiedName}/${inherited.name}`;
  const message = `'${inherited.name}' is no property of '${type.qualifiedName}' alone: write ${path}, and isof(${type.qualifiedName}) to restrict it.`;
  throw unsupportedOption(place.option, place.position, message);
}

/** Returns the type that declares a name, at most the type before a cast. */
function ownerOf(type: EntityType, name: string, from: EntityType): EntityType {
  const base = type.hierarchy?.base;
  return type === from || base?.members.has(name) !== true ? type : ownerOf(base, name, from);
}

/** Returns the set that shows the entities of a set as a type; the set itself without one. */
export function setSeenAs(entitySet: EntitySet, { qualifiedName }: EntityType, { entityContainer }: Model): EntitySet {
  return castOf(entityContainer, entitySet, qualifiedName) ?? entitySet;
}
