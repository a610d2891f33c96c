import type { ComplexType, EntitySet, EntityType, StructuralProperty } from "../../edm/model.ts";
import { typeName } from "../../edm/type-name.ts";
import type { AppliedRows } from "./apply-rows.ts";
import { invalidOption, unsupportedOption } from "./binding-scope.ts";
import { madeComplexType, madeEntityType, madeProperty } from "./made-types.ts";

/**
 * Returns the rows of all branches together. Their type has the properties that any branch has, which are null in rows of
 * the others.
 * @param branches at least two
 * @param position that of `concat`
 * @throws ODataError `InvalidQueryOption` for a name with different types
 */
export function unionRows(branches: readonly AppliedRows[], position: number): AppliedRows {
  const [first] = branches;
  if (first === undefined) throw new Error("There is no branch.");
  const areEntities = branches.every(({ keys, computed }) => keys === null && computed.size === 0);
  if (branches.some(({ joined }) => joined !== first.joined)) {
    throw unsupportedOption("$apply", position, "join in one part of concat alone is not supported: write it behind.");
  }
  if (areEntities) return { ...first, steps: [], orderBy: [] };
  const origins = new Map<ComplexType, EntitySet | null>(branches.flatMap((rows) => [...rows.origins]));
  const properties = unionOf(branches.map(shownProperties), { origins, position });
  const entityType = madeEntityType(first.owner, properties);
  return {
    ...first,
    entityType,
    entitySet: null,
    steps: [],
    orderBy: [],
    keys: [],
    computed: new Map(),
    joined: new Map(),
    behind: "concat",
    aliases: new Set(branches.flatMap(({ aliases, computed }) => [...aliases, ...computed.keys()])),
    origins,
    refusalOf: branches.some(({ keys }) => keys === null) ? refusalsOf(first) : undefined,
  };
}

/** Properties of entities that the user may not read are refused by name, as in requests without `$apply`. */
function refusalsOf({ owner, unreadable }: AppliedRows): AppliedRows["refusalOf"] {
  if (unreadable === undefined) return undefined;
  return (name) => {
    const member = owner.members.get(name) ?? owner.membersIgnoringCase.get(name.toLowerCase());
    const isHidden = member?.kind === "StructuralProperty" && unreadable.properties.has(member);
    return isHidden ? unreadable.refusal(member) : undefined;
  };
}

/** Returns the properties that rows show. */
function shownProperties({ entityType, computed, unreadable }: AppliedRows): readonly StructuralProperty[] {
  const readable = entityType.properties.filter(
    (property) => unreadable?.properties.has(property) !== true && property.virtual === undefined,
  );
  return [...readable, ...Array.from(computed.values(), ({ property }) => property)];
}

interface Union {
  /** The sets of the entities whose properties are members of values; types of united values are added. */
  readonly origins: Map<ComplexType, EntitySet | null>;
  readonly position: number;
}

function unionOf(lists: readonly (readonly StructuralProperty[])[], union: Union): readonly StructuralProperty[] {
  const found = new Map<string, StructuralProperty>();
  for (const property of lists.flat()) {
    const known = found.get(property.name);
    found.set(property.name, known === undefined ? property : united(known, property, union));
  }
  return Array.from(found.values(), (property, index) => madeProperty({ ...property, nullable: true }, index));
}

function united(left: StructuralProperty, right: StructuralProperty, union: Union): StructuralProperty {
  if (left.type === right.type && left.isCollection === right.isCollection) return left;
  if (
    left.type.kind === "ComplexType" &&
    right.type.kind === "ComplexType" &&
    !left.isCollection &&
    !right.isCollection
  ) {
    const type = madeComplexType(left.type, unionOf([left.type.properties, right.type.properties], union));
    const origin = union.origins.get(left.type) ?? union.origins.get(right.type);
    if (origin !== undefined) union.origins.set(type, origin);
    return { ...left, type };
  }
  const types = [left, right].map((property) =>
    property.isCollection ? `Collection(${typeName(property.type)})` : typeName(property.type),
  );
  const message = `'${left.name}' is ${types.join(" in one part of concat, and ")} in another one: give them different names.`;
  throw invalidOption("$apply", union.position, message);
}

/** The names that rows show: null for a whole value, else its members. */
export type ShownNames = ReadonlyMap<string, ShownMembers | null>;

/** The members that rows show of an entity, or of a complex value. */
export interface ShownMembers {
  readonly names: ShownNames;
  readonly isEntity: boolean;
}

/** Returns the names that the rows of all branches share. */
export function sharedNames(branches: readonly AppliedRows[]): ShownNames {
  const [first = new Map<string, null>(), ...others] = branches.map((rows) => namesOf(shownProperties(rows), rows));
  return others.reduce<ShownNames>((left, right) => intersection(left, right), first);
}

function namesOf(properties: readonly StructuralProperty[], rows: AppliedRows): ShownNames {
  const below = (type: StructuralProperty["type"]): ShownMembers | null =>
    isMade(type, rows) ? { names: namesOf(type.properties, rows), isEntity: rows.origins.has(type) } : null;
  return new Map(properties.map(({ name, type }) => [name, below(type)]));
}

/** Returns whether a step made a type, so that the context URL lists its members. */
function isMade(type: EntityType | StructuralProperty["type"], { keys }: AppliedRows): type is ComplexType {
  return keys !== null && type.kind === "ComplexType";
}

function intersection(left: ShownNames, right: ShownNames): ShownNames {
  const shared = new Map<string, ShownMembers | null>();
  for (const [name, below] of left) {
    const other = right.get(name);
    if (other === undefined) continue;
    if (below === null || other === null) shared.set(name, below ?? other);
    else shared.set(name, { ...below, names: intersection(below.names, other.names) });
  }
  return shared;
}

/**
 * Writes names as the entries of a context URL, such as `Item(Name,Kind(Label))` and `Place/Town`, without values that share
 * no member.
 * @see OData Protocol 4.0, section 10.7
 */
export function writeNames(names: ShownNames): readonly string[] {
  return Array.from(names).flatMap(([name, below]) => {
    if (below === null) return [name];
    const members = writeNames(below.names);
    if (!below.isEntity) return members.map((member) => `${name}/${member}`);
    return members.length === 0 ? [] : [`${name}(${members.join(",")})`];
  });
}
