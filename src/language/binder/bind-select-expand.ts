import { keptPer, keptPerPair } from "../../base/memo.ts";
import {
  type ComplexType,
  type EntityType,
  type Model,
  type ModelProperty,
  shownProperties,
  type StructuralProperty,
} from "../../edm/model.ts";
import { typeName } from "../../edm/type-name.ts";
import type { EntityOwner, PropertyAccess } from "../query/capabilities.ts";
import type { SelectExpandClause, SelectedProperty } from "../query/clauses.ts";
import type { SelectItemSyntax } from "../syntax/ast.ts";
import { castType, requireOwnName } from "./bind-path-cast.ts";
import {
  allowedNames,
  type ComputedName,
  invalidOption,
  unsupportedOption,
  didYouMean,
  isModelName,
  quotedName,
  type RowNames,
  slashAdvice,
} from "./binding-scope.ts";
import { type NameRules, resolveMember } from "./resolve-member.ts";

/** The place of a `$select`. */
interface SelectTarget {
  readonly model: Model;
  readonly entityType: EntityType;
  /** The set or type of the entities. */
  readonly owner: EntityOwner;
  /** The properties that the user may not read; absent: none. */
  readonly properties: PropertyAccess | undefined;
  /** The wire names that `$select` may use; null: all. */
  readonly allowed: ReadonlySet<string> | null;
  /** The option of the request, for errors: `$select`, or `$expand` for a nested one. */
  readonly option: "$select" | "$expand";
  /** The names that `$apply` and `$compute` have changed; absent: none. */
  readonly rows?: RowNames | undefined;
}

/** The selection of one level: a whole property (null), or some of its members. */
type Selection = Map<StructuralProperty, Selection | null>;

/** Most segments of one path. Complex types may contain themselves, and readers of the clause recurse into it. */
const MAX_PATH_LENGTH = 100;

const NOTHING: readonly never[] = Object.freeze([]);

/** Returns all properties of a type, whole. */
const wholeProperties: (entityType: EntityType) => readonly SelectedProperty[] = keptPer((entityType) =>
  Object.freeze(shownProperties(entityType).map((property) => Object.freeze({ property }))),
);

/**
 * Returns the clause of a request without `$select`: all properties, whole, but those that must be selected. If some are
 * left out, the context URL lists the others.
 * @see OData Protocol 4.0, section 10.7
 */
const selectDefault: (entityType: EntityType) => SelectExpandClause = keptPer((entityType) => {
  const whole = wholeProperties(entityType);
  const returned = Object.freeze(whole.filter(({ property }) => property.onlyIfSelected !== true));
  const isWhole = returned.length === whole.length;
  const contextSelect = isWhole ? NOTHING : namesOf(returned);
  const selected = isWhole ? whole : returned;
  return Object.freeze({ selected, isSelection: false, contextSelect, expanded: NOTHING });
});

function namesOf(selected: readonly SelectedProperty[]): readonly string[] {
  return Object.freeze(selected.map(({ property }) => property.name));
}

/**
 * Returns the clause of a request without `$select` for a user: all properties that the user may read, whole, but those that
 * must be selected.
 * @param owner the set of the entities; their type if no set is declared
 * @param access the properties that the user may not read; absent: none
 * @see docs/guides/authorization.md
 */
export function selectReadable(owner: EntityOwner, access: PropertyAccess | null | undefined): SelectExpandClause {
  if (access === null || access === undefined || access.unreadableOf(owner).size === 0) {
    return selectDefault(typeOf(owner));
  }
  return readableClause(access, owner);
}

const readableClause = keptPerPair((access: PropertyAccess, owner: EntityOwner): SelectExpandClause => {
  const unreadable = access.unreadableOf(owner);
  const all = selectDefault(typeOf(owner));
  const selected = Object.freeze(all.selected.filter(({ property }) => !unreadable.has(property)));
  const contextSelect = all.contextSelect.length === 0 ? NOTHING : namesOf(selected);
  return Object.freeze({ ...all, selected, contextSelect, unreadable });
});

function typeOf(owner: EntityOwner): EntityType {
  return owner.kind === "EntitySet" ? owner.entityType : owner;
}

