import { attempt } from "../../base/maybe.ts";
import { keptPer } from "../../base/memo.ts";
import { fromComparedLiteral } from "../../edm/literal.ts";
import type { EntitySet, Model } from "../../edm/model.ts";
import { InvalidValueError, type PrimitiveValue } from "../../edm/value-codec.ts";
import type { Capabilities, Limits, PathGuard, PropertyAccess, StarAccess } from "../query/capabilities.ts";
import {
  type BoundEntityQuery,
  type BoundQuery,
  type QueryParameter,
  type QueryShape,
  type SearchClause,
  type SelectExpandClause,
  type ShapeCache,
  shapeKey,
} from "../query/clauses.ts";
import { type ApplyTokens, tokenizeApply } from "../syntax/apply-tokens.ts";
import type { SelectItemSyntax } from "../syntax/ast.ts";
import { parseExpression } from "../syntax/expression-parser.ts";
import { tokenize } from "../syntax/lexer.ts";
import { parseOrderBy } from "../syntax/order-by-parser.ts";
import { type ParseContext, type SyntaxLimits, toSyntaxLimits } from "../syntax/parse-context.ts";
import { parseBoolean, parseNonNegativeInteger, type QueryOptionsSyntax } from "../syntax/query-options-parser.ts";
import { parseSelect, parseShapedExpand, shapeOfSelect, type ShapedExpand } from "../syntax/select-expand-parser.ts";
import type { Literal, TokenList } from "../syntax/token.ts";
import type { Unreadable } from "./apply-rows.ts";
import { bindChanges, type ChangedRows, refuseLateSearch } from "./bind-changes.ts";
import { bindExpand, type ExpandScope } from "./bind-expand.ts";
import { bindCondition, bindOrder } from "./bind-expression.ts";
import { refuseHierarchy } from "./bind-hierarchy.ts";
import { bindSearch, joinSearches } from "./bind-search.ts";
import { bindSelect, selectReadable } from "./bind-select-expand.ts";
import { invalidOption, checkMentions, expressionContext } from "./binding-scope.ts";
import {
  type OptionRules,
  checkCapabilities,
  COLLECTION_OPTIONS,
  COUNT_OPTIONS,
  ENTITY_OPTIONS,
  NO_OPTIONS,
} from "./option-rules.ts";

/** The collection or entity that query options apply to, with its capabilities. */
export interface QueryTarget {
  readonly model: Model;
  readonly entitySet: EntitySet;
  readonly capabilities: Capabilities;
  /** The capabilities of the sets that expansions lead to; null gives the defaults. */
  readonly capabilitiesOf: (entitySet: EntitySet | null) => Capabilities;
  readonly limits: Limits;
  /** Whether a context URL with a `$select` lists all expansions of its level, not only those with a `$select`. */
  readonly fullContextUrl?: boolean | undefined;
  /** The navigations that a star in `$expand` skips; absent: none. */
  readonly star?: StarAccess | undefined;
  /** The properties that the user may not read; absent: none. */
  readonly properties?: PropertyAccess | undefined;
  /** Whether handlers return the entities, and may have put related entities into them; absent: no. */
  readonly areObjects?: boolean | undefined;
  /** Receives the entities that a shape reaches while it is bound, so not for a cached shape; absent: they are not guarded. */
  readonly guard?: PathGuard | undefined;
}

/** The options that form a shape, as tokens and texts. */
interface ShapeSyntax {
  readonly apply: ApplyTokens | undefined;
  readonly compute: TokenList | undefined;
  readonly filter: TokenList | undefined;
  readonly orderBy: TokenList | undefined;
  readonly select: string | undefined;
  readonly expand: ShapedExpand | undefined;
}

/**
 * Binds the query options of a collection. If the shape is cached, only the literals are read.
 * @param options as read from the URL; `$skiptoken` is passed on unread
 * @param cache the shapes of this service
 * @param rules the options that the resource supports
 * @throws ODataError `UnsupportedQueryOption`, `InvalidQueryOption`; target the option
 * @see OData URL Conventions 4.0, section 5
 */
