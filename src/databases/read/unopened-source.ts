import type { QueryableSource } from "../../language/query/source.ts";

function unopened(): never {
  throw new Error("The source of these rows is found only during a request.");
}

/** Stands for a source that each request finds: it shows at startup that the rows are in a database. */
export const UNOPENED: QueryableSource = Object.freeze({
  kind: "EntitySource",
  read: unopened,
  relational: Object.freeze({ joins: unopened, readRow: unopened, readRelated: unopened }),
});
