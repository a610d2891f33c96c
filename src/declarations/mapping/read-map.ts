import type { ConfigurationFault } from "../../errors/configuration-error.ts";
import type { DescribedColumn, DescribedEnumType } from "../described-service.ts";
import { MAP_FORMS, parseForcedType, type ForcedColumn } from "./apply-map.ts";

/** The types of `--map`. */
export interface ForcedTypes {
  /** Returns the column with the type of an entry; undefined without one. */
  readonly apply: (place: string, column: ForcedColumn, isKey: boolean) => DescribedColumn | undefined;
  /** Returns the enumeration types of the entries, after all columns were asked for. */
  readonly enumTypes: () => readonly DescribedEnumType[];
  /** Returns what is wrong with the entries, after all columns were asked for. */
  readonly faults: () => readonly ConfigurationFault[];
}

/** Reads the types of `--map` by property, such as `Products.Discontinued`. */
export function mapReader(map: Readonly<Record<string, string>>): ForcedTypes {
  const unused = new Set(Object.keys(map));
  const faults: ConfigurationFault[] = [];
  const enumTypes: DescribedEnumType[] = [];
  return {
    apply: (place, column, isKey) => {
      const text = Object.hasOwn(map, place) ? map[place] : undefined;
      if (text === undefined) return undefined;
      unused.delete(place);
      const forced = parseForcedType(text);
      if (isKey) {
        faults.push({ message: `${place} is a part of the key, whose type is fixed.`, fix: "Remove it from `map`." });
      }
      if (forced === undefined) {
        faults.push({ message: `The type \`${text}\` of ${place} is unknown.`, fix: `Write ${MAP_FORMS}.` });
        return undefined;
      }
      const found = forced(column);
      if ("refused" in found) {
        const message = `${place} cannot have the type \`${text}\`: ${found.refused}.`;
        faults.push({ message, fix: "Write a type that fits the column, or remove the entry from `map`." });
        return undefined;
      }
      if (found.enumType !== undefined) enumTypes.push(found.enumType);
      return found.mapped;
    },
    enumTypes: () => enumTypes,
    faults: () => [
      ...faults,
      ...Array.from(unused, (place) => ({
        message: `\`map\` contains ${JSON.stringify(place)}, which is no property.`,
        fix: "Write the set and the property as the service names them, such as `Products.Discontinued`.",
      })),
    ],
  };
}
