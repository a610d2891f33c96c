import type { EntitySet, EntityType } from "../edm/model.ts";
import type { Capabilities, Limits, PathGuard } from "../query/capabilities.ts";
import type { QueryParameter } from "../query/clauses.ts";
import { mentionsOf, type QueryClauses } from "../query/mentions.ts";
import { invalidOption, unsupportedOption } from "./binding-error.ts";
import type { BindingContext, CapabilitiesBySet, ClauseName, JoinedTexts } from "./binding-scope.ts";

/** Maximum number of navigations without a setting. */
const MAX_NAVIGATIONS = 1000;

/** The common context of the expressions of one level. */
export interface ExpressionPlace {
  readonly model: BindingContext["model"];
  readonly entityType: EntityType;
  /** The set of the entities; null: none is declared. */
  readonly entitySet: EntitySet | null;
  readonly capabilities: Capabilities;
  readonly capabilitiesOf: CapabilitiesBySet;
  readonly guard?: PathGuard | undefined;
  readonly parameters: QueryParameter[];
  readonly texts: JoinedTexts;
}

/** The capabilities that apply to the expressions of a clause. */
const SETTINGS = {
  filter: { option: "$filter", enabled: "filterEnabled", allowed: "filterProperties" },
  orderBy: { option: "$orderby", enabled: "orderByEnabled", allowed: "orderByProperties" },
} as const satisfies Readonly<Record<ClauseName, Readonly<Record<string, string>>>>;

/**
 * Returns the context of the expressions of `$filter` or `$orderby`.
 * @param option the option of the request that contains them; by default the option of the clause
 */
export function expressionContext(
  clause: ClauseName,
  place: ExpressionPlace,
  option: string = SETTINGS[clause].option,
): BindingContext {
  const settings = SETTINGS[clause];
  const { model, entityType, entitySet, capabilities, capabilitiesOf, guard, parameters, texts } = place;
  const allowed = capabilities[settings.allowed];
  return { model, option, clause, entityType, entitySet, capabilitiesOf, allowed, guard, parameters, texts };
}

/**
 * Returns the wire names that an expression may use of related entities, which their set allows in the same clause.
 * @param entitySet the set of the entities; null: none is declared, so the defaults of the service apply
 * @throws ODataError `UnsupportedQueryOption` if the set disables the clause
 * @see docs/reference/filter.md
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
 * Checks the number of navigations in the expressions of one level, because each costs a read or a join.
 * @throws ODataError `InvalidQueryOption` above `maxExpandItems`
 * @see docs/reference/limits.md
 */
export function checkMentions(clauses: QueryClauses, { maxExpandItems }: Limits, option: string): void {
  const mentions = mentionsOf(clauses);
  if (mentions === null) return;
  const most = maxExpandItems ?? MAX_NAVIGATIONS;
  if (mentions.allNavigations.length + mentions.roots.length <= most) return;
  throw invalidOption(
    option,
    undefined,
    `Expressions may use at most ${most} different navigations and $root paths: use fewer at once.`,
  );
}
