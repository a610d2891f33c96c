import type { EntitySet } from "../edm/model.ts";
import { encodeSegment } from "./urls.ts";

/** The valid links of a navigation property. */
interface NavigationLinks {
  /** Whether the related entities have a route. */
  readonly navigation: boolean;
  /** Whether the references to them have a route. */
  readonly association: boolean;
}

/** Returns the links of a navigation property of a set. @param name its wire name */
export type LinksOf = (entitySet: EntitySet, name: string) => NavigationLinks;

const ALL_LINKS: NavigationLinks = Object.freeze({ navigation: true, association: true });

/** Writes links of an entity. @param url the URL of the entity */
type LinkWriter = (url: string) => string;

/** The links of the navigation properties of a set. */
export interface LinkWriters {
  /** Writes the links of the navigation properties that are not expanded, each with a leading comma. */
  readonly unexpanded: LinkWriter;
  /** Returns the writer of the links before an expanded navigation property, each with a trailing comma. @param name its wire name */
  expanded(name: string): LinkWriter;
}

/** A link of a navigation property. */
interface Link {
  readonly head: string;
  readonly path: string;
}

/**
 * Makes the writers of the links of the navigation properties that a set declares.
 * @param expanded the wire names of the expanded navigation properties
 * @param linksOf returns the links that have a route; by default all links are written
 * @see OData JSON Format 4.0, sections 4.5 and 8
 */
export function compileLinks(
  entitySet: EntitySet,
  expanded: ReadonlySet<string>,
  linksOf: LinksOf = () => ALL_LINKS,
): LinkWriters {
  const linksTo = (name: string): readonly Link[] => {
    const { navigation, association } = linksOf(entitySet, name);
    const path = `/${encodeSegment(name)}`;
    return [
      ...(association ? [{ head: `${JSON.stringify(`${name}@odata.associationLink`)}:`, path: `${path}/$ref` }] : []),
      ...(navigation ? [{ head: `${JSON.stringify(`${name}@odata.navigationLink`)}:`, path }] : []),
    ];
  };
  const names = [...entitySet.navigationProperties.keys()].filter((name) => !expanded.has(name));
  const write = ({ head, path }: Link, url: string): string => head + JSON.stringify(url + path);
  const unexpanded = names.flatMap(linksTo);
  return {
    unexpanded: (url) => unexpanded.map((link) => `,${write(link, url)}`).join(""),
    expanded: (name) => {
      const links = entitySet.navigationProperties.has(name) ? linksTo(name) : [];
      return (url) => links.map((link) => `${write(link, url)},`).join("");
    },
  };
}
