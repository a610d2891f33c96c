import { attempt } from "../base/attempt.ts";
import { ODataError } from "../errors/odata-error.ts";
import {
  type OptionNames,
  parseQueryOptions,
  parseQueryString,
  type QueryOptionsSyntax,
  withSign,
} from "../syntax/query-options-parser.ts";

/** Query options with the first fault in them, which is reported after the checks that precede it. */
export interface QueryOptionsReading {
  readonly options: QueryOptionsSyntax;
  /** The text of `$format`, which is checked before all other options. */
  readonly format: string | undefined;
  /** The first fault of the other options; undefined if they are readable. */
  readonly fault: ODataError | undefined;
}

const NOTHING: QueryOptionsSyntax = {
  pairs: [],
  system: new Map(),
  aliases: new Map(),
  custom: new Map(),
  similar: new Map(),
  signIsOptional: false,
};

const NOTHING_READ: QueryOptionsReading = Object.freeze({ options: NOTHING, format: undefined, fault: undefined });

/**
 * Reads the options of a query string. It returns a fault instead of throwing, because `$format`, Accept and the key are
 * checked first.
 * @param query the raw query string
 * @param names how names without `$` are read
 */
export function readQueryOptions(query: string, names: OptionNames): QueryOptionsReading {
  if (query === "") return NOTHING_READ;
  const options = attempt(() => parseQueryOptions(query, names), ODataError);
  if (options instanceof ODataError) return { ...readLeniently(query, names), fault: options };
  return { options, format: options.system.get("$format"), fault: undefined };
}

/** Returns `$format` and the aliases of a faulty query string, which the checks before the options need. */
function readLeniently(query: string, names: OptionNames): Omit<QueryOptionsReading, "fault"> {
  const read = attempt(() => parseQueryString(query), ODataError);
  const pairs = read instanceof ODataError ? [] : read.map((pair) => withSign(pair, names));
  const aliases = new Map(pairs.filter(({ name }) => name.startsWith("@")).map(({ name, value }) => [name, value]));
  const format = pairs.find(({ name }) => name === "$format")?.value;
  return { options: { ...NOTHING, pairs, aliases }, format };
}
