/** Follows the name of an operation that a database on several machines refuses in a query. */
export const REFUSED_IN_QUERY =
  "over the tables of this set, as they are distributed. Omit it, or use properties of the entity itself.";

/** Follows the name of a set that a row rule navigates to. */
export const NOT_JOINABLE =
  "which is not in the same database: use sets with the same `db`, either all `distributed` or none.";

/** A query whose functions would be repeated too often. */
export const NESTED_TOO_DEEPLY =
  "The functions of the query are nested too deeply for a distributed database: nest fewer of them.";

/** A write that several machines would have to make. */
export const NOT_WRITABLE =
  "The tables of this set are distributed over machines, and the database refuses this write to them: for example, it cannot move a row to another machine.";

/** A row that only a lock on several machines would find. */
export const NOT_LOCKABLE =
  "The database cannot lock the row before it is written: the key of this set lacks the property that distributes its rows over machines, and no row rule gives the value of this property.";

/** Rows of several machines that have one key. */
export const ON_SEVERAL_MACHINES =
  "Several entities have this key: it lacks the property that distributes the table over machines.";

/** `readFrom` beside the option `distributed`. */
export const NO_POSITIONS: readonly [message: string, fix: string] = [
  "`readFrom` cannot be combined with `distributed`.",
  "Remove one of them: the position of a coordinator says nothing about the servers of its tables.",
];

/** Returns the message for sessions that read dates in another style. */
export function readsOtherDates(value: string): string {
  return `The setting \`DateStyle\` of the sessions is ${value}, so the machines of a distributed database may read other dates than those that the service sends.`;
}
