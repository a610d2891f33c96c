/**
 * The type of a term, a property or an item: a name, or a name in brackets for a collection. `.` and a name is a type of
 * the namespace Edm; `.` alone is Edm.String; `@` is the name of an operation; `%` is a path from the type of the value list
 * around it. Other names are types of this or, after an alias, of another vocabulary.
 */
export type VocabularyType = string;

/** A vocabulary as annotations use it: its terms and types by name. */
export interface Vocabulary {
  readonly terms: ReadonlyMap<string, VocabularyType>;
  readonly records: ReadonlyMap<string, VocabularyRecord>;
  readonly enums: ReadonlyMap<string, VocabularyEnum>;
}

/** An enumeration of a vocabulary. */
export interface VocabularyEnum {
  readonly members: readonly string[];
  /** Whether a value can be several members. */
  readonly isFlags: boolean;
}

/** A complex type of a vocabulary. */
export interface VocabularyRecord {
  /** The base type; empty without one. */
  readonly base: string;
  /** Whether values have a derived type. */
  readonly isAbstract: boolean;
  /** Whether values may have other properties. */
  readonly isOpen: boolean;
  readonly properties: ReadonlyMap<string, VocabularyType>;
}

const RECORD = /^(?<name>\w+)(?<abstract>!?)\((?<base>[\w.]*)\)(?<open>\*?)\{(?<members>.*)\}$/u;

/**
 * Parses the notation of a vocabulary. Each entry starts a line, and continues on lines that start with a blank:
 * `Term=Type`, `Record(Base){Property=Type Text}` (`!` after the name: abstract, `*` before the brace: open),
 * `Enum|Member Member` (`*` after the name: flags).
 */
export function parseVocabulary(notation: string): Vocabulary {
  const terms = new Map<string, VocabularyType>();
  const records = new Map<string, VocabularyRecord>();
  const enums = new Map<string, VocabularyEnum>();
  for (const entry of notation.trim().replaceAll(/\n +/gu, " ").split("\n")) {
    const record = RECORD.exec(entry)?.groups;
    const [term = "", type = ""] = entry.split("=");
    const [enumeration = "", members] = entry.split("|");
    if (record !== undefined) {
      const { name = "", base = "", open, abstract, members: listed = "" } = record;
      records.set(name, { base, isAbstract: abstract === "!", isOpen: open === "*", properties: propertiesOf(listed) });
    } else if (members === undefined) {
      terms.set(term, type);
    } else {
      enums.set(enumeration.replace("*", ""), { members: members.split(" "), isFlags: enumeration.endsWith("*") });
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
