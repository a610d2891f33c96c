import { isSpread, type DatabaseName } from "./engines.ts";

/** The queries that a database refuses with 400 `UnsupportedQueryOption`, because it cannot give the right result. */
interface Unsupported {
  readonly message: RegExp;
  readonly reason: string;
}

/** The allowed reasons, and no more. */
export const UNSUPPORTED: Readonly<Record<DatabaseName, readonly Unsupported[]>> = {
  sqlite: [],
  postgres: [
    {
      message: /PostgreSQL cannot evaluate 'mod' of Doubles/,
      reason: "it has no remainder of doubles, and the quotient of two is rounded",
    },
  ],
  mariadb: [
    {
      message: /MariaDB cannot evaluate 'mod' of Doubles/,
      reason: "its remainder of doubles is not that of IEEE 754: 0.8 mod 0.1 is 0",
    },
    { message: /MariaDB cannot compare with INF/, reason: "it has no infinities" },
    {
      message: /MariaDB cannot compare Decimals of more than 35 digits before and 30 after the point/,
      reason: "a Decimal has at most 65 digits, and 38 after the point",
    },
    {
      message: /MariaDB cannot evaluate the expression: an intermediate number is out of range/,
      reason: "a product or quotient may have more digits",
    },
  ],
};

/** Those of a database that is spread over machines. */
const UNSUPPORTED_SPREAD: readonly Unsupported[] = [
  {
    message: /nested too deeply for a distributed database/,
    reason: "it has no names for values, so that some functions would be repeated too often",
  },
  {
    message:
      /PostgreSQL cannot evaluate '\w+\/(?:any|all)' in \$\w+ over the tables of this set, as they are distributed/,
    reason: "Citus has no subqueries over the items of a collection within others",
  },
];

/** The number of queries per thousand that may be refused so. */
export const MOST_UNSUPPORTED: Readonly<Record<DatabaseName, number>> = { sqlite: 0, postgres: 20, mariadb: 80 };

/** Whether a response means that the database does not support the query. */
export function isUnsupported(database: DatabaseName, answer: string): boolean {
  if (!answer.startsWith("400") || !answer.includes('"UnsupportedQueryOption"')) return false;
  const allowed = isSpread() ? [...UNSUPPORTED[database], ...UNSUPPORTED_SPREAD] : UNSUPPORTED[database];
  return allowed.some(({ message }) => message.test(answer));
}

/** Queries whose results may differ: they are counted with the others. */
const DIFFERENT: Readonly<Record<DatabaseName, readonly { readonly target: RegExp; readonly reason: string }[]>> = {
  sqlite: [],
  postgres: [],
  mariadb: [
    {
      target: /(?=.*to(?:upper|lower)\().*(?:straße|STRASSE|\u{10FFFF}|\uFF5E|\uD7FF)/u,
      reason: "the upper case of a letter is one letter there",
    },
  ],
};

/** Whether the results of a query may differ. */
export function mayDiffer(database: DatabaseName, target: string): boolean {
  return DIFFERENT[database].some((each) => each.target.test(target));
}
