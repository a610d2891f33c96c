import { nearestName } from "../../base/errors/nearest-name.ts";
import { type ODataError, protocolError } from "../../base/errors/odata-error.ts";
import type {
  ComplexType,
  EntitySet,
  EntityType,
  Model,
  NavigationProperty,
  StructuralProperty,
} from "../../edm/model.ts";
import type { Capabilities, PathGuard, Limits } from "../query/capabilities.ts";
import type { ComputedProperty, QueryParameter } from "../query/clauses.ts";
import type { Expression, TextCalls, VariableExpression } from "../query/expression.ts";
import { mentionsOf, type QueryClauses } from "../query/mentions.ts";
import type { SyntaxNode, TheseSyntax } from "../syntax/ast.ts";
import { quoteText } from "../syntax/syntax-error.ts";
import type { Operand } from "./operand.ts";

/** The clauses that contain expressions. */
export type ClauseName = "filter" | "orderBy" | "groupBy" | "aggregate" | "compute";

/** Returns the capabilities of an entity set; null gives the defaults for entities without a set. */
export type CapabilitiesBySet = (entitySet: EntitySet | null) => Capabilities;

/** The names of rows that `$apply` and `$compute` have changed. */
export interface RowNames {
  /** The computed values. A use of their name is a copy of the expression. */
  readonly computed: ReadonlyMap<string, ComputedName>;
  /** The navigations that `join` added, by their names. */
  readonly joined: ReadonlyMap<string, NavigationProperty>;
  /** The step that made the rows, such as `groupby`; null: they are entities of the set. */
  readonly behind: string | null;
  /** The names of made rows that belong to no declared property, so that allowlists do not apply. */
  readonly aliases: ReadonlySet<string>;
  /** The sets of the related entities whose properties are now members of a value; null: no set is declared. */
  readonly origins: ReadonlyMap<ComplexType, EntitySet | null>;
  readonly copies: Copies;
  /** Makes the error of the name of an entity's property that the user may not read, which rows do not have; absent: none. */
  readonly refusalOf?: ((name: string) => ODataError | undefined) | undefined;
}

/** A computed value with the size of its expression. */
export interface ComputedName {
  readonly property: StructuralProperty;
  readonly expression: Expression;
  readonly nodes: number;
}

/** The size of all expressions of a request, copies included, which grows as names are used. */
export interface Copies {
  nodes: number;
  readonly most: number;
  /** All computed values of the level, in their order. */
  readonly named: ComputedProperty[];
}

/** The place of an expression, which decides the meaning of its names and the names that it may use. */
export interface BindingContext {
  readonly model: Model;
  /** The option that contains the expression, with its `$`: the target of errors. */
  readonly option: string;
  readonly clause: ClauseName;
  /** The type of the entities that the expression is evaluated for. */
  readonly entityType: EntityType;
  /** The set of those entities, whose navigations the expression may follow; null: none is declared. */
  readonly entitySet: EntitySet | null;
  readonly capabilitiesOf: CapabilitiesBySet;
  /** The wire names that the option may use of those entities; null: all. */
  readonly allowed: ReadonlySet<string> | null;
  /** Receives each navigation and each set after `$root`; absent: they are not guarded. */
  readonly guard?: PathGuard | undefined;
  /** Grows by one parameter for each literal that is bound. */
  readonly parameters: QueryParameter[];
  readonly texts: TextCalls;
  /** The names that `$apply` and `$compute` have changed; absent: none. */
  readonly rows?: RowNames | undefined;
  /** Binds a total of the rows that the step receives; absent: it has none. */
  readonly these?: ((node: TheseSyntax) => Operand) | undefined;
}

/** The range variable of a lambda operator. */
export interface RangeVariable {
  /** As the client wrote it; null for an implicit variable that no name can refer to. */
  readonly name: string | null;
  readonly expression: VariableExpression;
  /** The set of the items; null for values, and if no set is declared. */
  readonly entitySet: EntitySet | null;
}

/** A context with functions that bind the parts of an expression. */
export interface BindingScope extends BindingContext {
  /** The range variables of the lambda operators around the expression, the outermost first. */
  readonly variables: readonly RangeVariable[];
  /** The scope of the predicate of a lambda operator. */
  readonly within: (variable: RangeVariable) => BindingScope;
  /**
   * Binds a part of the expression, one level deeper.
   * @throws ODataError `InvalidQueryOption`, `UnsupportedQueryOption`
   */
  readonly bind: (node: SyntaxNode) => Operand;
}

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
  readonly texts: TextCalls;
  readonly rows?: RowNames | undefined;
}