export function bindCollectionQuery(
  options: QueryOptionsSyntax,
  target: QueryTarget,
  cache: ShapeCache,
  rules: OptionRules = COLLECTION_OPTIONS,
): BoundQuery {
  const { system } = options;
  checkCapabilities(system.keys(), rules, target.capabilities);
  const context = parseContext(options, target);
  const syntax: ShapeSyntax = {
    ...changesOf(options, context),
    filter: tokensOf("$filter", system.get("$filter"), context),
    orderBy: tokensOf("$orderby", system.get("$orderby"), context),
    select: system.get("$select"),
    expand: expandOf(options, context),
  };
  const shape = shapeOf(syntax, target, context, cache);
  if (rules.isWholeSet !== true) refuseHierarchy(shape.apply);
  const count = system.get("$count");
  return {
    shape,
    values: bindParameters(shape.parameters, context.literals),
    search: searchOf(options, syntax.apply, shape, target, context),
    top: integerOption(options, "$top"),
    skip: integerOption(options, "$skip") ?? 0,
    skipToken: system.get("$skiptoken"),
    count: count !== undefined && parseBoolean(count, "$count"),
  };
}

/**
 * Binds the query options of `/$count`. `$filter` and `$search` determine the number. `$orderby`, `$select`, `$top` and
 * `$skip`, which some clients send, must be well-formed and are then ignored.
 * @param rules the options that the resource supports
 * @throws ODataError as for bindCollectionQuery
 * @see OData URL Conventions 4.0, section 4.8
 */
export function bindCountQuery(
  options: QueryOptionsSyntax,
  target: QueryTarget,
  cache: ShapeCache,
  rules: OptionRules = COUNT_OPTIONS,
): BoundQuery {
  const { system } = options;
  checkCapabilities(system.keys(), rules, target.capabilities);
  const context = parseContext(options, target);
  const changes = changesOf(options, context);
  const filter = tokensOf("$filter", system.get("$filter"), context);
  const syntax = { ...changes, filter, orderBy: undefined, select: undefined, expand: undefined };
  const shape = shapeOf(syntax, target, context, cache);
  if (rules.isWholeSet !== true) refuseHierarchy(shape.apply);
  const values = bindParameters(shape.parameters, context.literals);
  const orderBy = tokensOf("$orderby", system.get("$orderby"), context);
  if (orderBy !== undefined) parseOrderBy(orderBy, context);
  const select = system.get("$select");
  if (select !== undefined) parseSelect(select, context);
  const search = searchOf(options, changes.apply, shape, target, context);
  integerOption(options, "$top");
  integerOption(options, "$skip");
  return { shape, values, search, top: undefined, skip: 0, skipToken: undefined, count: true };
}

/**
 * Binds the query options of one entity: `$select`, `$expand` and `$compute`.
 * @param cache as for a collection
 * @param rules the options that the resource supports
 * @throws ODataError as for bindCollectionQuery
 * @see OData URL Conventions 4.0, sections 5.1.2 and 5.1.3
 */
export function bindEntityQuery(
  options: QueryOptionsSyntax,
  target: QueryTarget,
  cache: ShapeCache,
  rules: OptionRules = ENTITY_OPTIONS,
): BoundEntityQuery {
  const { system } = options;
  checkCapabilities(system.keys(), rules, target.capabilities);
  const select = system.get("$select");
  if (select === undefined && !system.has("$expand") && !system.has("$compute")) return wholeEntity(target);
  const context = parseContext(options, target);
  const compute = tokensOf("$compute", system.get("$compute"), context);
  const expand = expandOf(options, context);
  const syntax = { apply: undefined, compute, filter: undefined, orderBy: undefined, select, expand };
  const shape = shapeOf(syntax, target, context, cache);
  return { selectExpand: shape.selectExpand, values: bindParameters(shape.parameters, context.literals) };
}

function wholeEntity({ entitySet, properties }: QueryTarget): BoundEntityQuery {
  return { selectExpand: selectReadable(entitySet, properties), values: [] };
}

/**
 * Checks the query options of a resource that supports only `$format`, such as the service document.
 * @param rules names the options that the standard has for the resource
 * @throws ODataError `UnsupportedQueryOption`
 */
