import { sql } from "kysely";
import { protocolError } from "../../base/errors/odata-error.ts";
import type { JoinPair } from "../../edm/model.ts";
import { PRIMITIVE_TYPES } from "../../edm/primitive-type.ts";
import type { FilterClause, RoundingMode } from "../../language/query/clauses.ts";
import type { Expression } from "../../language/query/expression.ts";
import type { ReachStep } from "../../language/query/hierarchy-clauses.ts";
import { bindSlot } from "../statement/parameter-slot.ts";
import type { Sql } from "../statement/sql-form.ts";
import { equalColumns } from "./join-navigation.ts";
import { type PathScope, relationScope } from "./path-scope.ts";
import { addRelation, Level, type Relation, type Rows, type StatementState, whereClause } from "./relation.ts";
import { makeTranslator } from "./translate-expression.ts";
import { filterTest } from "./translate-query.ts";

/** The recursive table of the nodes that are reached, and its columns. */
const TREE = "odata_tree";
const NODE = "node";
const BELOW = "below";

/** More levels than any tree has. */
const ENDLESS = 1_000_000_000;
/** Most nodes with their own number of levels in a statement: each is a condition for each node. */
const MAX_EXPANDED = 200;

/** The rows of one part of a recursive statement. */
interface Part {
  readonly scope: PathScope;
  readonly relation: Relation;
  readonly key: Sql;
}

/**
 * Returns the condition of the nodes that a step reaches: a list of keys, which a recursive statement makes. Each part reads only
 * visible rows.
 * @throws ODataError `UnsupportedQueryOption` where the statement would be slow, or the database has no such statements
 */
export function reachedTest(
  it: Relation,
  step: ReachStep,
  rows: Rows,
  statement: StatementState,
  roundingMode: RoundingMode,
): Sql {
  const { correlatedSubqueries, joins } = statement.profile.capabilities;
  if (!correlatedSubqueries || !joins || step.expanded.size > MAX_EXPANDED) {
    throw protocolError("UnsupportedQueryOption", "The nodes are found in memory.", { target: "$apply" });
  }
  statement.notes.recurses = true;
  const [key] = it.keyColumns();
  const tree = sql.id(statement.nextAlias());
  const writer = new ReachWriter(step, rows, statement, roundingMode);
  const columns = step.levels === null && step.expanded.size === 0 ? [NODE] : [NODE, BELOW];
  const names = sql.join(columns.map((name) => sql.id(name)));
  const recursive = sql`with recursive ${sql.id(TREE)} (${names}) as (${writer.start(columns)} union ${writer.next(columns)})`;
  return sql`${key} in (select ${tree}.${sql.id(NODE)} from (${recursive} select ${sql.id(NODE)} from ${sql.id(TREE)}) as ${tree})`;
}

class ReachWriter {
  readonly #step: ReachStep;
  readonly #rows: Rows;
  readonly #statement: StatementState;
  readonly #roundingMode: RoundingMode;
  readonly #pair: JoinPair;

  constructor(step: ReachStep, rows: Rows, statement: StatementState, roundingMode: RoundingMode) {
    this.#step = step;
    this.#rows = rows;
    this.#statement = statement;
    this.#roundingMode = roundingMode;
    this.#pair = step.hierarchy.pair;
  }

  /** The nodes from which others are reached. */
  start(columns: readonly string[]): Sql {
    const part = this.#part();
    const { start } = this.#step;
    const tests = [
      ...part.relation.alive(this.#statement),
      ...(start === null ? [this.#isRoot(part)] : this.#tests(start, part)),
    ];
    const below = bindSlot(({ values }) => this.#levels(values));
    return this.#select(part, columns, sql`cast(${below} as integer)`, { before: sql``, on: sql``, tests });
  }

  /** The nodes that each reached node leads to. */
  next(columns: readonly string[]): Sql {
    const tree = this.#statement.nextAlias();
    const here = this.#part();
    const there = this.#part();
    const isUp = this.#step.direction === "up";
    const [child, parent] = isUp ? [here, there] : [there, here];
    const same = sql`${here.key} = ${sql.id(tree, NODE)}`;
    const related = equalColumns(this.#pair, child.relation, parent.relation);
    const before = sql`${sql.id(TREE)} as ${sql.id(tree)} inner join ${here.scope.level.from(here.relation.from)} on ${same} inner join `;
    const isBounded = columns.includes(BELOW);
    const below = sql.id(tree, BELOW);
    const tests = [
      ...here.relation.alive(this.#statement),
      ...there.relation.alive(this.#statement),
      ...(isBounded ? [sql`${below} > 0`] : []),
    ];
    return this.#select(there, columns, sql`${below} - 1`, { before, on: sql` on ${related}`, tests });
  }

  #select(
    part: Part,
    columns: readonly string[],
    inherited: Sql,
    { before, on, tests }: { readonly before: Sql; readonly on: Sql; readonly tests: readonly Sql[] },
  ): Sql {
    const cells = columns.map((name) => (name === NODE ? part.key : this.#below(part, inherited)));
    return sql`select ${sql.join(cells)} from ${before}${part.scope.level.from(part.relation.from)}${on}${whereClause(tests)}`;
  }

  /** The number of levels below a node that are reached. */
  #below(part: Part, inherited: Sql): Sql {
    const { expanded, hierarchy } = this.#step;
    if (expanded.size === 0) return inherited;
    const { related: node } = hierarchy.pair;
    const { type } = node;
    if (type.kind === "ComplexType") throw new Error("A key is a single value.");
    const cases = Array.from(expanded.values(), ({ key, levels }) => {
      const source = { kind: "it", type: this.#step.inputType } as const;
      const expression: Expression = {
        kind: "comparison",
        operator: "eq",
        left: { kind: "property", source, property: node, type },
        right: { kind: "literal", value: key, type },
        operandType: type,
        type: PRIMITIVE_TYPES["Edm.Boolean"],
      };
      const [test = sql`1 = 0`] = this.#tests({ expression }, part);
      // One level more tells whether the last shown nodes have children.
      return sql`when ${test} then ${sql.lit(levels === null ? ENDLESS : Math.min(levels + 1, ENDLESS))}`;
    });
    return sql`case ${sql.join(cases, sql` `)} else ${inherited} end`;
  }

  #levels(values: readonly unknown[]): number {
    const { levels, further } = this.#step;
    if (levels === null) return ENDLESS;
    return Math.min(Number(levels.kind === "literal" ? levels.value : values[levels.index]) + further, ENDLESS);
  }

  #isRoot(part: Part): Sql {
    const parent = this.#part();
    const tests = [...parent.relation.alive(this.#statement), equalColumns(this.#pair, part.relation, parent.relation)];
    return sql`not exists (select 1 from ${parent.scope.level.from(parent.relation.from)}${whereClause(tests)})`;
  }

  #tests(filter: FilterClause, { scope }: Part): readonly Sql[] {
    const { profile } = this.#statement;
    const test = filterTest(filter, makeTranslator({ profile, scope, roundingMode: this.#roundingMode }));
    return test === null ? [] : [sql`(${test})`];
  }

  #part(): Part {
    const relation = addRelation(this.#rows, new Level(), this.#statement.nextAlias());
    const [key = sql`null`] = relation.keyColumns();
    return { scope: relationScope(relation, this.#statement), relation, key };
  }
}