/** The capabilities that apply to the expressions of a clause. */
const SETTINGS = {
  filter: { option: "$filter", enabled: "filterEnabled", allowed: "filterProperties" },
  orderBy: { option: "$orderby", enabled: "orderByEnabled", allowed: "orderByProperties" },
  groupBy: { option: "$apply", enabled: "applyEnabled", allowed: "groupByProperties" },
  aggregate: { option: "$apply", enabled: "applyEnabled", allowed: "aggregateProperties" },
  compute: { option: "$compute", enabled: "computeEnabled", allowed: "computeProperties" },
} as const satisfies Readonly<Record<ClauseName, Readonly<Record<string, string>>>>;

/**
 * Returns the context of the expressions of a clause, such as `$filter`.
 * @param option the option of the request that contains them; by default the option of the clause
 */
export function expressionContext(
  clause: ClauseName,
  place: ExpressionPlace,
  option: string = SETTINGS[clause].option,
): BindingContext {
  const settings = SETTINGS[clause];
  const { model, entityType, entitySet, capabilities, capabilitiesOf, guard, parameters, texts, rows } = place;
  const allowed = allowedNames(capabilities[settings.allowed] ?? null, rows);
  return { model, option, clause, entityType, entitySet, capabilitiesOf, allowed, guard, parameters, texts, rows };
}

/** Returns the names that a clause may use of rows. @param allowed the allowlist of the set; null: all */
export function allowedNames(
  allowed: ReadonlySet<string> | null,
  rows: RowNames | undefined,
): ReadonlySet<string> | null {
  return allowed === null || rows === undefined || rows.behind === null
    ? allowed
    : new Set([...allowed, ...rows.aliases]);
}

/**
 * Requires that a set enables the clause of a step of `$apply`.
 * @throws ODataError `UnsupportedQueryOption`
 */
export function requireEnabled(clause: ClauseName, capabilities: Capabilities, option: string, position: number): void {
  const settings = SETTINGS[clause];
  if (capabilities[settings.enabled] === true) return;
  const message = `The query option ${settings.option} is not enabled for this entity set.`;
  throw unsupportedOption(option, position, message);
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
  if (capabilities[settings.enabled] === true) return capabilities[settings.allowed] ?? null;
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

/**
 * Makes the error of an invalid option.
 * @param option the option at fault, with its `$`
 * @param position offset in the decoded text of the option; undefined if the whole option is at fault
 * @param message the fault and its correction
 * @see docs/reference/errors.md
 */
export function invalidOption(option: string, position: number | undefined, message: string): ODataError {
  return protocolError("InvalidQueryOption", withPosition(option, position, message), { target: option });
}

/** Makes the error of an option, or of a construct in it, that the standard has and the service does not support. @see docs/reference/errors.md */
export function unsupportedOption(option: string, position: number | undefined, message: string): ODataError {
  return protocolError("UnsupportedQueryOption", withPosition(option, position, message), { target: option });
}

/** Makes the error of an option that does not belong to the resource, or of an undeclared name in it. */
export function misplacedOption(option: string, position: number | undefined, message: string): ODataError {
  const options = { target: option, isUnsupported: false };
  return protocolError("UnsupportedQueryOption", withPosition(option, position, message), options);
}

function withPosition(option: string, position: number | undefined, message: string): string {
  return position === undefined ? message : `${option} at position ${position}: ${message}`;
}

/**
 * Returns the end of a message about an unknown name, such as ` Did you mean 'Countries'?`; empty without a similar name.
 * @param declared the names that the client may learn
 */
export function didYouMean(name: string, declared: Iterable<string>): string {
  const nearest = nearestName(name, declared);
  if (nearest === null) return "";
  const isSameWord = nearest.toLowerCase() === name.toLowerCase();
  return ` Did you mean '${nearest}'?${isSameWord ? " Names are case-sensitive." : ""}`;
}

/** Returns whether a name with points is in a namespace of the service, so that it means a type or an operation. */
export function isModelName(name: string, { namespace }: { readonly namespace: string }): boolean {
  return name.startsWith(`${namespace}.`) || name.startsWith("Edm.");
}

/** Returns the end of a message about a name with points, such as ` Write a path with slashes: Customer/Name.`; else empty. */
export function slashAdvice(name: string): string {
  return name.includes(".") ? ` Write a path with slashes: ${quotedName(name.replaceAll(".", "/")).slice(1, -1)}.` : "";
}

/** Quotes a name from a request for a message, in single quotes and shortened. */
export function quotedName(name: string): string {
  return `'${quoteText(name).slice(1, -1)}'`;
}
