import { sql } from "kysely";
import { castInstants, type StoredInstants } from "../../forms/stored-instants.ts";
import { MY_FORMS } from "./forms.ts";
import { MY_NUMBERS } from "./numbers.ts";
import { MY_TEXTS } from "./temporal-forms.ts";

/** The ways in which MariaDB holds timestamps and dates beside its own types, by the name of the storage. */
export const MY_STORED_INSTANTS: Readonly<Record<string, StoredInstants>> = castInstants({
  numbers: MY_NUMBERS,
  forms: MY_FORMS.temporal,
  asText: (value) => sql`cast(${value} as char)`,
  exact: MY_NUMBERS.asInteger,
  asDouble: (place) => sql`(${place} + 0e0)`,
  julianMilliseconds: (cell) => sql`floor(${cell} * 86400000e0 + 0.5e0)`,
  epochOfText: MY_TEXTS.epochOfUtcText,
  // Every collation has the digits in their order, and all texts have the other characters in the same places.
  texts: { ordered: (cell) => sql`concat(${cell}, substr('.000000000000', length(${cell}) - 18))` },
});
