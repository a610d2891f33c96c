import { required } from "../../base/required.ts";
import type { EntitySet } from "../../edm/model.ts";
import type { Expression } from "../../query/expression.ts";
import type { AnyKysely } from "../connection/synchronous-reader.ts";
import { bindSlot, readSlot, type Execution } from "../statement/parameter-slot.ts";
import { toDerivedTable, type From } from "./base-query.ts";
import { ROWS_ALIAS } from "./path-scope.ts";
import { aliases, type RowStatements, type StatementScope } from "./relation.ts";
import { translateNarrowed } from "./translate-query.ts";

/** The statements of the sets that a condition navigates to. */
export type MentionedStatements = ReadonlyMap<EntitySet, RowStatements>;

/** Rows that are restricted by a condition. */
interface Narrowing {
  readonly db: AnyKysely;
  /** The statements over all rows. */
  readonly base: RowStatements;
  readonly condition: Expression;
  readonly mentioned: MentionedStatements;
  /** The column that marks visible rows (see `From`). Rows that are narrowed twice have one column for each condition. */
  readonly seen: string | undefined;
}

/**
 * Makes the `from` of the rows that meet a condition: a derived table, which databases flatten, so that indexes serve it
 * anywhere. It has one value: the execution of the condition.
 */
export function narrowedFrom({ db, base, condition, mentioned, seen }: Narrowing): From {
  const as: From["as"] = (alias, entitySet, { profile, isLookup: isKeyed }) => {
    // Joined rows and rows of subqueries are looked up by values of other rows.
    const use = { profile, isLookup: isKeyed || alias !== ROWS_ALIAS };
    const statement: StatementScope = {
      ...use,
      isRelational: mentioned.size > 0,
      rowsOf: (wanted) => {
        const statements = mentioned.get(wanted);
        return required(statements, `The condition has no source for ${wanted.name}.`).rowsFor(wanted, use);
      },
      nextAlias: aliases(alias),
    };
    const query = translateNarrowed(base.rowsFor(null, use), statement, { condition, seen }, alias);
    const { sql: text, parameters: slots } = query.compile(db);
    return toDerivedTable({ sql: text, parameters: slots }, profile.syntax, alias, (value) =>
      bindSlot((execution) => readSlot(slots[value], executionOf(execution.base(entitySet)))),
    );
  };
  return Object.freeze<From>({ parameters: [], text: "some rows", seen, as });
}

/** @param values of a derived table that `narrowedFrom` made */
function executionOf([execution]: readonly unknown[]): Execution {
  // Readers of narrowed rows always have this single value.
  return execution as Execution;
}
