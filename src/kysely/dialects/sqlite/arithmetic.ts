import { sql } from "kysely";
import type { PrimitiveType } from "../../../edm/primitive-type.ts";
import type {
  ArithmeticExpression,
  ArithmeticOperator,
  NegateExpression,
  ScalarType,
} from "../../../query/expression.ts";
import { numericKind } from "../../functions/numeric-kind.ts";
import type { Sql } from "../../statement/sql-form.ts";
import { computed, type RowOperand } from "../../statement/sql-operand.ts";
import type { Term } from "../dialect-profile.ts";
import { sqliteCanonicalForm } from "./forms.ts";

/**
 * Arithmetic in SQLite. Integers are those of Int64: a result beyond it and a division by zero are null. Decimals are
 * exact. Doubles are IEEE 754, but for NaN, which is null.
 * @see OData URL Conventions 4.0, section 5.1.1.2
 */
export function computeInSqlite({ operator, type }: ArithmeticExpression, left: Term, right: Term): RowOperand {
  return computed({
    sql: compute(operator, type, [left.type, right.type], [left, right]),
    form: sqliteCanonicalForm(type),
  });
}

/** `-x` in SQLite; null for the least Int64, too. */
export function negateInSqlite({ type }: NegateExpression, term: Term): RowOperand {
  return computed({ sql: negate(type, term), form: sqliteCanonicalForm(type) });
}

function negate(type: PrimitiveType, term: Term): Sql {
  switch (numericKind(type)) {
    case "integer":
      return withinInt64(sql`(- ${term.sql})`, term.isShort);
    case "decimal":
      return sql`odata_decimal_negate(${term.sql})`;
    case "double":
      return sql`(- ${asReal(term)})`;
    default:
      return sql`odata_duration_negate(${term.sql})`;
  }
}

function compute(
  operator: ArithmeticOperator,
  type: PrimitiveType,
  types: readonly [ScalarType, ScalarType],
  terms: readonly [Term, Term],
): Sql {
  const [first, second] = terms;
  switch (numericKind(type)) {
    case "integer": {
      const result = sql`(${first.sql} ${INTEGER_OPERATORS[operator]} ${second.sql})`;
      return withinInt64(result, first.isShort && second.isShort);
    }
    case "decimal":
      return sql`${DECIMAL_FUNCTIONS[operator]}(${first.sql}, ${second.sql})`;
    case "double":
      return computeDoubles(operator, first, second);
    default:
      return computeTemporal(operator, types, terms);
  }
}

const INTEGER_OPERATORS: Readonly<Record<ArithmeticOperator, Sql>> = {
  add: sql`+`,
  sub: sql`-`,
  mul: sql`*`,
  div: sql`/`,
  mod: sql`%`,
};

const DECIMAL_FUNCTIONS: Readonly<Record<ArithmeticOperator, Sql>> = {
  add: sql`odata_decimal_add`,
  sub: sql`odata_decimal_subtract`,
  mul: sql`odata_decimal_multiply`,
  div: sql`odata_decimal_divide`,
  mod: sql`odata_decimal_modulo`,
};

/** SQLite turns what is beyond Int64 into a REAL. Long operands do not stand twice: the text would double per level. */
function withinInt64(result: Sql, isShort: boolean): Sql {
  if (isShort) return sql`(case typeof(${result}) when 'integer' then ${result} end)`;
  return sql`(select iif(typeof(odata_value) = 'integer', odata_value, null) from (select ${result} as odata_value))`;
}

function computeDoubles(operator: ArithmeticOperator, first: Term, second: Term): Sql {
  switch (operator) {
    case "div":
      return sql`odata_double_divide(${first.sql}, ${second.sql})`;
    case "mod":
      return sql`odata_double_modulo(${first.sql}, ${second.sql})`;
    default:
      return sql`(${asReal(first)} ${INTEGER_OPERATORS[operator]} ${asReal(second)})`;
  }
}

/** A whole number may be bound as INTEGER, which SQLite would compute with as such. */
function asReal({ sql: term }: Term): Sql {
  return sql`cast(${term} as real)`;
}

const TEMPORAL_FUNCTIONS: ReadonlyMap<string, Sql> = new Map<string, Sql>([
  ["Edm.DateTimeOffset add Edm.Duration", sql`odata_instant_add`],
  ["Edm.DateTimeOffset sub Edm.DateTimeOffset", sql`odata_instant_subtract`],
  ["Edm.Date add Edm.Duration", sql`odata_date_add`],
  ["Edm.Date sub Edm.Date", sql`odata_date_subtract`],
  ["Edm.Duration add Edm.Duration", sql`odata_duration_add`],
  ["Edm.Duration sub Edm.Duration", sql`odata_duration_subtract`],
]);

function computeTemporal(
  operator: ArithmeticOperator,
  [leftType, rightType]: readonly [ScalarType, ScalarType],
  [first, second]: readonly [Term, Term],
): Sql {
  const key = `${leftType.name} ${operator} ${rightType.name}`;
  const name = TEMPORAL_FUNCTIONS.get(key);
  if (name !== undefined) return sql`${name}(${first.sql}, ${second.sql})`;
  switch (key) {
    case "Edm.DateTimeOffset sub Edm.Duration":
      return sql`odata_instant_add(${first.sql}, odata_duration_negate(${second.sql}))`;
    case "Edm.Date sub Edm.Duration":
      return sql`odata_date_add(${first.sql}, odata_duration_negate(${second.sql}))`;
    default:
  }
  const isScaled = leftType.name === "Edm.Duration";
  if (isScaled && operator === "mul") return sql`odata_duration_multiply(${first.sql}, ${second.sql})`;
  if (isScaled && operator === "div") return sql`odata_duration_divide(${first.sql}, ${second.sql})`;
  throw new Error(`There is no arithmetic "${key}".`);
}