export function bindNoQuery(options: QueryOptionsSyntax, rules: OptionRules = NO_OPTIONS): void {
  checkCapabilities(options.system.keys(), rules, null);
}

/** Returns the cached shape of the options, or parses and binds them. Only valid options are cached. */
function shapeOf(syntax: ShapeSyntax, target: QueryTarget, context: ParseContext, cache: ShapeCache): QueryShape {
  const { entitySet } = target;
  const select = syntax.select === undefined ? undefined : shapeOfSelect(syntax.select);
  const { apply, compute, filter, orderBy, expand } = syntax;
  const changes = [apply?.list.shape, compute?.shape];
  const own = [entitySet.name, filter?.shape, orderBy?.shape, select, expand?.shape, userOf(target)];
  const key = shapeKey([...own, ...changes]);
  const known = cache.get(key);
  if (known !== undefined) return known;
  const shape = bindShape(key, syntax, target, context);
  cache.set(key, shape);
  return shape;
}

/** Returns the facts, besides the options, that decide which navigations a shape expands and which properties it selects. */
function userOf({ star, properties, areObjects = false }: QueryTarget): string | undefined {
  const expanded = areObjects ? `objects ${star?.key ?? ""}` : star?.key;
  return properties === undefined ? expanded : shapeKey([expanded, properties.key]);
}

function bindShape(key: string, syntax: ShapeSyntax, target: QueryTarget, context: ParseContext): QueryShape {
  const { model, entitySet, capabilities, capabilitiesOf, guard } = target;
  const { entityType } = entitySet;
  const parameters: QueryParameter[] = [];
  const texts = { count: 0 };
  const source = { model, entityType, entitySet, capabilities, capabilitiesOf, guard, parameters, texts };
  const { filter, orderBy } = syntax;
  const changed = bindChanges(syntax, { ...source, unreadable: unreadableOf(target) }, context);
  const place = changed === null ? source : { ...source, ...changed.place };
  const conditions = expressionContext("filter", place);
  const sortKeys = expressionContext("orderBy", place);
  const items = orderBy === undefined ? [] : parseOrderBy(orderBy, context);
  const shape: QueryShape = {
    key,
    entitySet,
    entityType: place.entityType,
    ...(changed?.apply !== undefined && { apply: changed.apply }),
    filter: filter === undefined ? null : { expression: bindCondition(parseExpression(filter, context), conditions) },
    orderBy: bindOrder(items, sortKeys),
    selectExpand: bindSelectExpand(syntax, target, context, { parameters, texts }, changed),
    parameters,
    roundingMode: capabilities.roundingMode,
  };
  checkMentions(shape, target.limits, firstOption(syntax));
  return Object.freeze(shape);
}

function unreadableOf({ properties, entitySet }: QueryTarget): Unreadable | undefined {
  if (properties === undefined) return undefined;
  const refusal: Unreadable["refusal"] = (property) => properties.refusal(property, entitySet);
  return { properties: properties.unreadableOf(entitySet), refusal };
}

/** Returns the first option that may contain expressions, for errors. */
function firstOption({ apply, compute, filter }: ShapeSyntax): string {
  if (apply !== undefined) return "$apply";
  if (compute !== undefined) return "$compute";
  return filter === undefined ? "$orderby" : "$filter";
}

function bindSelectExpand(
  { select, expand }: ShapeSyntax,
  target: QueryTarget,
  context: ParseContext,
  found: Pick<ExpandScope, "parameters" | "texts">,
  changed: ChangedRows | null,
): SelectExpandClause {
  if (changed !== null && expand !== undefined) changed.refuseExpand();
  const items = select === undefined ? undefined : parseSelect(select, context);
  const selected = changed === null ? selectOf(items, target) : changed.select(items, target);
  return expand === undefined
    ? selected
    : bindExpand(expand.items, target.entitySet, selected, { ...target, ...found }, changed?.place.rows?.joined);
}

function selectOf(items: readonly SelectItemSyntax[] | undefined, target: QueryTarget): SelectExpandClause {
  const { model, entitySet, capabilities, properties } = target;
  if (items === undefined) return selectReadable(entitySet, properties);
  const { entityType } = entitySet;
  const allowed = capabilities.selectProperties;
  return bindSelect(items, { model, entityType, owner: entitySet, properties, allowed, option: "$select" });
}

