import type { PastedStatement } from "../../definition/logger.ts";
import type {
  JsonExpansion,
  JsonMembers,
  JoinedNavigation,
  RelatedQuery,
  SourceQuery,
} from "../../language/query/source.ts";
import type { Execution } from "../statement/parameter-slot.ts";
import { pasteStatement } from "./pasting-compiler.ts";
import type { SqlReader } from "./sql-reader.ts";

/** A reader whose statements are written for people. */
type PastedReader = Pick<SqlReader, "statements">;
/** Makes the function that writes a statement. It keeps the query as long as its trace. */
type Paste = () => () => PastedStatement;

/**
 * Writes a page for people: its rows, and only those that the response contains.
 * @param hasTotal whether the last column is the total
 * @param json the members of the entities, if the statement writes JSON
 */
export function pastePage(
  { statements }: PastedReader,
  query: SourceQuery,
  execution: Execution,
  { hasTotal = false, json }: { readonly hasTotal?: boolean; readonly json?: JsonMembers } = {},
): Paste {
  return () => {
    const { top, shown = top, skip, joined } = query;
    const given = { ...valuesOf(execution), top: shown ?? 0 };
    const page = { ...partsOf(query), top: shown, skip, joined };
    const omits = json === undefined ? [] : unjoined(json.expanded, joined ?? []);
    return () => pasteStatement(() => statements.pasted(given).page(page, hasTotal), omits);
  };
}

/** Writes the statement of a total for people. */
export function pasteTotal({ statements }: PastedReader, query: SourceQuery, execution: Execution): Paste {
  return () => {
    const [given, counted] = [valuesOf(execution), { ...partsOf(query), top: undefined, skip: 0 }];
    return () => pasteStatement(() => statements.pasted(given).total(counted));
  };
}

/** Writes a statement of related entities for people: without the limit of all entities together. */
export function pasteRelated(
  { statements }: PastedReader,
  query: RelatedQuery,
  execution: Execution,
  what: "entities" | "counts",
): Paste {
  return () => {
    const { shape, values, keys, top, skip, count, sources } = query;
    const related = { shape, values, keys, top, skip, count, sources, signal: undefined, maxRows: undefined };
    const given = valuesOf(execution);
    return () => pasteStatement(() => statements.pasted(given).related[what](related));
  };
}

/** Leaves out what belongs to the request. */
function valuesOf(execution: Execution): Execution {
  return { ...execution, idStart: () => "" };
}

function partsOf({ shape, values, filter, selected, orderBy, after, sources }: SourceQuery) {
  return { shape, values, filter, selected, orderBy, after, sources, count: false, signal: undefined };
}

/** Returns the paths of the expansions that the rows of a page do not contain. */
function unjoined(
  expanded: readonly JsonExpansion[],
  joined: readonly JoinedNavigation[],
  path: string = "",
): readonly string[] {
  return expanded.flatMap(({ expansion, members }) => {
    const name = `${path}${expansion.navigationProperty.name}`;
    const found = joined.find((each) => each.expansion.navigationProperty === expansion.navigationProperty);
    if (found === undefined) return [name];
    return unjoined(members?.expanded ?? [], found.joined, `${name}/`);
  });
}
