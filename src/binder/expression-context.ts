import type { EntitySet, EntityType } from "../edm/model.ts";
import type { Capabilities, Limits } from "../query/capabilities.ts";
import type { QueryParameter } from "../query/clauses.ts";
import { mentionsOf, type QueryClauses } from "../query/mentions.ts";
import { invalidOption, unsupportedOption } from "./binding-error.ts";
import type { BindingContext, CapabilitiesBySet, ClauseName } from "./binding-scope.ts";

/** Most navigations without a setting. */
const MAX_NAVIGATIONS = 1000;

/** What the expressions of one level have in common. */
export interface ExpressionPlace {
  readonly model: BindingContext["model"];
  readonly entityType: EntityType;
  /** The set that the entities belong to; null: none is declared. */
  readonly entitySet: EntitySet | null;
  readonly capabilities: Capabilities;
  readonly capabilitiesOf: CapabilitiesBySet;
  readonly parameters: QueryParameter[];
}

/** What of the capabilities of a set is about expressions of a clause. */
const SETTINGS = {
  filter: { option: "$filter", enabled: "filterEnabled", allowed: "filterProperties" },
  orderBy: { option: "$orderby", enabled: "orderByEnabled", allowed: "orderByProperties" },
} as const satisfies Readonly<Record<ClauseName, Readonly<Record<string, string>>>>;

/**
 * Where the expressions of `$filter` or `$orderby` stand.
 * @param option the option of the request that they are a part of; by default they are the whole of one
 */
export function expressionContext(
  clause: ClauseName,
  place: ExpressionPlace,
  option: string = SETTINGS[clause].option,
): BindingContext {
  const settings = SETTINGS[clause];
  const { model, entityType, entitySet, capabilities, capabilitiesOf, parameters } = place;
  const allowed = capabilities[settings.allowed];
  return { model, option, clause, entityType, entitySet, capabilitiesOf, allowed, parameters };
}

/**
 * The wire names that an expression may use of entities that it leads to: what their set allows in the same clause.
 * @param entitySet the set that the entities belong to; null: none is declared, so the defaults of the service hold
 * @throws ODataError `UnsupportedQueryOption` when the set has switched the clause off
 * @see specification, Collection read, rules 1 and 2
 */
export function allowedOf(
  entitySet: EntitySet | null,
  { clause, option, capabilitiesOf }: BindingContext,
  position: number,
): ReadonlySet<string> | null {
  const settings = SETTINGS[clause];
  const capabilities = capabilitiesOf(entitySet);
  if (capabilities[settings.enabled]) return capabilities[settings.allowed];
  const place = entitySet === null ? "here" : `for the entity set ${entitySet.name}`;
  throw unsupportedOption(option, position, `The query option ${settings.option} is not enabled ${place}.`);
}

/**
 * Checks how many navigations the expressions of one level go along: each costs a read of its own, or a join.
 * @throws ODataError `InvalidQueryOption` above `maxExpandItems`
 * @see decisions, Smaller points (cost of a request)
 */
export function checkMentions(clauses: QueryClauses, { maxExpandItems }: Limits, option: string): void {
  const mentions = mentionsOf(clauses);
  if (mentions === null) return;
  const most = maxExpandItems ?? MAX_NAVIGATIONS;
  if (mentions.allNavigations.length + mentions.roots.length <= most) return;
  throw invalidOption(
    option,
    undefined,
    `Expressions go along at most ${most} different navigations and $root paths: mention fewer at once.`,
  );
}
