const YEAR = "-?([0-9]{4}|[1-9][0-9]{4,6})";
/** Years that four divides: of a century, or others. */
const LEAP_YEAR =
  "-?((|[1-9][0-9]{0,2})[0-9][0-9](0[48]|[2468][048]|[13579][26])|(|[1-9][0-9]{0,2})([02468][048]|[13579][26])00)";
const DAY = "((0[13578]|1[02])-(0[1-9]|[12][0-9]|3[01])|(0[469]|11)-(0[1-9]|[12][0-9]|30)|02-(0[1-9]|1[0-9]|2[0-8]))";
const SECONDS = "(:[0-5][0-9]([.][0-9]{1,12})?)?";
const TIME = `([01][0-9]|2[0-3]):[0-5][0-9]${SECONDS}`;
const OFFSET = "([Zz]|[-+]((0[0-9]|1[0-3]):[0-5][0-9]|14:00))";

/**
 * The stored timestamps that are read, as a regular expression of PostgreSQL and of MariaDB: with an offset, or with a blank and
 * a year of four digits. It has no backslash, which a session may not escape.
 * @see docs/reference/storage.md
 */
export const TIMESTAMP_PATTERN: string = `^((${YEAR}-${DAY}|${LEAP_YEAR}-02-29)[Tt]${TIME}${OFFSET}|([0-9]{4}-${DAY}|[0-9]{2}(0[48]|[2468][048]|[13579][26])-02-29|([02468][048]|[13579][26])00-02-29) ${TIME})$`;
