import type { EntitySet, Model } from "../../edm/model.ts";
import type { Capabilities, PropertyAccess } from "../query/capabilities.ts";
import type { ApplyClause, SelectedProperty, SelectExpandClause } from "../query/clauses.ts";
import { parseApply } from "../syntax/apply-parser.ts";
import type { ApplyTokens } from "../syntax/apply-tokens.ts";
import type { SelectItemSyntax } from "../syntax/ast.ts";
import { parseCompute } from "../syntax/compute-parser.ts";
import type { ParseContext } from "../syntax/parse-context.ts";
import type { TokenList } from "../syntax/token.ts";
import { type AppliedRows, rowsOf, withComputed } from "./apply-rows.ts";
import { sharedNames, type ShownNames, writeNames } from "./apply-union.ts";
import { bindApply } from "./bind-apply.ts";
import { copiesOf } from "./bind-compute.ts";
import { bindSelect, selectComputed, selectReadable } from "./bind-select-expand.ts";
import { type BindingContext, expressionContext, invalidOption } from "./binding-scope.ts";
import type { ApplyPlace } from "./step-context.ts";

/** The rows of a request with `$apply` or `$compute`. */
export interface ChangedRows {
  readonly apply: ApplyClause | undefined;
  /** The place of the expressions of the other options. */
  readonly place: Pick<BindingContext, "entityType" | "entitySet" | "rows">;
  /**
   * Binds `$select`.
   * @param items undefined without `$select`
   * @throws ODataError as bindSelect
   */
  readonly select: (items: readonly SelectItemSyntax[] | undefined, target: SelectionTarget) => SelectExpandClause;
  /** Refuses `$expand` for rows that are not entities. @throws ODataError `InvalidQueryOption` */
  readonly refuseExpand: () => void;
}

interface SelectionTarget {
  readonly model: Model;
  readonly entitySet: EntitySet;
  readonly capabilities: Capabilities;
  readonly properties?: PropertyAccess | undefined;
}

const EXPANDED_ROWS = "The rows of $apply are no entities, so they have no related entities to expand.";
const EXPANDED_CONCAT =
  "$expand does not apply to the rows of concat: send one request for each part, or write the conditions of the parts in one filter.";

/**
 * Binds `$apply`, then `$compute` over its rows.
 * @returns null without both
 * @throws ODataError as bindApply and bindComputed
 * @see docs/reference/apply.md
 */
export function bindChanges(
  { apply, compute }: { readonly apply: ApplyTokens | undefined; readonly compute: TokenList | undefined },
  place: ApplyPlace,
  context: ParseContext,
): ChangedRows | null {
  if (apply === undefined && compute === undefined) return null;
  const copies = copiesOf(context.limits);
  const steps = apply === undefined ? undefined : parseApply(apply, context);
  copies.nodes = steps?.nodes ?? 0;
  const applied = steps === undefined ? undefined : bindApply(steps, place, copies);
  const start = applied?.rows ?? rowsOf(place.entityType, place.entitySet, copies);
  const rows = compute === undefined ? start : computedRows(compute, start, place, context);
  const branches = applied === undefined || rows.keys === null ? undefined : applied.branchRows;
  return {
    apply: applied?.clause,
    place: { entityType: rows.entityType, entitySet: rows.entitySet, rows },
    select: (items, target) => selectRows(items, target, rows, branches),
    refuseExpand: () => {
      const { branches: found = [] } = applied?.clause ?? {};
      const isConcat = found.length > 1 || found.some(({ steps: all }) => all.some(({ kind }) => kind === "concat"));
      if (rows.keys === null && !isConcat) return;
      throw invalidOption("$expand", undefined, isConcat && rows.keys === null ? EXPANDED_CONCAT : EXPANDED_ROWS);
    },
  };
}

function computedRows(compute: TokenList, start: AppliedRows, place: ApplyPlace, context: ParseContext): AppliedRows {
  const { entityType, entitySet } = start;
  const items = parseCompute(compute, context);
  return withComputed(items, start, expressionContext("compute", { ...place, entityType, entitySet, rows: start }));
}

/** @param branches those whose rows steps have made; undefined for entities */
function selectRows(
  items: readonly SelectItemSyntax[] | undefined,
  { model, entitySet, capabilities, properties }: SelectionTarget,
  rows: AppliedRows,
  branches: readonly AppliedRows[] | undefined,
): SelectExpandClause {
  const { entityType } = rows;
  const owner = branches === undefined ? entitySet : entityType;
  const access = branches === undefined ? properties : undefined;
  const { selectProperties } = capabilities;
  const allowed = branches === undefined ? selectProperties : allowedIn(rows, branches, selectProperties);
  const clause =
    items === undefined
      ? selectComputed(selectReadable(owner, access), rows)
      : bindSelect(items, { model, entityType, owner, properties: access, allowed, option: "$select", rows });
  if (branches === undefined) return clause;
  const computed = Array.from(rows.computed.keys(), (name) => [name, null] as const);
  const names = new Map([...sharedNames(branches), ...computed]);
  return Object.freeze({ ...clause, contextSelect: writeNames(namesIn(clause.selected, names)) });
}

/**
 * Returns the names that `$select` may use of rows that steps have made. Steps obey allowlists themselves, but one branch
 * may have entities, whose properties `$select` may only show as without `$apply`.
 */
function allowedIn(
  { owner, entityType }: AppliedRows,
  branches: readonly AppliedRows[],
  selectProperties: Capabilities["selectProperties"],
): ReadonlySet<string> | null {
  if (selectProperties === null || branches.every(({ keys }) => keys !== null)) return null;
  const isDeclared = (name: string): boolean => owner.members.get(name)?.kind === "StructuralProperty";
  const others = entityType.properties.map(({ name }) => name).filter((name) => !isDeclared(name));
  return new Set([...selectProperties, ...others]);
}

/** Returns the names of selected properties that all rows have. */
function namesIn(selected: readonly SelectedProperty[], shared: ShownNames): ShownNames {
  return new Map(
    selected.flatMap(({ property: { name }, nested }) => {
      const below = shared.get(name);
      if (below === undefined) return [];
      const isPart = nested !== undefined && below !== null;
      return [[name, isPart ? { ...below, names: namesIn(nested, below.names) } : below] as const];
    }),
  );
}

/**
 * Refuses `$search` after steps that do not commute with it.
 * @throws ODataError `InvalidQueryOption`
 */
export function refuseLateSearch({ branches }: ApplyClause): void {
  const [{ isTransformed, steps }] = branches;
  if (branches.length === 1 && !isTransformed && steps.every(({ kind }) => kind === "filter")) return;
  const message =
    "$search cannot follow steps of $apply that change or limit the rows: write search(…) as its first step.";
  throw invalidOption("$search", undefined, message);
}
