import type { ConfigurationFault } from "../../errors/configuration-error.ts";
import type { ObjectColumn } from "../../introspect/database-schema.ts";
import type { DescribedColumn } from "../described-service.ts";
import { MAP_FORMS, parseForcedType } from "./apply-map.ts";

/** The types of `--map`. */
export interface ForcedTypes {
  /** Returns the column with the type of an entry; undefined without one. */
  readonly apply: (place: string, column: ObjectColumn, isKey: boolean) => DescribedColumn | undefined;
  /** Returns what is wrong with the entries, after all columns were asked for. */
  readonly faults: () => readonly ConfigurationFault[];
}

/** Reads the types of `--map` by property, such as `Products.Discontinued`. */
export function mapReader(map: Readonly<Record<string, string>>): ForcedTypes {
  const unused = new Set(Object.keys(map));
  const faults: ConfigurationFault[] = [];
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
      }
      return forced?.(column);
    },
    faults: () => [
      ...faults,
      ...Array.from(unused, (place) => ({
        message: `\`map\` contains ${JSON.stringify(place)}, which is no property.`,
        fix: "Write the set and the property as the service names them, such as `Products.Discontinued`.",
      })),
    ],
  };
}
