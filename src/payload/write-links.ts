import type { EntitySet } from "../edm/model.ts";
import { encodeSegment } from "./percent-encoding.ts";

/** Which links of a navigation property lead somewhere. */
export interface NavigationLinks {
  /** Whether the related entities have a route. */
  readonly navigation: boolean;
  /** Whether the references to them have one. */
  readonly association: boolean;
}

/** The links of a navigation property of a set. @param name its wire name */
export type LinksOf = (entitySet: EntitySet, name: string) => NavigationLinks;

const ALL_LINKS: NavigationLinks = Object.freeze({ navigation: true, association: true });

/**
 * Makes the writer of the links of the navigation properties that a set declares, each with a comma in front: none to
 * where no route is.
 * @param linksOf which of them there are; without it all
 * @see OData JSON Format 4.0, section 8
 */
export function compileLinks(entitySet: EntitySet, linksOf: LinksOf = () => ALL_LINKS): (url: string) => string {
  const links = [...entitySet.navigationProperties.keys()].flatMap((name) => {
    const { navigation, association } = linksOf(entitySet, name);
    const path = `/${encodeSegment(name)}`;
    return [
      ...(association ? [{ head: `,${JSON.stringify(`${name}@odata.associationLink`)}:`, path: `${path}/$ref` }] : []),
      ...(navigation ? [{ head: `,${JSON.stringify(`${name}@odata.navigationLink`)}:`, path }] : []),
    ];
  });
  return (url) => {
    let text = "";
    for (const { head, path } of links) text += head + JSON.stringify(url + path);
    return text;
  };
}
