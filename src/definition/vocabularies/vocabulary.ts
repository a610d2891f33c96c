/**
 * The type of a term, a property or an item: a name, or a name in brackets for a collection. `.` and a name is a type of
 * the namespace Edm; `.` alone is Edm.String; `@` is the name of an operation. Other names are types of this or, after an
 * alias, of another vocabulary.
 */
export type VocabularyType = string;

/** A vocabulary as annotations use it: its terms and types by name. */
export interface Vocabulary {
  readonly terms: ReadonlyMap<string, VocabularyType>;
  readonly records: ReadonlyMap<string, VocabularyRecord>;
  /** The members of enumerations. */
  readonly enums: ReadonlyMap<string, readonly string[]>;
}

/** A complex type of a vocabulary. */
export interface VocabularyRecord {
  /** The base type; empty without one. */
  readonly base: string;
  /** Whether values may have other properties. */
  readonly isOpen: boolean;
  readonly properties: ReadonlyMap<string, VocabularyType>;
}

const RECORD = /^(?<name>\w+)\((?<base>[\w.]*)\)(?<open>\*?)\{(?<members>.*)\}$/u;

/**
 * Parses the notation of a vocabulary. Each entry starts a line, and continues on lines that start with a blank:
 * `Term=Type`, `Record(Base){Property=Type Text}` (`*` before the brace: open), `Enum|Member Member`.
 */
export function parseVocabulary(notation: string): Vocabulary {
  const terms = new Map<string, VocabularyType>();
  const records = new Map<string, VocabularyRecord>();
  const enums = new Map<string, readonly string[]>();
  for (const entry of notation.trim().replaceAll(/\n +/gu, " ").split("\n")) {
    const record = RECORD.exec(entry)?.groups;
    const [term = "", type = ""] = entry.split("=");
    const [enumeration = "", members] = entry.split("|");
    if (record !== undefined) {
      const { name = "", base = "", open, members: listed = "" } = record;
      records.set(name, { base, isOpen: open === "*", properties: propertiesOf(listed) });
    } else if (members === undefined) {
      terms.set(term, type);
    } else {
      enums.set(enumeration, members.split(" "));
    }
  }
  return { terms, records, enums };
}

function propertiesOf(listed: string): ReadonlyMap<string, VocabularyType> {
  if (listed === "") return new Map();
  return new Map(
    listed.split(" ").map((member) => {
      const [name = "", type = "."] = member.split("=");
      return [name, type];
    }),
  );
}
