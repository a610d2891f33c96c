import { isODataError, type ODataError } from "../errors/odata-error.ts";
import { parseQueryOptions, parseQueryString, type QueryOptionsSyntax } from "../syntax/query-options-parser.ts";

/** Query options as read, with the first fault in them: it is answered only when its turn comes. */
export interface QueryOptionsReading {
  readonly options: QueryOptionsSyntax;
  /** The text of `$format`: it is judged before all other options. */
  readonly format: string | undefined;
  /** The first fault of the other options; undefined when they can be read. */
  readonly fault: ODataError | undefined;
}

const NOTHING: QueryOptionsSyntax = { pairs: [], system: new Map(), aliases: new Map(), custom: new Map() };

const NO_OPTIONS: QueryOptionsReading = Object.freeze({ options: NOTHING, format: undefined, fault: undefined });

/**
 * Reads the options of a query string. A fault does not throw here: `$format`, Accept and the key are judged first.
 * @param query the raw query string
 * @see decisions, Writing (order of checks)
 */
export function readQueryOptions(query: string): QueryOptionsReading {
  if (query === "") return NO_OPTIONS;
  try {
    const options = parseQueryOptions(query);
    return { options, format: options.system.get("$format"), fault: undefined };
  } catch (error) {
    if (!isODataError(error)) throw error;
    return { ...readLeniently(query), fault: error };
  }
}

/** `$format` and the aliases of a query string that has a fault: what the checks before the options need. */
function readLeniently(query: string): Omit<QueryOptionsReading, "fault"> {
  let pairs: QueryOptionsSyntax["pairs"] = [];
  try {
    pairs = parseQueryString(query);
  } catch (error) {
    if (!isODataError(error)) throw error;
  }
  const aliases = new Map(pairs.filter(({ name }) => name.startsWith("@")).map(({ name, value }) => [name, value]));
  const format = pairs.find(({ name }) => name === "$format")?.value;
  return { options: { ...NOTHING, pairs, aliases }, format };
}
