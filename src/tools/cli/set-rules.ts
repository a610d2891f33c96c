import { indexedProperties, type DescribedSet } from "odatakit/introspect";
import type { Invocation } from "./command.ts";
import { didYouMean, usageProblem, type Problem } from "./problem.ts";

/** The rules of `odatakit.json` for one entity set. */
interface OwnRules {
  readonly "max-top"?: number;
  readonly search?: boolean | readonly string[];
  readonly "indexed-only"?: boolean;
  readonly count?: boolean;
}

/** The limits and rules of requests to the entity sets. */
export interface SetRules {
  /** The most entities of a page. */
  readonly maxTop: number;
  /** Tables with as many estimated rows, or more, have no `$search`. */
  readonly searchBelow: number;
  /** Whether `$filter` and `$orderby` need an index. */
  readonly indexedOnly: boolean;
  /** By the name of the set. */
  readonly own: Readonly<Record<string, OwnRules>>;
}

/** Options of `sqlEntitySet` that a written module can contain too. */
type SetOptions = Readonly<Record<string, boolean | number | readonly string[]>>;

const MAX_TOP = 1000;
/** `$search` reads whole tables, so it is for small ones. */
const SEARCH_BELOW = 100_000;

/** Reads the rules from the options, and from `odatakit.json` for commands without these options. */
export function readSetRules({ options, file }: Invocation): SetRules | readonly Problem[] {
  const problems: Problem[] = [];
  const given = (name: string): unknown => options[name] ?? file[name];
  const whole = (name: string, usual: number, most: number, others: Readonly<Record<string, number>> = {}): number => {
    const value = given(name) ?? usual;
    const text = typeof value === "string" ? value : JSON.stringify(value);
    const other = Object.hasOwn(others, text) ? others[text] : undefined;
    if (other !== undefined) return other;
    const number = Number(text);
    if (/^\d+$/.test(text) && number >= 1 && number <= most) return number;
    const words = Object.keys(others).map((word) => ` or ${word}`);
    problems.push(
      usageProblem(`\`${name}\` is "${text}".`, `Write a whole number from 1 to ${String(most)}${words.join("")}.`),
    );
    return usual;
  };
  const rules: SetRules = {
    maxTop: whole("max-top", MAX_TOP, 100_000),
    searchBelow: whole("search", SEARCH_BELOW, Number.MAX_SAFE_INTEGER, { off: 0 }),
    indexedOnly: given("indexed-only") === true,
    own: (file["sets"] ?? {}) as SetRules["own"],
  };
  return problems.length > 0 ? problems : rules;
}

/** Returns the options of an entity set that differ from those of its service. */
export function setOptions(set: DescribedSet, { searchBelow, indexedOnly, own }: SetRules): SetOptions {
  const { "max-top": maxTop, search, count, "indexed-only": isIndexed = indexedOnly } = ownRules(own, set.setName);
  const searched = searchedFields(set, search, searchBelow);
  const isCounted = count !== false;
  return {
    ...(maxTop === undefined ? {} : { maxTop }),
    ...(isCounted ? {} : { countEnabled: false }),
    ...(searched.length === 0 ? {} : { search: searched }),
    // No index serves a sum over all rows.
    ...(isIndexed ? { ...indexedProperties(set), applyEnabled: false } : {}),
  };
}

/** Returns a problem for each name in the rules of single sets that the database does not have. */
export function checkOwnRules({ own }: SetRules, sets: readonly DescribedSet[]): readonly Problem[] {
  return Object.entries(own).flatMap(([name, { search }]): readonly Problem[] => {
    const place = `odatakit.json: "sets.${name}`;
    const set = sets.find(({ setName }) => setName === name);
    if (set === undefined) {
      const names = sets.map(({ setName }) => setName);
      return [
        usageProblem(
          `${place}" is no published entity set.`,
          didYouMean(name, names, "`odatakit inspect` lists them."),
        ),
      ];
    }
    const texts = textProperties(set).map((property) => property.name);
    if (search === true && texts.length === 0) {
      return [usageProblem(`${place}.search" is true, but ${name} has no strings.`, "Remove it.")];
    }
    return (Array.isArray(search) ? (search as readonly string[]) : []).flatMap((property) =>
      texts.includes(property)
        ? []
        : [
            usageProblem(
              `${place}.search" names ${property}, which is no string of ${name}.`,
              didYouMean(property, texts, `Its strings are ${texts.join(", ")}.`),
            ),
          ],
    );
  });
}

function ownRules(own: SetRules["own"], name: string): OwnRules {
  return (Object.hasOwn(own, name) ? own[name] : undefined) ?? {};
}

function searchedFields(set: DescribedSet, own: OwnRules["search"], below: number): readonly string[] {
  const texts = textProperties(set);
  if (own === false) return [];
  if (Array.isArray(own)) return texts.filter(({ name }) => own.includes(name)).map(({ field }) => field);
  const { estimatedRows, key } = set;
  const isSmall = estimatedRows !== null && estimatedRows < below && key !== "unique in the data";
  return own === true || isSmall ? texts.map(({ field }) => field) : [];
}

function textProperties({ properties }: DescribedSet): DescribedSet["properties"] {
  return properties.filter(({ type, isCollection }) => type === "Edm.String" && !isCollection);
}