/**
 * Binds `$select`. Selected navigation properties and operations appear in the context URL only; `$expand` returns their
 * content.
 * @throws ODataError `InvalidQueryOption` for an unknown or disallowed name, and for an invalid path; the error of
 *   `properties` for a property that the user may not read
 * @see OData URL Conventions 4.0, section 5.1.3
 */
export function bindSelect(items: readonly SelectItemSyntax[], target: SelectTarget): SelectExpandClause {
  const { rows } = target;
  const rules: NameRules = { option: target.option, allowed: allowedNames(target.allowed, rows), rows };
  const computed = new Map<string, ComputedName>();
  const selection: Selection = new Map();
  const contextSelect = new Set<string>();
  const hasStar = items.some(({ path }) => path[0] === "*");
  for (const { path, position } of items) {
    const [first = ""] = path;
    const value = path.length === 1 ? rows?.computed.get(first) : undefined;
    if (value !== undefined) {
      computed.set(first, value);
      contextSelect.add(first);
    } else if (first === "*") {
      contextSelect.add("*");
    } else if (first.includes(".") && (path.length === 1 || target.entityType.hierarchy === undefined)) {
      refuseCast(first, target.entityType, position, rules);
      contextSelect.add(bindOperationName(first, position, target));
    } else {
      const { name, isStructural } = selectPath(path, position, selection, target, rules);
      if (isStructural) refuseUnreadable(name, target);
      // A star includes all structural properties.
      if (!hasStar || !isStructural) contextSelect.add(name);
    }
  }
  const unreadable = selectReadable(target.owner, target.properties).unreadable;
  // A star also selects the properties that are returned only if selected.
  const all = wholeProperties(target.entityType).filter(
    // A step of a hierarchy gives declared names their values.
    ({ property }) => unreadable?.has(property) !== true && rows?.computed.has(property.name) !== true,
  );
  const selected = hasStar ? permitted(all, rules.allowed) : inDeclaredOrder(target.entityType, selection);
  const isSelection = !hasStar || selected.length < all.length;
  const clause: SelectExpandClause = {
    selected,
    isSelection,
    contextSelect: [...contextSelect],
    expanded: NOTHING,
    unreadable,
  };
  return withNames(withComputed(clause, hasStar ? (rows?.computed ?? computed) : computed), rows);
}

/** Adds computed values to a clause. A star in the context URL does not include them. */
function withComputed(clause: SelectExpandClause, computed: ReadonlyMap<string, ComputedName>): SelectExpandClause {
  if (computed.size === 0) return clause;
  const values = Array.from(computed.values(), ({ property, expression }) => ({ property, computed: expression }));
  const contextSelect = [...new Set([...clause.contextSelect, ...computed.keys()])];
  return { ...clause, selected: [...clause.selected, ...values], contextSelect };
}

function withNames(clause: SelectExpandClause, rows: RowNames | undefined): SelectExpandClause {
  return rows === undefined || rows.copies.named.length === 0 ? clause : { ...clause, computed: rows.copies.named };
}

/**
 * Adds all computed values to the clause of a request without `$select`.
 * @param rows undefined: without computed values
 */
export function selectComputed(clause: SelectExpandClause, rows: RowNames | undefined): SelectExpandClause {
  if (rows === undefined || rows.copies.named.length === 0) return clause;
  const isShown = rows.computed.size > 0;
  const contextSelect = clause.contextSelect.length === 0 ? ["*"] : clause.contextSelect;
  const shown = isShown ? withComputed({ ...clause, contextSelect }, rows.computed) : clause;
  return withNames({ ...shown }, rows);
}

/** @param path the wire name of a property, or a path below it */
function refuseUnreadable(path: string, { owner, entityType, properties }: SelectTarget): void {
  if (properties === undefined) return;
  const [first = "", second = ""] = path.split("/");
  const cast = [...(entityType.hierarchy?.types.values() ?? [])].find(({ qualifiedName }) => qualifiedName === first);
  const property = cast === undefined ? entityType.members.get(first) : cast.members.get(second);
  if (property?.kind !== "StructuralProperty" || !properties.unreadableOf(owner).has(property)) return;
  throw properties.refusal(property, owner);
}

