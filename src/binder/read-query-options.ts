import { attempt } from "../base/attempt.ts";
import { ODataError } from "../errors/odata-error.ts";
import { parseQueryOptions, parseQueryString, type QueryOptionsSyntax } from "../syntax/query-options-parser.ts";

/** Query options with the first fault in them, which is reported after the checks that precede it. */
export interface QueryOptionsReading {
  readonly options: QueryOptionsSyntax;
  /** The text of `$format`, which is checked before all other options. */
  readonly format: string | undefined;
  /** The first fault of the other options; undefined if they are readable. */
  readonly fault: ODataError | undefined;
}

const NOTHING: QueryOptionsSyntax = { pairs: [], system: new Map(), aliases: new Map(), custom: new Map() };

const NO_OPTIONS: QueryOptionsReading = Object.freeze({ options: NOTHING, format: undefined, fault: undefined });

/**
 * Reads the options of a query string. It returns a fault instead of throwing, because `$format`, Accept and the key are
 * checked first.
 * @param query the raw query string
 */
export function readQueryOptions(query: string): QueryOptionsReading {
  if (query === "") return NO_OPTIONS;
  const options = attempt(() => parseQueryOptions(query), ODataError);
  if (options instanceof ODataError) return { ...readLeniently(query), fault: options };
  return { options, format: options.system.get("$format"), fault: undefined };
}

/** Returns `$format` and the aliases of a faulty query string, which the checks before the options need. */
function readLeniently(query: string): Omit<QueryOptionsReading, "fault"> {
  const read = attempt(() => parseQueryString(query), ODataError);
  const pairs = read instanceof ODataError ? [] : read;
  const aliases = new Map(pairs.filter(({ name }) => name.startsWith("@")).map(({ name, value }) => [name, value]));
  const format = pairs.find(({ name }) => name === "$format")?.value;
  return { options: { ...NOTHING, pairs, aliases }, format };
}