/** Parses `$expand`. Its shape depends on where its expressions end, so it must be parsed in each request. */
function expandOf(options: QueryOptionsSyntax, context: ParseContext): ShapedExpand | undefined {
  const text = options.system.get("$expand");
  return text === undefined ? undefined : parseShapedExpand(text, context);
}

/** A search varies per request and is not part of the shape. Those of `$apply` and `$search` must all match. */
function searchOf(
  { system }: QueryOptionsSyntax,
  apply: ApplyTokens | undefined,
  shape: QueryShape,
  { entitySet, properties }: QueryTarget,
  context: ParseContext,
): SearchClause | null {
  const text = system.get("$search");
  if (apply === undefined && text === undefined) return null;
  if (text !== undefined && shape.apply !== undefined) refuseLateSearch(shape.apply);
  const unreadable = properties?.unreadableOf(entitySet);
  const { text: steps, searches } = apply ?? { text: "", searches: [] };
  const inApply = searches.map((place) => bindSearch(steps, context, unreadable, { ...place, option: "$apply" }));
  return joinSearches(text === undefined ? inApply : [...inApply, bindSearch(text, context, unreadable)]);
}

/** Reads the options that change the names of the rows. */
function changesOf({ system }: QueryOptionsSyntax, context: ParseContext): Pick<ShapeSyntax, "apply" | "compute"> {
  const apply = system.get("$apply");
  return {
    apply: apply === undefined ? undefined : tokenizeApply(apply, context),
    compute: tokensOf("$compute", system.get("$compute"), context),
  };
}

function tokensOf(option: string, text: string | undefined, context: ParseContext): TokenList | undefined {
  return text === undefined ? undefined : tokenize(text, context, option);
}

function integerOption(options: QueryOptionsSyntax, option: string): number | undefined {
  const text = options.system.get(option);
  return text === undefined ? undefined : parseNonNegativeInteger(text, option);
}

const syntaxLimits: (limits: Limits) => SyntaxLimits = keptPer(toSyntaxLimits);

/** Each request has its own context, because the literals of a shape are counted from its first option. */
export function parseContext(options: QueryOptionsSyntax, target: QueryTarget): ParseContext {
  const { aliases, signIsOptional, operatorsInAnyCase } = options;
  const { limits, model, capabilitiesOf } = target;
  return {
    limits: syntaxLimits(limits),
    literals: [],
    aliases,
    signIsOptional,
    operatorsInAnyCase,
    counters: { tokens: 0, nodes: 0 },
    computesInExpand: () => {
      return [...model.entityContainer.entitySets.values()].some((set) => capabilitiesOf(set).computeEnabled === true);
    },
  };
}

/**
 * Returns the values of the parameters of a shape. Every request needs this part of binding.
 * @param parameters the parameters of the shape, by index
 * @param literals the literals of the request in order of appearance
 * @throws ODataError `InvalidQueryOption` for a literal that is not a value of the required type
 * @see OData URL Conventions 4.0, section 5.1.1.6.1
 */
export function bindParameters(
  parameters: readonly QueryParameter[],
  literals: readonly Literal[],
): readonly PrimitiveValue[] {
  return parameters.map((parameter) => {
    const literal = literals[parameter.literal];
    if (literal === undefined) throw new Error(`The query has no literal ${parameter.literal}.`);
    return bindValue(parameter, literal);
  });
}

function bindValue({ type, option, refuseZero, least }: QueryParameter, literal: Literal): PrimitiveValue {
  const value = attempt(() => fromComparedLiteral(literal, type), InvalidValueError);
  if (value instanceof InvalidValueError) throw invalidOption(option, literal.position, value.message);
  if (refuseZero && isZero(value)) throw invalidOption(option, literal.position, "The divisor must not be zero.");
  if (least !== undefined && Number(value) < least) {
    throw invalidOption(option, literal.position, `The number of rows must be at least ${least}.`);
  }
  return value;
}

function isZero(value: PrimitiveValue): boolean {
  return typeof value === "string" ? !/[1-9]/.test(value) : Number(value) === 0;
}
