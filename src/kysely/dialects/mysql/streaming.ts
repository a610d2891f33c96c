import type { StreamingSyntax } from "../../connection/streaming-syntax.ts";

/** The columns of `explain` with the kind of access, and with notes. */
const ACCESS = 3;
const NOTES = 9;

/**
 * Parts by key in a transaction. MariaDB has no cursors outside of procedures, and its driver cannot end a result that is
 * read row by row without its connection.
 * @see https://mariadb.com/kb/en/explain/
 */
export const MY_STREAMING: StreamingSyntax = Object.freeze<StreamingSyntax>({
  hasConnections: () => true,
  // Each statement has its own time limit.
  begin: () => [],
  search: Object.freeze({
    // Behind the settings of the statement.
    explain: (statement: string) => statement.replace(/^(?:set statement .*? for )?/, "$&explain "),
    isServed: ([first, ...others]: readonly (readonly unknown[])[]) => {
      const notes = [first, ...others].map((line) => line?.[NOTES]);
      const sorts = notes.some((note) => typeof note === "string" && /filesort|temporary/i.test(note));
      return first?.[ACCESS] === "range" && !sorts;
    },
  }),
});
