import type { DatabaseName } from "./engines.ts";

/** What a database answers with 400 `UnsupportedQueryOption`, because it cannot answer as the others do, and why. */
interface Unsupported {
  readonly message: RegExp;
  readonly reason: string;
}

/** By right, and no more than these. */
export const UNSUPPORTED: Readonly<Record<DatabaseName, readonly Unsupported[]>> = {
  sqlite: [],
  postgres: [
    {
      message: /PostgreSQL cannot evaluate 'mod' of Doubles/,
      reason: "it has no remainder of doubles, and the quotient of two is rounded",
    },
  ],
  mariadb: [],
};

/** Most queries of a thousand that may be refused so. */
export const MOST_UNSUPPORTED: Readonly<Record<DatabaseName, number>> = { sqlite: 0, postgres: 20, mariadb: 20 };

/** Whether an answer says that the database cannot do it. */
export function isUnsupported(database: DatabaseName, answer: string): boolean {
  if (!answer.startsWith("400") || !answer.includes('"UnsupportedQueryOption"')) return false;
  return UNSUPPORTED[database].some(({ message }) => message.test(answer));
}
