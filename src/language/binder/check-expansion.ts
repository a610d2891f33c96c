import type { EntitySet, NavigationProperty } from "../../edm/model.ts";
import type { Capabilities } from "../query/capabilities.ts";
import type { ExpandItemSyntax, ExpandOptionsSyntax } from "../syntax/ast.ts";
import { invalidOption, unsupportedOption } from "./binding-scope.ts";

/** An expansion to check. */
interface ExpansionToCheck {
  readonly item: ExpandItemSyntax;
  readonly navigationProperty: NavigationProperty;
  /** The target set; null: none is declared. */
  readonly target: EntitySet | null;
  /** The capabilities of the target set, else the defaults of the service. */
  readonly capabilities: Capabilities;
  /** Most related entities per parent; null: no limit. */
  readonly maxExpandTop: number | null;
}

/** The nested options that a setting enables, with that setting. */
const FLAGS: ReadonlyMap<keyof ExpandOptionsSyntax, readonly [option: string, setting: keyof Capabilities]> = new Map([
  ["filter", ["$filter", "filterEnabled"]],
  ["orderBy", ["$orderby", "orderByEnabled"]],
  ["select", ["$select", "selectEnabled"]],
  ["expand", ["$expand", "expandEnabled"]],
  ["count", ["$count", "countEnabled"]],
  ["search", ["$search", "searchEnabled"]],
]);

/** The nested options that apply to collections only. */
const COLLECTION_OPTIONS = ["orderBy", "skip", "top", "count"] as const;

/**
 * Refuses nested options that do not fit the navigation property, or that its target set disables.
 * @throws ODataError `InvalidQueryOption`, `UnsupportedQueryOption`
 * @see docs/reference/expand.md
 */
export function checkExpansion(expansion: ExpansionToCheck): void {
  const { item, target, capabilities } = expansion;
  const place = target === null ? "here" : `for the entity set ${target.name}`;
  for (const [name, [option, setting]] of FLAGS) {
    if (item.options[name] === undefined || capabilities[setting] === true) continue;
    throw unsupportedOption("$expand", item.position, `The query option ${option} is not enabled ${place}.`);
  }
  if (item.suffix === "$count" && !capabilities.countEnabled) {
    throw unsupportedOption("$expand", item.position, `Counts are not enabled ${place}.`);
  }
  checkCardinality(expansion);
  checkTarget(expansion);
  checkTop(expansion);
}

function checkCardinality({ item, navigationProperty: { name, isCollection } }: ExpansionToCheck): void {
  if (isCollection) return;
  const option = COLLECTION_OPTIONS.find((each) => item.options[each] !== undefined);
  if (option !== undefined) {
    const message = `'${name}' leads to a single entity and takes no $${option.toLowerCase()}.`;
    throw invalidOption("$expand", item.position, message);
  }
  // `*/$count` is not valid, so a star never gets here.
  if (item.suffix === "$count") {
    throw invalidOption("$expand", item.position, `'${name}' leads to a single entity, which is not counted.`);
  }
}

/** Nested expansions, references and searches need a target set. */
function checkTarget({ item, navigationProperty: { name }, target }: ExpansionToCheck): void {
  if (target !== null) return;
  const refused = needsTarget(item);
  if (refused === null) return;
  throw invalidOption("$expand", item.position, `'${name}' has no target entity set, so ${refused}.`);
}

function needsTarget({ suffix, path, options }: ExpandItemSyntax): string | null {
  const { expand = [], levels = 1, search } = options;
  if (suffix === "$ref") return "its entities have no references";
  if (search !== undefined) return "it cannot be searched";
  // A star and `max` expand as deep as possible.
  const isDeeper = typeof levels === "number" && levels > 1 && path[0] !== "*";
  return expand.length > 0 || isDeeper ? "nothing below it can be expanded" : null;
}

function checkTop({ item, navigationProperty: { name }, maxExpandTop }: ExpansionToCheck): void {
  const { top } = item.options;
  if (top === undefined || maxExpandTop === null || top <= maxExpandTop) return;
  const message = `$top of '${name}' must not exceed ${maxExpandTop}: request at most ${maxExpandTop}.`;
  throw invalidOption("$expand", item.position, message);
}

/** The entities that an expansion starts from. */
interface ExpansionStart {
  readonly entitySet: EntitySet;
  readonly capabilities: Capabilities;
  /** Whether the entities may be objects of handlers that contain their related entities. */
  readonly areObjects: boolean;
}

/** Whether anything may load the related entities of a navigation. */
export function mayBeLoaded(
  { name }: NavigationProperty,
  { capabilities, areObjects }: Omit<ExpansionStart, "entitySet">,
): boolean {
  return areObjects || capabilities.expansions?.unloaded.has(name) !== true;
}

/**
 * Refuses an expansion whose related entities nothing loads.
 * @throws ODataError `UnsupportedQueryOption`
 * @see docs/reference/expand.md
 */
export function checkLoaded(navigationProperty: NavigationProperty, start: ExpansionStart, position: number): void {
  if (mayBeLoaded(navigationProperty, start)) return;
  const reason = `'${navigationProperty.name}' of ${start.entitySet.name} cannot be expanded: the service cannot read these related entities together with their parents.`;
  throw unsupportedOption("$expand", position, reason);
}
