import type { EntitySet } from "../edm/model.ts";
import type { PrimitiveValue } from "../edm/value-codec.ts";
import { assertNever } from "../errors/assert-never.ts";
import type { FilterClause } from "../query/clauses.ts";
import type { Expression, ItExpression, PathSource } from "../query/expression.ts";
import type { User } from "./context.ts";
import { rowOf } from "./row-operand.ts";
import { isRowPredicate, type RowTerm } from "./row-predicate.ts";

/** The rows that a user sees, as a condition; `all` and `none` say it of every row. */
export type RowCondition = "all" | "none" | VaryingRowCondition;

/** A condition that tells one row from another. */
export interface VaryingRowCondition {
  /** The same object for all conditions of one structure, so what is compiled for it is kept. */
  readonly filter: FilterClause;
  /** The values of its parameters. */
  readonly values: readonly PrimitiveValue[];
}

/** The row rule of one set. */
export interface RowRule {
  /**
   * What the rule says of a user; nobody that is unknown sees a row.
   * @throws whatever the rule throws; TypeError when it answers anything but a row predicate
   */
  conditionFor(user: User | null): RowCondition;
}

/** The rule as the application declares it. */
export type DeclaredRowRule = (user: User, row: unknown) => unknown;

/** Most structures of one rule whose conditions are kept. */
const STRUCTURES_KEPT = 100;

/**
 * Makes the row rule of a set.
 * @param entitySets the sets of the registration by name: where paths of the rule lead
 * @see specification, section Authentication
 */
export function compileRowRule(
  declared: DeclaredRowRule,
  entitySet: EntitySet,
  entitySets: ReadonlyMap<string, EntitySet>,
): RowRule {
  const it: ItExpression = Object.freeze({ kind: "it", type: entitySet.entityType });
  const row = rowOf(it, entitySet, entitySets);
  const kept = new Map<string, FilterClause>();
  const keep = (key: string, expression: Expression): FilterClause => {
    const filter = kept.get(key) ?? Object.freeze<FilterClause>({ expression: parameterize(expression) });
    kept.delete(key);
    kept.set(key, filter);
    if (kept.size > STRUCTURES_KEPT) {
      for (const oldest of kept.keys()) {
        kept.delete(oldest);
        break;
      }
    }
    return filter;
  };
  return Object.freeze<RowRule>({
    conditionFor: (user) => {
      if (user === null) return "none";
      const term = termOf(declared(user, row), entitySet);
      if (typeof term === "boolean") return term ? "all" : "none";
      const values: PrimitiveValue[] = [];
      return { filter: keep(structureOf(term, it, values), term), values };
    },
  });
}

function termOf(answer: unknown, { name }: EntitySet): RowTerm {
  if (isRowPredicate(answer)) return answer.term;
  if (answer instanceof Promise) {
    // It may be rejected, too: that is nobody else's to handle.
    answer.catch(() => undefined);
    throw new TypeError(
      `The row rule of ${name} returned a promise: it must answer at once. Load what it needs in \`authenticate\`.`,
    );
  }
  throw new TypeError(
    `The row rule of ${name} did not return a row predicate: return row.ownerId.eq(user.id), allRows or noRows.`,
  );
}

/**
 * A text that conditions share which differ in their values alone.
 * @param it what the paths of the rule begin with
 * @param values filled in the order of parameters
 */
function structureOf(expression: Expression, it: ItExpression, values: PrimitiveValue[]): string {
  const text = (operand: Expression): string => structureOf(operand, it, values);
  const list = (operands: readonly Expression[]): string => operands.map(text).join();
  switch (expression.kind) {
    case "literal":
      values.push(expression.value);
      return "?";
    case "null":
      return "null";
    case "property":
      return pathOf(expression, it);
    case "comparison":
      return `(${text(expression.left)} ${expression.operator} ${text(expression.right)})`;
    case "logical":
      return `${expression.operator}(${list(expression.operands)})`;
    case "not":
      return `not(${text(expression.operand)})`;
    case "in":
      return `in(${list([expression.operand, ...expression.items])})`;
    case "call":
      return `${expression.name}(${list(expression.arguments)})`;
    default:
      throw new Error(`A row rule holds no expression of kind ${expression.kind}.`);
  }
}

/** Fields in quotes: they may be any text, and must not look like a path of two. */
function pathOf(path: PathSource, it: ItExpression): string {
  switch (path.kind) {
    case "it":
      if (path === it) return "";
      throw new TypeError("A row rule returned a condition on the row of another rule: use the row that it is given.");
    case "property":
      return `${pathOf(path.source, it)}/${JSON.stringify(path.property.field)}`;
    case "navigation":
      return `${pathOf(path.source, it)}/${JSON.stringify(path.navigationProperty.field)}`;
    case "root":
    case "variable":
      throw new Error(`A row rule holds no path from a ${path.kind}.`);
    default:
      return assertNever(path);
  }
}

/** The expression with parameters in place of its values, numbered in their order. */
function parameterize(expression: Expression): Expression {
  let index = 0;
  const within = (each: Expression): Expression => {
    switch (each.kind) {
      case "literal":
        return { kind: "parameter", index: index++, type: each.type };
      case "comparison":
        return { ...each, left: within(each.left), right: within(each.right) };
      case "logical":
        return { ...each, operands: each.operands.map(within) };
      case "not":
        return { ...each, operand: within(each.operand) };
      case "in":
        return { ...each, operand: within(each.operand), items: each.items.map(within) };
      case "call":
        return { ...each, arguments: each.arguments.map(within) };
      default:
        return each;
    }
  };
  return within(expression);
}
