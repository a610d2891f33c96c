/** How a database quotes names. */
export interface NameSyntax {
  /** The character around a name. */
  readonly quote: string;
}

/** Returns a name with the quotes of a database. */
export function quoteName(name: string, { quote }: NameSyntax): string {
  return `${quote}${name.replaceAll(quote, quote + quote)}${quote}`;
}

/** Keywords of SQL that are often used as names. */
const RESERVED: ReadonlySet<string> = new Set(
  `all and any as asc between by case cast check collate column condition constraint create cross cube current_date
  current_time current_timestamp current_user default delete desc distinct div drop else end except exists false fetch for
  foreign from full function grant group grouping groups having if in index inner insert int intersect interval into is join
  key keys kill lateral leading left like limit lines load lock localtime match mod natural not null of offset on or order
  out over partition percent_rank primary range rank read recursive references release rename repeat replace require return
  right row rows schema select set sql ssl starting system table then to trailing trigger true union unique unlock update
  usage use user using values varying when where window with write`.split(/\s+/),
);

/** Writes a name in SQL, with quotes only if it needs them. */
export function plainName(name: string, quote: string): string {
  return /^[a-z_][a-z0-9_]*$/.test(name) && !RESERVED.has(name)
    ? name
    : `${quote}${name.replaceAll(quote, quote + quote)}${quote}`;
}