/** Returns the properties of a star, which the allowlist restricts. */
function permitted(all: readonly SelectedProperty[], allowed: ReadonlySet<string> | null): readonly SelectedProperty[] {
  return allowed === null ? all : all.filter(({ property }) => allowed.has(property.name));
}

/** Adds one path to the selection, and returns its spelling on the wire. */
function selectPath(
  path: readonly string[],
  position: number,
  selection: Selection,
  { entityType, model }: Pick<SelectTarget, "entityType" | "model">,
  rules: NameRules,
): { readonly name: string; readonly isStructural: boolean } {
  if (path.length > MAX_PATH_LENGTH) {
    throw invalidOption(rules.option, position, `A path may have at most ${MAX_PATH_LENGTH} segments: shorten it.`);
  }
  const [first = "", ...behind] = path;
  if (entityType.hierarchy !== undefined && behind.length > 0 && isModelName(first, model)) {
    const place = { option: rules.option, position, model };
    const type = castType(entityType, first, place);
    requireOwnName(type, entityType, behind[0] ?? "", place);
    const { name, isStructural } = selectPath(behind, position, selection, { entityType: type, model }, rules);
    return { name: `${first}/${name}`, isStructural };
  }
  const names: string[] = [];
  let level: Selection | null = selection;
  let type: EntityType | ComplexType = entityType;
  for (const [index, segment] of path.entries()) {
    refuseCast(segment, type, position, rules);
    const member: ModelProperty = resolveMember<ModelProperty>(
      type,
      { name: segment, position, isFirst: index === 0 },
      rules,
    );
    const next = path[index + 1];
    const isLast = next === undefined;
    names.push(member.name);
    if (member.kind === "NavigationProperty") {
      if (isLast) return { name: names.join("/"), isStructural: false };
      const message = `'${member.name}' is a navigation property: write $expand=${names.join("/")}($select=…).`;
      throw invalidOption(rules.option, position, message);
    }
    if (isLast) {
      level?.set(member, null);
      break;
    }
    if (member.type.kind !== "ComplexType") {
      const message = `'${member.name}' is ${typeName(member.type)} and has no property ${quotedName(next)}.`;
      throw invalidOption(rules.option, position, message);
    }
    type = member.type;
    level = membersOf(level, member);
  }
  return { name: names.join("/"), isStructural: true };
}

/** Refuses a type cast, even to the type itself. @see OData URL Conventions 4.0, section 4.11 */
function refuseCast(name: string, type: EntityType | ComplexType, position: number, { option }: NameRules): void {
  if (name !== type.qualifiedName) return;
  throw unsupportedOption(option, position, `Type casts are not supported in ${option}.`);
}

/** Returns the selection below a complex property; null if the whole property is already selected. */
function membersOf(level: Selection | null, property: StructuralProperty): Selection | null {
  if (level === null) return null;
  const known = level.get(property);
  if (known !== undefined) return known;
  const members: Selection = new Map();
  level.set(property, members);
  return members;
}

function inDeclaredOrder(type: EntityType | ComplexType, selection: Selection): readonly SelectedProperty[] {
  const properties = type.kind === "EntityType" ? shownProperties(type) : type.properties;
  return properties.flatMap((property): readonly SelectedProperty[] => {
    const members = selection.get(property);
    if (members === undefined) return [];
    if (members === null || property.type.kind !== "ComplexType") return [{ property }];
    return [{ property, nested: inDeclaredOrder(property.type, members) }];
  });
}

/** Binds `Namespace.Operation`, `Namespace.Function(parameters)` or `Namespace.*`. */
function bindOperationName(name: string, position: number, { model, option }: SelectTarget): string {
  const parenthesis = name.indexOf("(");
  const qualifiedName = parenthesis === -1 ? name : name.slice(0, parenthesis);
  const declared = [...model.operations.map((operation) => operation.qualifiedName), `${model.namespace}.*`];
  if (declared.includes(qualifiedName)) return name;
  // Neither a call nor a name of the model is a path with points instead of slashes.
  const mayBePath = parenthesis === -1 && !name.endsWith(".*") && !isModelName(name, model);
  const advice = didYouMean(qualifiedName, declared) || (mayBePath ? slashAdvice(name) : "");
  throw invalidOption(option, position, `Unknown operation ${quotedName(name)}.${advice}`);
}
